import type { Translated } from '../core/translated.ts';

/** The page's texts that come later, in Swedish: note, options, and what is said of the server. */
export const LATER_SWEDISH = {
  scriptMissing: {
    title: 'Resten av sidan kunde inte hämtas',
    advice: 'Kopiera det du har skrivit och ladda om sidan.',
  },
  signIn: {
    title: 'Logga in igen',
    advice: 'Det du säger sparas här och blir text när du har loggat in.',
    action: 'Logga in',
  },
  benchmarkLink: 'Hur snabb är taldetekteringen här?',
  note: {
    open: 'Öppna ljudfil',
    share: 'Dela',
    fresh: 'Ny anteckning',
    told: {
      copied: 'Kopierat.',
      notCopied: 'Det gick inte. Kopiera texten själv.',
      begun: 'Anteckningen är kopierad och rensad.',
      cleared: 'Anteckningen är rensad.',
      back: 'Anteckningen är tillbaka.',
      forgotten: 'Tidigare anteckningar är borttagna.',
    },
  },
  earlier: {
    title: 'Tidigare anteckningar',
    takeBack: 'Hämta tillbaka',
    forget: 'Ta bort tidigare anteckningar',
  },
  about: 'Om Diktera',
  options: {
    title: 'Alternativ',
    microphone: 'Mikrofon',
    automatic: 'Välj åt mig',
    recommended: (label: string) => `${label} (rekommenderas)`,
    missing: (label: string) => `${label} (inte ansluten)`,
    noMicrophone: 'Ingen mikrofon är ansluten.',
    allow: 'Tillåt mikrofonen',
    allowWhy: 'Namnen syns när sidan får använda mikrofonen. Inget spelas in då.',
    denied: 'Sidan får inte använda mikrofonen.',
    deniedHelp: {
      chromium: 'Klicka på ikonen till vänster om adressen och slå på Mikrofon.',
      firefox: 'Klicka på mikrofonikonen vid adressen och ta bort blockeringen.',
      safari: 'Öppna Safari, Inställningar, Webbplatser, Mikrofon och välj Tillåt för sidan.',
    },
    tabSound: 'Spela in ljud från en flik',
    tabSoundHelp: 'Du väljer flik när inspelningen börjar. Ljudet blandas med mikrofonens.',
    test: 'Prova mikrofonen',
    level: 'Ljudnivå',
    testHelp: 'Säg något: stapeln ska röra sig. Inget spelas in.',
    testFailed: 'Mikrofonen kunde inte öppnas.',
    language: 'Språk du talar',
    fixSpelling: 'Rätta stavningen',
    removePii: 'Maska personuppgifter i texten',
    fast: 'Snabbare, mindre noggrant',
    marksUnsure: 'Markera ord som kan vara felhörda',
    marksUnsureHelp: 'Syns när du läser en diktering eller en fil igen, om servern talar om det.',
    smartSpacing: 'Anpassa texten till platsen',
    live: 'Visa orden medan jag talar',
    liveHelp: 'Ljudet skickas vid varje paus och däremellan, så servern får mer att göra.',
    insertsAtPause: 'Infoga texten vid varje paus',
    preset: 'Ljudmiljö',
    presets: {
      recording: 'Normal',
      sensitive: 'Tyst rum, fångar även svagt tal',
    },
    pushToTalkKey: 'Dikteringstangent',
    noKey: 'Ingen',
    pushToTalkKeyHelp:
      'Håll ned medan du talar, eller tryck för att börja och igen för att sluta. Esc slänger.',
    interfaceLanguage: 'Sidans språk',
    languageTitle: 'Språk',
    textTitle: 'Text',
    keysTitle: 'Tangenter',
  },
  keeping: {
    title: 'Sparat',
    keep: 'Spara ljud och text',
    times: {
      0: 'Bara tills texten har kommit',
      1: 'I 1 timme',
      24: 'I 24 timmar',
      168: 'I 7 dagar',
      720: 'I 30 dagar',
    },
    where: 'De sparas okrypterat i den här webbläsaren på den här datorn.',
    now: (count: number, size: string) =>
      count === 0
        ? 'Just nu finns inga.'
        : `Just nu ${count === 1 ? '1 diktering' : `${count} dikteringar`}, ${size}.`,
    span: (hours: number) => {
      if (hours === 1) return '1 timme';
      return hours <= 24 ? `${hours} timmar` : `${hours / 24} dagar`;
    },
    notice: (span: string) =>
      `Dikteringar sparas här i ${span}, i ett privat fönster tills du stänger det.`,
    understood: 'Okej',
  },
  diagnostics: 'Diagnostik',
  server: {
    unknown: '',
    loading: 'Taligenkänningen startar …',
    ready: (engines: string) => `Taligenkänning: ${engines}.`,
    engine: (languages: string, model: string) => `${languages} (${model})`,
    andMore: (first: string, others: number) => `${first} och ${others} språk till`,
    unavailable: 'Servern för taligenkänning svarar inte just nu. Ljudet sparas tills den gör det.',
    signedOut: 'Logga in igen: servern svarar först då. Ljudet sparas tills dess.',
    untold: 'Servern säger inte vilka språk den förstår.',
    noSwedish: 'Servern som körs här förstår inte svenska.',
    getSwedish: 'Så får du svenska',
    getSwedishHow:
      'Låt den som sköter servern starta den så här. Första gången hämtas en språkmodell på 660 MB:',
    getSwedishMore: 'Andra sätt står i filen docs/server.md.',
  },
} as const;

/** The later texts, in some language. */
export type LaterStrings = Translated<typeof LATER_SWEDISH>;
