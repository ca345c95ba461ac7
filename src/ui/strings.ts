import type { NoticeKind } from '../core/notices.ts';

/** Every word the interface says. Swedish is the interface's language. */
export const STRINGS = {
  appName: 'Diktera',
  tagline: 'Tala, så står orden där markören är.',
  fieldLabel: 'Text att diktera i',
  fieldPlaceholder: 'Ställ markören här, tryck på Diktera och tala.',
  toolbarLabel: 'Diktering',
  dictate: 'Diktera',
  copy: 'Kopiera',
  copied: 'Kopierat',
  pause: 'Pausa',
  stop: 'Klar',
  statusLabel: 'Inspelning',
  phases: {
    idle: '',
    starting: 'Öppnar mikrofonen …',
    recording: 'Lyssnar',
    speaking: 'Hör dig',
    paused: 'Pausad',
    finishing: 'Avslutar …',
    transcribing: 'Skriver ut …',
    stopped: '',
  },
  announcements: {
    recording: 'Inspelningen har börjat',
    paused: 'Inspelningen är pausad',
    finishing: 'Inspelningen avslutas',
    transcribing: 'Texten hämtas',
    done: 'Klart',
  },
  pending: (count: number) =>
    count === 1 ? '1 del väntar på svar' : `${count} delar väntar på svar`,
  dismiss: 'Stäng',
  waiting: {
    title: 'Väntande dikteringar',
    retryAll: 'Försök nu',
    insert: 'Infoga',
    copy: 'Kopiera',
    remove: 'Ta bort',
    confirmRemove: 'Ta bort diktering för gott?',
    states: {
      waiting: 'Väntar på att skickas',
      sending: 'Skickas',
      parked: 'Servern tar inte emot ljudet',
      transcribed: 'Text klar',
    },
    duration: (seconds: number) => `${seconds} s tal`,
  },
  server: {
    unknown: '',
    loading: 'Taligenkänningen startar …',
    ready: (languages: string) => `Taligenkänning: ${languages}`,
    unavailable: 'Servern för taligenkänning svarar inte just nu. Ljudet sparas tills den gör det.',
    noSwedish: 'Servern som körs här förstår inte svenska.',
  },
  notices: {
    'microphone-missing': {
      title: 'Ingen mikrofon hittades',
      advice: 'Anslut en mikrofon och tryck på Diktera igen.',
    },
    'microphone-denied': {
      title: 'Mikrofonen är inte tillåten',
      advice: 'Tillåt mikrofonen för sidan i webbläsarens adressfält och tryck på Diktera igen.',
    },
    'microphone-busy': {
      title: 'Mikrofonen är upptagen',
      advice: 'Stäng det program som använder den och tryck på Diktera igen.',
    },
    'microphone-failed': {
      title: 'Mikrofonen kunde inte öppnas',
      advice: 'Försök igen, eller välj en annan mikrofon i datorns inställningar.',
    },
    'microphone-lost': {
      title: 'Mikrofonen försvann',
      advice: 'Det du hann säga är kvar och skrivs ut. Anslut mikrofonen och fortsätt.',
    },
    'audio-context-closed': {
      title: 'Webbläsaren stängde ljudet',
      advice: 'Det du hann säga är kvar och skrivs ut. Tryck på Diktera för att fortsätta.',
    },
    'audio-graph-failed': {
      title: 'Ljudet kunde inte startas',
      advice: 'Ladda om sidan och försök igen.',
    },
    'audio-type-missing': {
      title: 'Webbläsaren kan inte spela in ljud',
      advice: 'Uppdatera webbläsaren eller använd en annan.',
    },
    'engine-failed': {
      title: 'Taldetekteringen kunde inte laddas',
      advice: 'Du kan diktera ändå: allt ljud sparas och skickas.',
    },
    lagging: {
      title: 'Datorn hinner inte med',
      advice: 'Inget ljud går förlorat, men texten kan dröja.',
    },
    'upload-failed': {
      title: 'Texten kunde inte hämtas',
      advice: 'Ljudet är kvar och skickas igen av sig självt.',
    },
    'uploads-unauthorised': {
      title: 'Servern kräver inloggning',
      advice: 'Ljudet är kvar. Logga in och välj Försök nu.',
    },
    'chunk-parked': {
      title: 'Servern tar inte emot en del av ljudet',
      advice: 'Ljudet är kvar under Väntande dikteringar.',
    },
    'storage-failed': {
      title: 'Ljudet kan inte sparas på datorn',
      advice: 'Frigör utrymme på disken. Håll sidan öppen tills texten är klar.',
    },
    'worker-crashed': {
      title: 'Dikteringen avbröts av ett fel',
      advice: 'Det du hann säga är kvar och skrivs ut.',
    },
    'max-duration-reached': {
      title: 'Längsta inspelningstiden är nådd',
      advice: 'Tryck på Diktera för att fortsätta.',
    },
  } satisfies Record<NoticeKind, { readonly title: string; readonly advice: string }>,
} as const;
