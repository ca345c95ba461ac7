import type { InterfaceLanguage } from '../../widget/options.ts';
import { SWEDISH_PANEL_SV, type SwedishStrings, sizeIn } from './swedish-strings-sv.ts';

/** Texts about the model for Swedish, in English. */
export const SWEDISH_PANEL_EN: SwedishStrings = {
  size: (bytes) => sizeIn('en', bytes),
  percent: (share) => `${Math.floor(share * 100)} %`,
  absent: {
    title: 'The server does not understand Swedish yet',
    text: 'You can dictate all the same: it is kept here and becomes text when Swedish has come.',
  },
  missing: {
    title: (name) => `The server does not understand ${name}`,
    text: (name) =>
      `What you dictate is kept here and becomes text when the server understands ${name}.`,
  },
  fetching: { title: 'Downloading Swedish' },
  preparing: { title: 'Preparing Swedish' },
  paused: { title: 'The download of Swedish is paused' },
  failed: { title: 'Swedish could not be downloaded' },
  ready: { title: 'You can now dictate in Swedish' },
  progress: 'Swedish, how much is done',
  waits: 'What you dictate in Swedish meanwhile is kept here and becomes text when all is ready.',
  still:
    "The download has stalled. It continues by itself when the network is back. Check the server's network, or pause and resume later.",
  waitedFor: 'What waited is becoming text now.',
  fetch: (size) => `Download Swedish (${size})`,
  pause: 'Pause',
  goOn: 'Resume',
  again: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  cancelTitle: 'Cancel the download?',
  cancelWarning:
    'What has been downloaded is deleted. Pause instead to resume later. What you have dictated stays.',
  cancelConfirm: 'Cancel the download',
  cancelKeep: 'Keep downloading',
  away: 'The server does not answer just now.',
  notDone: 'That did not work just now. Try again.',
  faults: {
    'no-network': () =>
      'The model cannot be reached on the network. What has been downloaded stays, so the next try goes on where this one ended.',
    refused: () => 'The address of the model refuses to send it.',
    'wrong-bytes': () => 'The file that came is not the right one, so it is not used.',
    'bad-proxy': () =>
      "The server's proxy is of a kind that is not supported. Its address must begin with http://.",
    'disk-full': () => "The server's disk is full. Make room and try again.",
    'disk-small': (disk) =>
      `There is too little room on the server's disk: ${disk} is needed. Make room and try again.`,
    'read-only': () => 'The server may not write to its folder for models.',
    'memory-small': (_disk, memory) =>
      `The computer has too little memory: ${memory} is needed. A smaller model runs there, such as KBLab/kb-whisper-base. The file docs/server.md says how.`,
    'not-convertible': () =>
      'The model cannot be made ready here. There are other ways to get Swedish: see docs/server.md.',
    unusable: () =>
      "The model was tried on the server's computer and did not work there, so it is not used. Everything else works as usual.",
    unknown: () => "The model could not be made ready. The server's log says more.",
  },
  credits: {
    title: 'Language models',
    by: 'by',
    licence: 'Licence:',
    changed: 'Changed here:',
    of: {},
  },
};

/** The panel's texts in a language of the interface. */
export function swedishStringsIn(language: InterfaceLanguage): SwedishStrings {
  return language === 'en' ? SWEDISH_PANEL_EN : SWEDISH_PANEL_SV;
}
