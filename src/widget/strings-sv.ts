import type { NoticeKind } from '../core/session/snapshot.ts';
import type { Translated } from '../core/translated.ts';

/** Every text of the interface, in Swedish: its own language. See `strings.ts`. */
export const SWEDISH = {
  lang: 'sv',
  toolbarLabel: 'Diktering',
  dictate: 'Diktera',
  copy: 'Kopiera',
  copied: 'Kopierat',
  pause: 'Pausa',
  resume: 'Fortsätt',
  discard: 'Släng',
  cancelled: 'Inspelningen är slängd.',
  undo: 'Ångra',
  stop: 'Klar',
  takeBack: 'Ångra dikteringen',
  liveHint: 'Orden kommer här när du talar.',
  stopWaiting: 'Fortsätt arbeta',
  stopWaitingHelp: 'Texten läggs in när den är klar.',
  statusLabel: 'Inspelning',
  phases: {
    idle: '',
    starting: 'Öppnar mikrofonen …',
    recording: 'Lyssnar',
    stalled: 'Inget ljud',
    paused: 'Pausad',
    finishing: 'Avslutar …',
    transcribing: 'Skriver …',
    stopped: '',
  },
  announcements: {
    recording: 'Inspelningen har börjat',
    cancelled: 'Inspelningen är slängd och kan ångras',
    paused: 'Inspelningen är pausad',
    finishing: 'Inspelningen avslutas',
    transcribing: 'Texten hämtas',
    done: 'Klart, texten är infogad',
    nothing: 'Klart, inget tal hördes',
    later: 'Texten kommer senare, ljudet är kvar',
    ready: 'Texten är klar och väntar på att infogas',
    needsReview: 'Texten kan vara ofullständig, ljudet är kvar',
  },
  busyElsewhere: 'Diktering pågår i ett annat fält',
  microphoneAdvice: {
    silent: 'Inget hörs. Kontrollera att rätt mikrofon är vald och påslagen.',
    clipping: 'Ljudet är för starkt. Håll mikrofonen längre från munnen.',
    quiet: 'Det hörs svagt. Håll mikrofonen närmare munnen.',
    'narrow-band': 'Ljudet har telefonkvalitet. Välj datorns egen mikrofon för säkrare text.',
  },
  dismiss: 'Stäng',
  dictations: {
    title: 'Dikteringar',
    badge: (count: number) => `${count} väntar`,
    reviewBadge: (count: number) => `${count} att granska`,
    show: (count: number) => (count === 1 ? '1 diktering väntar' : `${count} dikteringar väntar`),
    showReviews: (count: number) =>
      count === 1 ? '1 diktering att granska' : `${count} dikteringar att granska`,
    failed: 'Det gick inte. Inget är förlorat. Försök igen.',
  },
  alarmTitle: (title: string) => `⚠ Inget ljud – ${title}`,
  duration: (seconds: number) =>
    seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`,
  notices: {
    'microphone-missing': {
      title: 'Ingen mikrofon hittades',
      advice: 'Anslut en mikrofon och tryck på Diktera igen.',
    },
    'microphone-denied': {
      title: 'Mikrofonen är inte tillåten',
      advice: 'Tillåt mikrofonen för sidan i webbläsarens adressfält och tryck på Diktera igen.',
    },
    'microphone-framed': {
      title: 'Sidan som visar Diktera måste tillåta mikrofonen',
      advice:
        'Den som sköter sidan behöver ge ramen allow="microphone". Tillåt sedan mikrofonen i webbläsaren.',
    },
    'microphone-busy': {
      title: 'Mikrofonen är upptagen',
      advice: 'Stäng det program som använder den och tryck på Diktera igen.',
    },
    'microphone-failed': {
      title: 'Mikrofonen kunde inte öppnas',
      advice: 'Försök igen, eller välj en annan mikrofon i datorns inställningar.',
    },
    'insecure-page': {
      title: 'Sidan får inte använda mikrofonen',
      advice: 'Webbläsare kräver https för det. Be den som sköter sidan att slå på det.',
    },
    'webassembly-missing': {
      title: 'Webbläsaren kan inte spela in här',
      advice:
        'WebAssembly är avstängt, som i Apples låsta läge. Undanta webbplatsen och ladda om sidan.',
    },
    'microphone-lost': {
      title: 'Mikrofonen försvann',
      advice: 'Det du hann säga är kvar och blir text. Anslut mikrofonen och fortsätt.',
    },
    'microphone-away': {
      title: 'Mikrofonen försvann',
      advice: 'Vänta med att tala. En annan mikrofon öppnas; svara om webbläsaren frågar.',
    },
    'microphone-switched': {
      title: 'Mikrofonen byttes',
      advice: 'Det du sa under bytet kan saknas, resten är kvar.',
    },
    'microphone-muted': {
      title: 'Mikrofonen är avstängd',
      advice: 'Slå på den i datorns ljudinställningar eller på headsetet.',
    },
    'tab-sound-refused': {
      title: 'Fliken delades inte',
      advice: 'Tryck på Diktera och dela en flik med ljud, eller stäng av flikljud i Alternativ.',
    },
    'tab-sound-ended': {
      title: 'Fliken delas inte längre',
      advice: 'Inspelningen fortsätter med mikrofonen.',
    },
    'capture-stalled': {
      title: 'Inget ljud hörs',
      advice:
        'Vänta med att tala. Det du har sagt är kvar. Klicka på sidan, eller välj Klar och börja om.',
    },
    'capture-gap': {
      title: 'Ljudet bröts en stund',
      advice: 'Det du sa då saknas. Läs igenom texten och säg det igen.',
    },
    'capture-slept': {
      title: 'Datorn var i viloläge',
      advice: 'Inspelningen går vidare, och det du sa före är kvar. I viloläget hördes inget.',
    },
    'audio-context-closed': {
      title: 'Webbläsaren stängde ljudet',
      advice: 'Det du hann säga är kvar och blir text. Tryck på Diktera för att fortsätta.',
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
      title: 'Taldetekteringen fungerar inte',
      advice: 'Du kan diktera ändå: allt ljud sparas och skickas.',
    },
    lagging: {
      title: 'Datorn hinner inte med',
      advice: 'Inget ljud går förlorat, men texten kan dröja.',
    },
    'upload-failed': {
      title: 'Ingen text än',
      advice: 'Ljudet är sparat och skickas igen automatiskt.',
    },
    'uploads-unauthorised': {
      title: 'Logga in igen',
      advice: 'Ljudet är kvar och skickas när du har loggat in.',
    },
    'chunk-refused': {
      title: 'Servern tar inte emot ljudet',
      advice: 'Ljudet är kvar under Dikteringar.',
    },
    'text-needs-review': {
      title: 'En text kan vara ofullständig',
      advice: 'Ljudet är kvar under Dikteringar. Lyssna, eller försök igen.',
    },
    'recording-kept': {
      title: 'Ljudet kunde inte skickas än',
      advice: 'Det är kvar under Dikteringar. Välj Försök nu.',
    },
    'audio-damaged': {
      title: 'En tidigare inspelning gick inte att läsa helt',
      advice: 'Resten är kvar och blir text. Läs igenom texten.',
    },
    'storage-failed': {
      title: 'Ljudet kan inte sparas på datorn',
      advice:
        'Håll sidan öppen tills texten är klar. Disken kan vara full, fönstret privat eller kakor blockerade.',
    },
    'storage-low': {
      title: 'Disken är nästan full',
      advice: 'Det finns plats för några minuters tal till. Frigör utrymme.',
    },
    'storage-full': {
      title: 'Disken är full',
      advice: 'Inspelningen avslutades. Det du sa är kvar och blir text. Frigör utrymme.',
    },
    'worker-crashed': {
      title: 'Dikteringen avbröts av ett fel',
      advice: 'Det du hann säga är kvar och blir text.',
    },
    'start-delayed': {
      title: 'Dikteringen har inte kommit igång än',
      advice: 'Det du säger sparas i en minut. Kontrollera nätet om det dröjer.',
    },
    'already-recording': {
      title: 'En inspelning pågår redan',
      advice: 'Avsluta den innan du börjar en ny.',
    },
    disposed: {
      title: 'Dikteringen är avslutad på den här sidan',
      advice: 'Ladda om sidan för att diktera igen.',
    },
    'text-not-inserted': {
      title: 'Texten kunde inte infogas i fältet',
      advice: 'Den är kvar under Dikteringar.',
    },
    'storage-not-kept': {
      title: 'Det som väntar finns bara här',
      advice: 'Stäng inte fönstret förrän texten har kommit.',
    },
    'speech-lost': {
      title: 'Något av det du sa saknas',
      advice: 'Datorn stod still för länge. Läs igenom texten och säg det som fattas igen.',
    },
    'max-duration-reached': {
      title: 'Längsta inspelningstiden är nådd',
      advice: 'Tryck på Diktera för att fortsätta.',
    },
  } satisfies Record<NoticeKind, { readonly title: string; readonly advice: string }>,
} as const;

/** Every text of the interface, in some language. */
export type Strings = Translated<typeof SWEDISH>;
