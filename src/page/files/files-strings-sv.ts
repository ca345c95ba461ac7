import type { Translated } from '../../core/translated.ts';

/** Texts about files of sound that become text, in Swedish. */
export const FILES_SWEDISH = {
  title: 'Ljudfiler',
  shareLost: 'Det som delades kunde inte tas emot. Öppna ljudfilen här på sidan i stället.',
  waiting: (name: string) => `${name} väntar på sin tur.`,
  reading: (name: string) => `${name} blir text …`,
  percent: (share: number) => `${Math.floor(share * 100)} %`,
  done: (name: string) => `${name} är klar.`,
  doneApart: (name: string) => `${name} är klar. Texten ligger här, skild från anteckningen.`,
  doneDamaged: (name: string) => `${name} är klar, men allt i filen gick inte att läsa.`,
  nothingHeard: (name: string) => `I ${name} hördes inget tal.`,
  cancelled: (name: string) => `${name} avbröts. Det som har kommit finns kvar.`,
  interrupted: (name: string) =>
    `${name} avbröts när sidan stängdes. Fortsätt, så blir resten också text.`,
  faults: {
    'no-sound': (name: string) => `Det finns inget ljud i ${name}.`,
    unreadable: (name: string) =>
      `${name} går inte att läsa. Spara den som mp3, m4a eller wav och försök igen.`,
    'too-large': (name: string) => `${name} är för stor för servern. Dela den i mindre filer.`,
    'too-long': (name: string) => `${name} är längre än 4 timmar. Dela den i kortare filer.`,
    'language-missing': (name: string) =>
      `Servern förstår inte språket än, så ${name} väntar. Fortsätt när språket finns.`,
    refused: (name: string) => `Servern tar inte emot ljudet i ${name}.`,
    'signed-out': (name: string) => `Logga in igen, så fortsätter ${name} där den stannade.`,
    'no-server': (name: string) =>
      `Servern svarar inte just nu, så ${name} stannade. Fortsätt när den svarar igen.`,
  },
  progress: (name: string) => `Så mycket av ${name} är text`,
  cancel: 'Avbryt',
  goOn: 'Fortsätt',
  insert: 'Infoga i anteckningen',
  insertRest: 'Infoga det som saknas',
  read: 'Lyssna och läs',
  listen: 'Ljudet i filen',
  playFrom: (time: string) => `Spela från ${time}`,
  save: 'Spara texten som',
  withTimes: 'Tider i txt och docx',
  notSaved: 'Det gick inte just nu. Försök igen.',
  close: 'Stäng',
  notAllInNote: 'All text står inte i anteckningen.',
  remove: 'Ta bort texten',
} as const;

/** Every text about files, in some language. */
export type FilesStrings = Translated<typeof FILES_SWEDISH>;
