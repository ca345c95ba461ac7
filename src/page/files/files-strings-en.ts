import type { InterfaceLanguage } from '../../widget/options.ts';
import { FILES_SWEDISH, type FilesStrings } from './files-strings-sv.ts';

/** The same in English. */
const FILES_ENGLISH: FilesStrings = {
  title: 'Sound files',
  shareLost: 'What was shared could not be taken in. Open the sound file here on the page instead.',
  waiting: (name) => `${name} waits for its turn.`,
  reading: (name) => `${name} is being written down …`,
  percent: (share) => `${Math.floor(share * 100)} %`,
  done: (name) => `${name} is done.`,
  doneApart: (name) => `${name} is done. Its text is here, apart from the note.`,
  doneDamaged: (name) => `${name} is done, but not all of the file could be read.`,
  nothingHeard: (name) => `No speech was heard in ${name}.`,
  cancelled: (name) => `${name} was cancelled. What has come is still here.`,
  interrupted: (name) =>
    `${name} stopped when the page was closed. Go on for the rest of its text.`,
  faults: {
    'no-sound': (name) => `There is no sound in ${name}.`,
    unreadable: (name) => `${name} cannot be read. Save it as mp3, m4a or wav and try again.`,
    'too-large': (name) => `${name} is too large for the server. Split it into smaller files.`,
    'too-long': (name) => `${name} is longer than 4 hours. Split it into shorter files.`,
    'language-missing': (name) =>
      `The server does not understand the language yet, so ${name} waits. Go on when it does.`,
    refused: (name) => `The server does not accept the sound in ${name}.`,
    'signed-out': (name) => `Sign in again, and ${name} goes on where it stopped.`,
    'no-server': (name) =>
      `The server does not answer now, so ${name} stopped. Go on when it answers again.`,
  },
  progress: (name) => `How much of ${name} is text`,
  cancel: 'Cancel',
  goOn: 'Go on',
  insert: 'Insert into the note',
  insertRest: 'Insert what is missing',
  read: 'Listen and read',
  listen: 'The sound of the file',
  playFrom: (time) => `Play from ${time}`,
  save: 'Save the text as',
  withTimes: 'Times in txt and docx',
  notSaved: 'That did not work just now. Try again.',
  close: 'Close',
  notAllInNote: 'Not all of its text is in the note.',
  remove: 'Delete the text',
};

/** The texts about files in a language of the interface. */
export function filesStringsIn(language: InterfaceLanguage): FilesStrings {
  return language === 'en' ? FILES_ENGLISH : FILES_SWEDISH;
}
