import type { ExtensionStrings } from './strings-sv.ts';

/** The same in English. */
export const ENGLISH: ExtensionStrings = {
  action: {
    title: 'Diktera',
    recording: 'Diktera is recording',
  },
  popup: {
    start: 'Dictate',
    help: 'Click in a text field of the page and press the microphone, or F9. From here you dictate without a field: the text goes to the list below.',
    site: (host: string) => `On ${host}`,
    empty: 'Nothing waits. What you dictate is shown here until it stands where it should.',
    options: 'Options',
  },
  panel: {
    drawn:
      'This page draws its text itself, so Diktera cannot write into it. What you dictate is shown here: copy it, and paste it into the page.',
    'no-field': 'The cursor is in no text field. What you dictate is shown here, to be copied.',
    copied: 'Copied. Paste it with Ctrl+V where it should stand.',
    copyByKeys: 'Press Ctrl+C',
  },
  modes: {
    default: 'as on other sites',
    always: 'show the microphone at the caret',
    key: 'with the key only',
    never: 'never',
  },
  options: {
    title: 'Diktera',
    lead: 'Dictate into any text field, on any site.',
    microphone: 'The microphone',
    microphoneGranted: 'Diktera may use the microphone.',
    microphoneAsk: 'The browser asks once, and the answer holds on every site.',
    microphoneDenied:
      'The microphone is refused. Click the icon at the left of the address bar, allow the microphone, and load this page again.',
    allow: 'Allow the microphone',
    server: 'The server that writes it down',
    address: 'Address',
    addressHelp:
      'On your own computer http will do. Anywhere else it has to be https. What waits for one address is sent to no other: it is listed again when you choose that one.',
    addressWrong:
      'That is no address to use. It begins with https://, or with http:// if the server is on your own computer.',
    addressRefused: 'The browser needs your permission to ask that address.',
    token: 'Token',
    tokenHelp: 'If the server wants one. It is kept in this browser and sent to the server only.',
    save: 'Save and try',
    trying: 'Asking the server …',
    serverReady: (languages: string) => `The server answers, and writes ${languages}.`,
    serverUntold: 'The server answers.',
    serverWantsToken: 'The server wants a token, and this is not the right one.',
    pairing:
      'The server does not know the extension yet. Open the server’s page, press Show a code, and type the six digits here.',
    pairingPage: 'Open the server’s page',
    pairingCode: 'Code',
    pair: 'Pair',
    pairingWrong: (triesLeft: number) =>
      triesLeft === 1
        ? 'That is not the code. You can try once more.'
        : `That is not the code. You can try ${triesLeft} times more.`,
    pairingOver: 'That code is no longer good. Have a new one shown on the server’s page.',
    serverSilent:
      'The server does not answer. What you dictate is kept here, and sent when it does.',
    serverRefuses: (id: string) =>
      `The server does not take the extension. Whoever runs it sets EXTENSION_IDS=${id}`,
    speechTitle: 'Language and words',
    keepTitle: 'What is kept',
    language: 'Language spoken',
    languageHelp: 'As the page: the language that the page is written in, else the browser’s.',
    languageOfPage: 'as the page',
    words: 'Your own words',
    wordsHelp: 'Names and terms, one a line. Behind a semicolon you can write how it sounds.',
    keep: 'Keep recordings',
    keepHelp: 'What has not been written down yet is always kept, however long that takes.',
    keepChoices: { 0: 'not at all', 1: 'an hour', 24: 'a day', 168: 'a week', 720: '30 days' },
    removePii: 'Mask personal data in the text',
    fixSpelling: 'Correct the spelling',
    sites: 'Sites',
    access: 'Diktera is there',
    accessAll: 'in every text field, on all sites',
    accessClick: 'only where I press the toolbar button',
    accessHelp:
      'Alt+Shift+D counts as the button. For all sites the browser asks for your permission. Of a page nothing is read but the characters beside the caret, when text goes in.',
    everywhere: 'On all sites',
    sitesHelp: 'For one site you choose in the window that the toolbar button opens.',
    key: 'Key in text fields',
    keyHelp: 'Hold it down while you speak, or press once to begin and once to end.',
    noKey: 'none',
    managed: 'Set by your organisation.',
    saved: 'Saved.',
  },
};
