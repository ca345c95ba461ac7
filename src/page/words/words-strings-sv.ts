import type { Translated } from '../../core/translated.ts';

const snippetsIn = (count: number): string =>
  count === 1 ? '1 textsnutt' : `${count.toLocaleString('sv')} textsnuttar`;

/** The texts of own words, snippets and commands, in Swedish. */
export const WORDS_SWEDISH = {
  title: 'Mina ord och kommandon',
  refused: 'Webbläsaren kan inte spara. Ändringarna gäller tills du lämnar sidan.',
  words: {
    title: 'Mina ord',
    about: 'Namn och termer som annars blir fel. De skrivs som du skriver dem här.',
    word: 'Ord eller namn',
    sounds: 'Låter som (om det låter annorlunda)',
    add: 'Lägg till',
    save: 'Spara',
    cancel: 'Avbryt',
    edit: (word: string) => `Ändra ${word}`,
    remove: (word: string) => `Ta bort ${word}`,
    added: (word: string) => `${word} finns nu i dina ord.`,
    removed: (word: string) => `${word} är borttaget.`,
    noLetter: 'Skriv ett ord eller namn, högst fyra ord.',
    full: 'Listan är full: 5\u00a0000 ord ryms.',
    search: (count: number) => `Sök bland ${count.toLocaleString('sv')} ord`,
    none: 'Inga ord än.',
    notFound: 'Inget ord hittades.',
    more: (count: number) => `Visa fler (${count.toLocaleString('sv')} till)`,
    soundsLike: (sounds: string) => `låter som ${sounds}`,
    paste: 'Lägg till många på en gång',
    pasteHelp:
      'Ett ord på varje rad. Efter ett semikolon kan du skriva hur det låter: Sjöqvist; sjökvist',
    pasteAdd: 'Lägg till alla',
    pasted: (added: number, refused: number) =>
      `${added === 1 ? '1 ord' : `${added.toLocaleString('sv')} ord`} har lagts till.${
        refused > 0 ? ` ${refused === 1 ? '1 rad' : `${refused} rader`} kunde inte användas.` : ''
      }`,
    learn: 'Fråga om ord som jag rättar ska läggas till',
  },
  snippets: {
    title: 'Textsnuttar',
    about: 'Säg några ord, så skrivs en hel text. Den kan ha flera rader.',
    say: 'När jag säger',
    write: 'Skriv',
    writeHelp: '{datum} och {tid} blir dagens datum och tid, och markören hamnar vid {markör}.',
    needsKeyWord: 'Bara när jag säger ”autotext” först',
    add: 'Lägg till',
    save: 'Spara',
    cancel: 'Avbryt',
    edit: (say: string) => `Ändra ${say}`,
    remove: (say: string) => `Ta bort ${say}`,
    added: (say: string) => `${say} finns nu bland dina textsnuttar.`,
    removed: (say: string) => `${say} är borttagen.`,
    incomplete: 'Fyll i både vad du säger och vad som ska skrivas.',
    none: 'Inga textsnuttar än.',
  },
  rules: {
    title: 'Det här görs med texten',
    ownWords: 'Rätta mina ord',
    structure: 'Nya rader och stycken när jag säger det',
    control: 'Stryka, ångra och stoppa när jag säger det',
    controlHelp:
      'Bara när det sägs för sig, medan orden visas eller skrivs löpande. Vad som hördes sparas.',
    marks: 'Skiljetecken när jag säger dem',
    marksHelp: 'De flesta servrar sätter punkt och komma själva.',
    numbers: 'Siffror och enheter',
    numbersHelp: '”Fem milligram” blir 5 mg, ”hundratjugo genom åttio” blir 120/80.',
    replacements: 'Textsnuttar',
    fillers: 'Tvekljud och omtag',
    fillerLevels: {
      off: 'Skriv allt',
      light: 'Ta bort ”eh”, ”öh” och ord som upprepas',
      full: 'Ta också bort ”liksom”, ”alltså” och avbrutna ord',
    },
  },
  commands: {
    title: 'Alla kommandon',
    about:
      'Ett kommando gäller när det sägs för sig, med en liten paus före och efter. Säg ”ordagrant” före för att skriva själva ordet.',
    languages: { sv: 'På svenska', en: 'På engelska' },
    say: 'Säg',
    gives: 'Det blir',
    writes: {
      '\n': 'ny rad',
      '\n\n': 'nytt stycke',
    },
    capital: 'stor bokstav på nästa ord',
    literally: 'nästa kommando skrivs som ord',
    strike: 'det senast sagda tas bort',
    undo: 'det senaste ångras',
    stop: 'inspelningen avslutas',
    isOff: '(avstängt)',
  },
  learn: {
    title: 'Mina ord',
    ask: (word: string) => `Lägg till ${word} i Mina ord?`,
    yes: 'Lägg till',
    no: 'Nej tack',
  },
  file: {
    title: 'Flytta till en annan dator',
    export: 'Spara som fil',
    import: 'Hämta från fil',
    importHelp:
      'En fil som du har sparat här, eller en lista med ett ord per rad (text eller CSV).',
    name: 'mina-ord.json',
    imported: (words: number, snippets: number, refused: number) =>
      `${words.toLocaleString('sv')} ord och ${snippetsIn(snippets)} har hämtats.${
        refused > 0 ? ` ${refused} kunde inte användas.` : ''
      }`,
    broken: 'Filen kunde inte läsas.',
  },
  shared: {
    title: 'Från servern',
    about: (words: number, snippets: number) =>
      `Den som sköter servern har lagt till ${words.toLocaleString('sv')} ord och ${snippetsIn(snippets)} för alla. De kan inte ändras här.`,
  },
} as const;

/** Those texts, in some language. */
export type WordsStrings = Translated<typeof WORDS_SWEDISH>;
