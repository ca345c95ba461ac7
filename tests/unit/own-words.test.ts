import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { createWordCorrector } from '../../src/core/text/own-words.ts';
import { isNearKey, phoneticKey } from '../../src/core/text/phonetic-key.ts';
import {
  exportVocabulary,
  MAX_ENTRIES,
  parseVocabulary,
  promptOf,
} from '../../src/core/text/vocabulary.ts';
import { expectLinear } from '../helpers/expect-linear.ts';
import { OWN_WORDS } from '../helpers/own-word-cases.ts';

const FRAMES = {
  sv: (heard: string) => `Vi talade med ${heard} i går, men inte länge.`,
  en: (heard: string) => `We spoke with ${heard} today, but not for long.`,
};

const correctorOf = (words: readonly string[], language = 'sv') =>
  createWordCorrector(
    words.map((write) => ({ write })),
    language,
  );

describe.each(['sv', 'en'] as const)(
  'errors that recognisers make of names and terms (%s)',
  (language) => {
    const { entries, errors } = OWN_WORDS[language];
    const correct = correctorOf(entries, language);
    const frame = FRAMES[language];
    const written = errors.map(({ heard, write }) => ({
      heard,
      write,
      text: correct(frame(heard)),
    }));

    test('at least four of five are corrected', () => {
      const right = written.filter(({ write, text }) => text === frame(write));
      expect(right.length / errors.length).toBeGreaterThanOrEqual(0.8);
    });

    test('none becomes another word', () => {
      const wrong = written.filter(
        ({ heard, write, text }) => text !== frame(write) && text !== frame(heard),
      );
      expect(wrong).toEqual([]);
    });

    test('what is right stays, and what is corrected is right', () => {
      for (const entry of entries) expect(correct(frame(entry))).toBe(frame(entry));
      for (const { text } of written) expect(correct(text)).toBe(text);
    });
  },
);

/** Cases that the rules were not tuned on. */
describe('held out', () => {
  const heard = JSON.parse(
    readFileSync(new URL('../fixtures/heard-words.json', import.meta.url), 'utf8'),
  ) as readonly (readonly [kind: string, word: string, voice: string, text: string])[];
  const words = [...new Set(heard.map(([, word]) => word))];

  test('of what a small engine made of synthetic speech nothing becomes another word', () => {
    const correct = correctorOf(words, 'en');
    const has = (text: string, word: string) => text.toLowerCase().includes(word.toLowerCase());
    const wrong = heard.filter(([, word, , text]) => {
      const corrected = correct(text);
      return corrected.toLowerCase() !== text.toLowerCase() && !has(corrected, word);
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['sv', ['diklofenak', 'litium']],
    ['en', ['acyclovir', 'codeine']],
  ] as const)(
    'of 20,000 words of a dictionary (%s) only other spellings change',
    (language, same) => {
      const file = createRequire(import.meta.url).resolve(`dictionary-${language}`);
      const dictionary = readFileSync(file.replace(/index\.js$/, 'index.dic'), 'utf8');
      const all = dictionary
        .split('\n')
        .map((line) => line.split(/[/\t ]/)[0] ?? '')
        .filter((word) => /^\p{Ll}{2,}$/u.test(word));
      const step = Math.max(1, Math.floor(all.length / 20_000));
      const ordinary = all.filter((_, at) => at % step === 0).slice(0, 20_000);
      const entries = [...words, ...OWN_WORDS.sv.entries, ...OWN_WORDS.en.entries];
      const correct = correctorOf(entries, language);
      const changed = ordinary.filter((word) => {
        const isEntry = entries.some((entry) => entry.toLowerCase() === word);
        return !isEntry && correct(`det var ${word} i dag`) !== `det var ${word} i dag`;
      });
      expect(ordinary).toHaveLength(20_000);
      expect(changed).toEqual(same);
    },
  );

  test.each([
    ['Eliquis', 'Han tar elikvis.', 'Han tar Eliquis.'],
    ['Furix', 'Ge furiks fyrtio.', 'Ge Furix fyrtio.'],
    ['Trombyl', 'Insatt på trombil.', 'Insatt på Trombyl.'],
    ['Waran', 'De ser varann.', 'De ser varann.'],
    ['Persson', 'En person kom.', 'En person kom.'],
    ['Wester', 'Vinden går mot väster.', 'Vinden går mot väster.'],
  ])('a foreign spelling of %s is heard: "%s"', (write, text, corrected) => {
    expect(correctorOf([write], 'sv')(text)).toBe(corrected);
  });

  test('"nightly" is no name in small letters', () => {
    expect(correctorOf(['Knightley'], 'en')('The nightly can be had.')).toBe(
      'The nightly can be had.',
    );
  });
});

test('there are as many errors as there should be', () => {
  expect(OWN_WORDS.sv.errors.length + OWN_WORDS.en.errors.length).toBeGreaterThanOrEqual(300);
});

test.each([
  // Words that sound and look the same, in any spelling.
  ['Sjöqvist', 'Jag såg Sjökvist.', 'Jag såg Sjöqvist.'],
  ['Sjöqvist', 'jag såg sjökvist', 'jag såg Sjöqvist'],
  ['Sjöqvist', 'Sjökvist kom.', 'Sjöqvist kom.'],
  ['Sjöqvist', 'Jag såg Sjö kvist.', 'Jag såg Sjöqvist.'],
  ['Sjöqvist', 'Jag såg Sjökvists hund.', 'Jag såg Sjöqvists hund.'],
  ['metoprolol', 'Hon tar metroprolol.', 'Hon tar metoprolol.'],
  ['metoprolol', 'Metroprolol hjälper.', 'Metoprolol hjälper.'],
  ['metoprolol', 'Hon tar Metoprolol.', 'Hon tar metoprolol.'],
  ['EKG', 'Ett ekg togs.', 'Ett EKG togs.'],
  ['Kerstin Hjort', 'Jag såg Kerstin Jort.', 'Jag såg Kerstin Hjort.'],
  ['Xarelto', 'Hon tar Sarelto.', 'Hon tar Xarelto.'],
  // Ordinary words, other names, and parts of words.
  ['Berg', 'ett berg och en sjö', 'ett berg och en sjö'],
  ['Hjelm', 'Hon har hjälm.', 'Hon har hjälm.'],
  ['Heller', 'Inte jag heller.', 'Inte jag heller.'],
  ['Stiller', 'Hon ställer frågor.', 'Hon ställer frågor.'],
  ['Skalman', 'Då skall man gå.', 'Då skall man gå.'],
  ['Pålänge', 'Inte på länge!', 'Inte på länge!'],
  ['Holberg', 'Jag såg Holmberg.', 'Jag såg Holmberg.'],
  ['Jake', 'Jag såg Jack.', 'Jag såg Jack.'],
  ['Sara', 'Sahara är stort.', 'Sahara är stort.'],
  ['Lind', 'Lindas mor.', 'Lindas mor.'],
  ['Mann', 'HUR MAN GÖR', 'HUR MAN GÖR'],
  ['digoxin', 'dioxin är gift', 'dioxin är gift'],
  ['Sverige', 'Sveriges lag', 'Sveriges lag'],
  // Terms that are one sound from another of the same kind.
  ['hyperkalcemi', 'Hon har hyperkalemi.', 'Hon har hyperkalemi.'],
  ['hyperkalemi', 'Hon har hyperkalcemi.', 'Hon har hyperkalcemi.'],
  ['hypertoni', 'Hon har hypotoni.', 'Hon har hypotoni.'],
  ['abduktion', 'Vid adduktion.', 'Vid adduktion.'],
  ['peroneal', 'perineal smärta', 'perineal smärta'],
  ['hyperglykemi', 'hypoglykemi', 'hypoglykemi'],
  ['klonazepam', 'klobazepam', 'klobazepam'],
  ['losartan', 'valsartan', 'valsartan'],
  ['propranolol', 'propanol', 'propanol'],
  ['fluoxetin', 'paroxetin', 'paroxetin'],
  ['nifedipin', 'nimodipin', 'nimodipin'],
  ['prednisolon', 'prednison', 'prednison'],
  ['digoxin', 'digitoxin', 'digitoxin'],
  ['oxazepam', 'lorazepam', 'lorazepam'],
  ['klonidin', 'klozapin', 'klozapin'],
  ['adrenalin', 'noradrenalin', 'noradrenalin'],
  ['imipramin', 'trimipramin', 'trimipramin'],
  ['karbamazepin', 'oxkarbazepin', 'oxkarbazepin'],
  ['is', 'I is.', 'I is.'],
])('%j: %j, %j', (write, heard, written) => {
  expect(correctorOf([write])(heard)).toBe(written);
});

test('a dictionary tells names from words', () => {
  const words = new Set(['heller', 'sjöqvist-ish']);
  const correct = createWordCorrector([{ write: 'Heller' }, { write: 'Sjöqvist' }], 'sv', (word) =>
    words.has(word),
  );
  expect(correct('inte heller sjöqvist')).toBe('inte heller Sjöqvist');
});

test('an entry is no piece of another', () => {
  const correct = correctorOf(['zopiklon', 'Kerstin Hjort']);
  expect(correct('s zopiklon, I zopiklon')).toBe('s zopiklon, I zopiklon');
});

test('how it sounds is meant to the letter', () => {
  const correct = createWordCorrector([{ write: 'n8n', soundsLike: ['n åtta n'] }], 'sv');
  expect(correct('Vi kör n åtta n här.')).toBe('Vi kör n8n här.');
});

test('without a vocabulary, byte for byte', () => {
  const text = ' Sjökvist  kom…\n';
  expect(correctorOf([])(text)).toBe(text);
  expect(correctorOf(['Sjöqvist'])(' Ingen  kom…\n')).toBe(' Ingen  kom…\n');
});

test.each([
  ['sjöqvist', 'schökvist', false, true],
  ['carlsson', 'karlsson', false, true],
  ['göran', 'jöran', false, true],
  ['wahlström', 'valström', false, true],
  ['philip', 'filip', true, true],
  ['knight', 'night', true, true],
  ['berg', 'borg', false, false],
  ['lind', 'lund', false, false],
])('%s and %s', (one, other, isEnglish, isSame) => {
  expect(phoneticKey(one, isEnglish) === phoneticKey(other, isEnglish)).toBe(isSame);
});

test('keys that are one sound apart', () => {
  expect(isNearKey('metoprolol', 'metroprolol')).toBe(true);
  expect(isNearKey('digoksin', 'dioksin')).toBe(true);
  expect(isNearKey('kodein', 'kodeins')).toBe(false);
  expect(isNearKey('losartan', 'valsartan')).toBe(false);
});

test('linear time, with 5,000 entries', () => {
  const many = Array.from(
    { length: MAX_ENTRIES },
    (_, at) => `ab${'cdefghij'.charAt(at % 8)}${at}`,
  );
  const correct = correctorOf([...many, 'Anna Maria Sjöqvist', 'aaaaaaaa']);
  expectLinear(correct, ['Sjö kvist ', 'a a a a ', 'Abcd ', 'aaaaaaa ', 'Anna Maria ']);
});

describe('a list of words', () => {
  test.each([
    ['Sjöqvist\nAlvedon', [{ write: 'Sjöqvist' }, { write: 'Alvedon' }]],
    [
      '\ufeffSjöqvist;sjökvist\r\nAlvedon',
      [{ write: 'Sjöqvist', soundsLike: ['sjökvist'] }, { write: 'Alvedon' }],
    ],
    [
      'skriv;låter som\nn8n;n åtta n;en åtta en',
      [{ write: 'n8n', soundsLike: ['n åtta n', 'en åtta en'] }],
    ],
    ['Anna, ana', [{ write: 'Anna', soundsLike: ['ana'] }]],
    ['A\tb', [{ write: 'A', soundsLike: ['b'] }]],
    ['"Berg; Lund";"säg ""hej"""', [{ write: 'Berg; Lund', soundsLike: ['säg "hej"'] }]],
    ['Anna;x\nAnna;y', [{ write: 'Anna', soundsLike: ['x', 'y'] }]],
    ['ord', [{ write: 'ord' }]],
    ['"Anna\nBo', [{ write: 'Anna' }, { write: 'Bo' }]],
    ['  Kerstin   Hjort \n\n', [{ write: 'Kerstin Hjort' }]],
    ['A\u030ake', [{ write: 'Åke' }]],
    ['', []],
  ])('%j', (text, entries) => {
    expect(parseVocabulary(text)).toEqual({ entries, refused: 0, surplus: 0 });
  });

  test('what is no word is refused, and what is too much is counted', () => {
    const list = Array.from({ length: MAX_ENTRIES + 3 }, (_, at) => `ord${at}`).join('\n');
    const { entries, surplus } = parseVocabulary(list);
    expect([entries.length, surplus]).toEqual([MAX_ENTRIES, 3]);
    const refused = ['123', '-', 'ett två tre fyra fem', 'a'.repeat(81)].join('\n');
    expect(parseVocabulary(`${refused}\nAnna`)).toEqual({
      entries: [{ write: 'Anna' }],
      refused: 4,
      surplus: 0,
    });
  });

  test('exported and imported it is the same', () => {
    const { entries } = parseVocabulary('Anna;ana\n"Berg; Lund"\nn8n;"n ""åtta"" n"');
    expect(parseVocabulary(exportVocabulary(entries)).entries).toEqual(entries);
  });

  test('linear time', () => {
    expectLinear(parseVocabulary, ['"', '""', 'a;', 'a\n', '"a\n', ';', 'a b\n']);
  });

  test('a prompt has those said most, as far as there is room', () => {
    const entries = [{ write: 'Anna' }, { write: 'Bo', uses: 3 }, { write: 'Cecilia', uses: 1 }];
    expect(promptOf(entries, 100)).toBe('Bo, Cecilia, Anna');
    expect(promptOf(entries, 12)).toBe('Bo, Cecilia');
    expect(promptOf(entries, 1)).toBe('');
    expect(promptOf([], 100)).toBe('');
  });
});
