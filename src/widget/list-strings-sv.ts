import type { RemovalSummary } from '../core/session/dictations.ts';
import type { Translated } from '../core/translated.ts';
import { durationText, languageName, sizeText, whenText } from './said-in.ts';

/** Every text of the list of dictations, in Swedish. */
export const SWEDISH_LIST = {
  recent: 'Senaste',
  waiting: 'Väntar',
  time: (time: Date, now: Date) => whenText('sv', time, now),
  loading: 'Läser …',
  none: 'Inga dikteringar än.',
  search: 'Sök i dikteringarna',
  notFound: 'Ingen diktering har de orden.',
  notKept: 'Inspelningar tas bort när texten har kommit.',
  error: 'Inspelningar kan inte sparas på datorn just nu. Det du dikterar blir text ändå.',
  more: (count: number) => `Visa ${count} till`,
  details: 'Visa mer',
  insert: 'Infoga',
  inserted: 'Infogad',
  copy: 'Kopiera',
  tryNow: 'Försök nu',
  tryAgain: 'Försök igen',
  again: 'Gör om till text',
  play: 'Spela upp',
  seek: 'Plats i ljudet',
  seekAt: (at: string, all: string) => `${at} av ${all}`,
  download: 'Ladda ner ljudet',
  fileName: (time: string) => `Diktering ${time}`,
  remove: 'Ta bort',
  removeTitle: 'Ta bort dikteringen?',
  removeWarning: 'Ljud och text försvinner och kan inte hämtas tillbaka.',
  cancel: 'Behåll',
  language: 'Språk',
  automaticLanguage: (name: string) => (name === '' ? 'Automatiskt' : `Automatiskt (${name})`),
  languageName: (code: string) => languageName('sv', code),
  versions: 'Version',
  versionOf: (time: string, about: string) => `${time}, ${about}`,
  firstVersion: 'första',
  ruledVersion: 'med reglerna igen',
  showHeard: 'Visa vad som hördes',
  heard: 'Så hördes det, innan reglerna för text:',
  applyRules: 'Använd reglerna igen',
  rulesApplied: 'Reglerna har använts',
  newVersion: (language: string) => `ny, ${language}`,
  noWords: 'Inga ord hördes',
  noSound: 'Ljudet kunde inte sparas',
  states: {
    recording: 'Spelas in i en annan flik',
    writing: 'Blir text',
    waiting: 'Väntar på att skickas',
    network: 'Servern svarar inte',
    server: 'Servern svarade inte som den ska',
    preparing: (percent: number) => `Väntar på att språket görs i ordning, ${percent} % klart`,
    unauthorised: 'Väntar på att du loggar in',
    language: 'Väntar på ett språk som servern inte har',
    refused: 'Servern tar inte emot ljudet',
    unencoded: 'Kunde inte göras klart att skickas',
    ready: 'Inte infogad än',
    'needs-review': 'Att granska',
    rewriting: 'Görs om till text',
    partly: (done: number, all: number) => `${Math.floor((100 * done) / all)} % är text`,
  },
  reviews: {
    empty: 'Servern hörde inga ord i talet. Lyssna och försök igen.',
    incomplete: 'Servern kunde inte läsa allt ljud, så ord kan saknas i texten.',
    altered: 'Sidan ändrade texten när den infogades. Här är hela texten.',
  },
  nextTry: {
    now: 'nytt försök nu',
    seconds: (count: number) => `nytt försök om ${count} s`,
    minutes: (count: number) => `nytt försök om ${count} min`,
  },
  removed: (count: number) =>
    count === 1 ? 'Dikteringen är borttagen.' : `${count} dikteringar är borttagna.`,
  undo: 'Ångra',
  undone: (count: number) => (count === 1 ? 'Återställd.' : `${count} dikteringar är återställda.`),
  size: (bytes: number) => sizeText('sv', bytes),
  removeAll: 'Ta bort alla',
  removeAllTitle: 'Ta bort alla dikteringar?',
  removeAllWarning: ({ count, lengthMs, bytes, waiting, isUndoable }: RemovalSummary) =>
    [
      `${count === 1 ? '1 diktering' : `${count} dikteringar`} tas bort, ljud och text:`,
      `${durationText(lengthMs)}${bytes > 0 ? `, ${sizeText('sv', bytes)}` : ''}.`,
      waiting > 0 && `${waiting === 1 ? '1 är' : `${waiting} är`} inte text än.`,
      'Pågående inspelning påverkas inte, inte heller det som en annan flik väntar på.',
      isUndoable ? 'Du kan ångra i 30 sekunder.' : 'Det kan inte ångras.',
    ]
      .filter(Boolean)
      .join(' '),
} as const;

/** Every text of the list, in some language. */
export type ListStrings = Translated<typeof SWEDISH_LIST>;
