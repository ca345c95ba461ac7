import type { WordsStrings } from './words-strings-sv.ts';

const countOf = (count: number, thing: string): string =>
  count === 1 ? `1 ${thing}` : `${count.toLocaleString('en')} ${thing}s`;

/** The texts of own words, snippets and commands, in English. */
export const WORDS_ENGLISH: WordsStrings = {
  title: 'My words and commands',
  refused: 'The browser cannot save. Changes apply until you leave the page.',
  words: {
    title: 'My words',
    about: 'Names and terms that would come out wrong. They are written as you write them here.',
    word: 'Word or name',
    sounds: 'Sounds like (if it sounds different)',
    add: 'Add',
    save: 'Save',
    cancel: 'Cancel',
    edit: (word) => `Change ${word}`,
    remove: (word) => `Delete ${word}`,
    added: (word) => `${word} is one of your words now.`,
    removed: (word) => `${word} has been deleted.`,
    noLetter: 'Write a word or name, four words at most.',
    full: 'The list is full: it takes 5,000 words.',
    search: (count) => `Search ${count.toLocaleString('en')} words`,
    none: 'No words yet.',
    notFound: 'No word found.',
    more: (count) => `Show more (${count.toLocaleString('en')} left)`,
    soundsLike: (sounds) => `sounds like ${sounds}`,
    paste: 'Add many at once',
    pasteHelp:
      'One word per line. After a semicolon you can write how it sounds: Sjöqvist; sjökvist',
    pasteAdd: 'Add all',
    pasted: (added, refused) =>
      `${countOf(added, 'word')} added.${
        refused > 0 ? ` ${refused === 1 ? '1 line' : `${refused} lines`} could not be used.` : ''
      }`,
    learn: 'Offer to add words that I correct',
  },
  snippets: {
    title: 'Snippets',
    about: 'Say a few words, and a whole text is written. It can have several lines.',
    say: 'When I say',
    write: 'Write',
    writeHelp:
      '{date} and {time} become the date and time of the day, and the cursor ends up at {cursor}.',
    needsKeyWord: 'Only when I say “autotext” first',
    add: 'Add',
    save: 'Save',
    cancel: 'Cancel',
    edit: (say) => `Change ${say}`,
    remove: (say) => `Delete ${say}`,
    added: (say) => `${say} is one of your snippets now.`,
    removed: (say) => `${say} has been deleted.`,
    incomplete: 'Fill in both what you say and what to write.',
    none: 'No snippets yet.',
  },
  rules: {
    title: 'What happens to the text',
    ownWords: 'Correct my words',
    structure: 'New lines and paragraphs when I say so',
    control: 'Delete, undo and stop when I say so',
    controlHelp:
      'Only when it is said by itself, while words are shown or written as you speak. What was heard is kept.',
    marks: 'Punctuation when I say it',
    marksHelp: 'Most servers write full stops and commas by themselves.',
    numbers: 'Digits and units',
    numbersHelp: '“Five milligrams” becomes 5 mg.',
    replacements: 'Snippets',
    fillers: 'Fillers and false starts',
    fillerLevels: {
      off: 'Write everything',
      light: 'Remove “uh”, “um” and repeated words',
      full: 'Also remove “like”, “you know” and broken-off words',
    },
  },
  commands: {
    title: 'All commands',
    about:
      'A command works when you say it by itself, with a short pause before and after. Say “literal” first to write the word itself.',
    languages: { sv: 'In Swedish', en: 'In English' },
    say: 'Say',
    gives: 'You get',
    writes: {
      '\n': 'new line',
      '\n\n': 'new paragraph',
    },
    capital: 'a capital letter on the next word',
    literally: 'the next command is written as words',
    strike: 'what you said last is removed',
    undo: 'the last step is undone',
    stop: 'the recording ends',
    isOff: '(off)',
  },
  learn: {
    title: 'My words',
    ask: (word) => `Add ${word} to My words?`,
    yes: 'Add',
    no: 'No, thanks',
  },
  file: {
    title: 'Move to another computer',
    export: 'Save as a file',
    import: 'Load from a file',
    importHelp: 'A file that you saved here, or a list with one word per line (text or CSV).',
    name: 'my-words.json',
    imported: (words, snippets, refused) =>
      `${countOf(words, 'word')} and ${countOf(snippets, 'snippet')} loaded.${
        refused > 0 ? ` ${refused} could not be used.` : ''
      }`,
    broken: 'The file could not be read.',
  },
  shared: {
    title: 'From the server',
    about: (words, snippets) =>
      `Whoever runs the server has added ${countOf(words, 'word')} and ${countOf(snippets, 'snippet')} for everyone. They cannot be changed here.`,
  },
};
