import type { PageStrings } from './page-strings-sv.ts';

/** Every text of our own page beside the widget's, in English. */
export const PAGE_ENGLISH: PageStrings = {
  appName: 'Diktera',
  tagline: 'Speak. Your words appear at the cursor.',
  benchmarkLink: 'How fast is speech detection here?',
  fieldLabel: 'Text to dictate into',
  fieldPlaceholder: 'Click here, press Dictate (F9) and speak.',
  scriptMissing: {
    title: 'The rest of the page could not be fetched',
    advice: 'Copy what you have written and reload the page.',
  },
  options: {
    title: 'Options',
    microphone: 'Microphone',
    automatic: 'Choose for me',
    recommended: (label) => `${label} (recommended)`,
    missing: (label) => `${label} (not connected)`,
    noMicrophone: 'No microphone is connected.',
    allow: 'Allow the microphone',
    allowWhy: 'Names are shown once the page may use the microphone. Nothing is recorded by that.',
    denied: 'The page may not use the microphone.',
    deniedHelp: {
      chromium: 'Press the icon to the left of the address and turn Microphone on.',
      firefox: 'Press the microphone icon by the address and remove the block.',
      safari: 'Open Safari, Settings, Websites, Microphone and choose Allow for the page.',
    },
    tabSound: 'Record sound from a tab',
    tabSoundHelp:
      'You choose the tab when recording starts. Its sound is mixed with the microphone.',
    noTabSound: 'This browser cannot record sound from a tab.',
    language: 'Language you speak',
    fixSpelling: 'Correct the spelling',
    removePii: 'Mask personal data in the text',
    fast: 'Prefer speed over accuracy',
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
    pushToTalkKeyHelp: 'Hold it while you speak, or press to start and again to stop. Esc stops.',
    interfaceLanguage: 'Interface language',
    speechTitle: 'Speech',
    textTitle: 'Text',
    keysTitle: 'Page',
  },
  keeping: {
    title: 'Saved dictations',
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
    untold: 'The server does not say which languages it understands.',
    noSwedish: 'The server here does not understand Swedish.',
    getSwedish: 'How to get Swedish',
    getSwedishHow:
      'Have whoever runs the server start it like this. The first time it fetches a language model of 660 MB:',
    getSwedishMore: 'Other ways are in the file README.md, under Running the transcription server.',
  },
};
