import type { InterfaceLanguage } from '../widget/options.ts';
import { useStrings } from '../widget/strings.tsx';
import { LATER_SWEDISH, type LaterStrings } from './later-strings-sv.ts';

/** The same in English. */
const LATER_ENGLISH: LaterStrings = {
  scriptMissing: {
    title: 'The rest of the page could not be fetched',
    advice: 'Copy what you have written and reload the page.',
  },
  signIn: {
    title: 'Sign in again',
    advice: 'What you say is kept here and becomes text when you have signed in.',
    action: 'Sign in',
  },
  benchmarkLink: 'How fast is speech detection here?',
  note: {
    open: 'Open sound file',
    share: 'Share',
    fresh: 'New note',
    told: {
      copied: 'Copied.',
      notCopied: 'That failed. Copy the text yourself.',
      begun: 'The note is copied and cleared.',
      cleared: 'The note is cleared.',
      back: 'The note is back.',
      forgotten: 'Earlier notes are deleted.',
    },
  },
  earlier: {
    title: 'Earlier notes',
    takeBack: 'Bring back',
    forget: 'Delete earlier notes',
  },
  about: 'About Diktera',
  options: {
    title: 'Options',
    microphone: 'Microphone',
    automatic: 'Choose for me',
    recommended: (label) => `${label} (recommended)`,
    missing: (label) => `${label} (not connected)`,
    noMicrophone: 'No microphone is connected.',
    allow: 'Allow the microphone',
    allowWhy: 'Names are shown once the page may use the microphone. Nothing is recorded.',
    denied: 'The page may not use the microphone.',
    deniedHelp: {
      chromium: 'Press the icon to the left of the address and turn Microphone on.',
      firefox: 'Press the microphone icon by the address and remove the block.',
      safari: 'Open Safari, Settings, Websites, Microphone and choose Allow for the page.',
    },
    tabSound: 'Record sound from a tab',
    tabSoundHelp:
      'You choose the tab when recording starts. Its sound is mixed with the microphone.',
    test: 'Test the microphone',
    level: 'Sound level',
    testHelp: 'Say something: the bar should move. Nothing is recorded.',
    testFailed: 'The microphone could not be opened.',
    language: 'Language you speak',
    fixSpelling: 'Correct the spelling',
    removePii: 'Mask personal data in the text',
    fast: 'Prefer speed over accuracy',
    marksUnsure: 'Mark words that may be misheard',
    marksUnsureHelp: 'Shown when you read a dictation or a file again, if the server reports it.',
    smartSpacing: 'Fit the text to its place',
    live: 'Show the words while I speak',
    liveHelp: 'Sound is sent at each pause and in between, so the server has more to do.',
    insertsAtPause: 'Insert the text at each pause',
    preset: 'Environment',
    presets: {
      recording: 'Normal',
      sensitive: 'Quiet room, catches faint speech',
    },
    pushToTalkKey: 'Dictation key',
    noKey: 'None',
    pushToTalkKeyHelp:
      'Hold it while you speak, or press to start and again to stop. Esc discards.',
    interfaceLanguage: 'Interface language',
    languageTitle: 'Language',
    textTitle: 'Text',
    keysTitle: 'Keys',
  },
  keeping: {
    title: 'Saved',
    keep: 'Keep audio and text',
    times: {
      0: 'Only until the text has come',
      1: 'For 1 hour',
      24: 'For 24 hours',
      168: 'For 7 days',
      720: 'For 30 days',
    },
    where: 'Stored unencrypted in this browser on this computer.',
    now: (count, size) =>
      count === 0
        ? 'There are none just now.'
        : `Just now ${count === 1 ? '1 dictation' : `${count} dictations`}, ${size}.`,
    span: (hours) => {
      if (hours === 1) return '1 hour';
      return hours <= 24 ? `${hours} hours` : `${hours / 24} days`;
    },
    notice: (span) =>
      `Dictations are saved here for ${span}, in a private window until you close it.`,
    understood: 'OK',
  },
  diagnostics: 'Diagnostics',
  server: {
    unknown: '',
    loading: 'Speech recognition is starting …',
    ready: (engines) => `Speech recognition: ${engines}.`,
    engine: (languages, model) => `${languages} (${model})`,
    andMore: (first, others) => `${first} and ${others} more languages`,
    unavailable: 'The speech recognition server does not answer now. Audio is kept until it does.',
    signedOut: 'Sign in again: the server answers only then. Audio is kept until then.',
    untold: 'The server does not say which languages it understands.',
    noSwedish: 'The server here does not understand Swedish.',
    getSwedish: 'How to get Swedish',
    getSwedishHow:
      'Ask whoever runs the server to start it like this. The first time, it downloads a language model of 660 MB:',
    getSwedishMore: 'Other ways are in the file docs/server.md.',
  },
};

/** The later texts in a language of the interface. */
export function laterStringsIn(language: InterfaceLanguage): LaterStrings {
  return language === 'en' ? LATER_ENGLISH : LATER_SWEDISH;
}

/** The later texts, in the language of the interface. */
export function useLaterStrings(): LaterStrings {
  return laterStringsIn(useStrings().lang === 'en' ? 'en' : 'sv');
}
