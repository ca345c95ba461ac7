import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { correctSpelling, createHunspellSpellers } from '../../../server/text/correct-spelling.ts';

/** What must stay and what should be mended (`tests/fixtures/spelling`), with real dictionaries. */
const spellers = createHunspellSpellers();
beforeAll(() => spellers.load(), 40_000);

const LANGUAGES = ['sv', 'en'] as const;
const NO_WORDS: ReadonlySet<string> = new Set();

function fix(text: string, language: string, ownWords = NO_WORDS): string {
  const speller = spellers.of(language);
  if (speller === null) throw new Error(`no dictionary of ${language}`);
  return correctSpelling(text, speller, ownWords);
}

function readTable(name: string): readonly string[] {
  const path = new URL(`../../fixtures/spelling/${name}`, import.meta.url);
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => !line.startsWith('#')).flatMap((line) => line.match(/\S+/g) ?? []);
}

describe('right words', () => {
  const terms = [...new Set(readTable('terms.txt'))];

  test.each(LANGUAGES)(
    'in %s none of at least 1,000 terms is changed',
    (language) => {
      expect(terms.length).toBeGreaterThanOrEqual(1_000);
      const changed = terms.filter((term) => fix(term, language) !== term);
      expect(changed).toEqual([]);
    },
    60_000,
  );

  test.each([
    'dysphasia and aphagia',
    'digoxin och keppra samt ipren',
    'async json backend valkey',
  ])('%s stays in both languages', (text) => {
    for (const language of LANGUAGES) expect(fix(text, language)).toBe(text);
  });

  test('a letter is never changed or taken away, whatever is near', () => {
    for (const text of ['valkey', 'digoxin', 'backend', 'keppra', 'seperate', 'definately']) {
      expect(fix(text, 'en')).toBe(text);
    }
  });

  test('British spellings stay', () => {
    const british =
      'centre metres theatre litre fibre travelling traveller cancelled labelled modelling marvellous ' +
      'fulfil fulfilment enrol skilful wilful instalment focussed benefitted counsellor jewellery ' +
      'colour programme tonne waggon storey whisky anaemia oedema haemoglobin oesophagus';
    expect(british.split(' ').filter((word) => fix(word, 'en') !== word)).toEqual([]);
  });

  test('a word that comes again is meant, and so is one of the own words', () => {
    expect(fix('vi ses kanskee', 'sv')).toBe('vi ses kanske');
    expect(fix('kanskee är kanskee', 'sv')).toBe('kanskee är kanskee');
    expect(fix('vi ses kanskee', 'sv', new Set(['kanskee']))).toBe('vi ses kanskee');
  });
});

test('of 300 slips at least 60 % are mended in each language, and at most 1 % wrongly', () => {
  const outcomes = LANGUAGES.map((language) => {
    const slips = readTable(`slips-${language}.txt`).map((pair) => pair.split('>'));
    const after = slips.map(([slip = '', meant]) => ({ slip, meant, is: fix(slip, language) }));
    const mended = after.filter(({ meant, is }) => is === meant).length;
    const wrong = after.filter(({ slip, meant, is }) => is !== slip && is !== meant).length;
    console.log(`spelling, ${language}: ${mended} of ${slips.length} mended, ${wrong} wrongly`);
    expect(mended / slips.length).toBeGreaterThanOrEqual(0.6);
    return { all: slips.length, wrong };
  });
  const sum = (of: (outcome: (typeof outcomes)[number]) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  expect(sum(({ all }) => all)).toBeGreaterThanOrEqual(300);
  expect(sum(({ wrong }) => wrong)).toBeLessThanOrEqual(3);
}, 60_000);
