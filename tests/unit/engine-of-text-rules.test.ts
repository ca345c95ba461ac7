import { expect, test } from 'vitest';
import {
  createTextRules,
  DEFAULT_TEXT_RULES,
  type TextRuleChoices,
} from '../../src/core/text/text-rules.ts';
import { expectLinear } from '../helpers/expect-linear.ts';
import { HOSTILE_TEXTS } from '../helpers/hostile-texts.ts';

const NOW = new Date(2026, 10, 27, 9, 5);
const SV = { language: 'sv', now: NOW };
const ALL: TextRuleChoices = {
  ownWords: true,
  structure: true,
  marks: true,
  control: true,
  numbers: true,
  fillers: 'full',
  replacements: true,
};
const NONE: TextRuleChoices = {
  ownWords: false,
  structure: false,
  marks: false,
  control: false,
  numbers: false,
  fillers: 'off',
  replacements: false,
};
const LISTS = {
  vocabulary: [{ write: 'Sjöqvist' }, { write: 'metoprolol' }],
  replacements: [
    { say: 'mvh', write: 'Eh, ny rad. Tjugofem {markör}Sjökvist' },
    { say: 'status', write: 'AT: ua.', needsKeyWord: true },
  ],
};
const applyAll = createTextRules({ rules: ALL, ...LISTS });

const PLAIN = {
  command: null,
  snippets: [],
  cursor: null,
  fixed: { start: false, end: false },
  owed: '',
};

test.each([
  [
    'Eh, Sjökvist tar fem milligram, metroprolol. Ny rad. Hon, hon sover. Punkt.',
    'Sjöqvist tar 5 mg, metoprolol.\nHon sover.',
  ],
  ['Blodtryck hundratjugo genom åttio, punkt, nytt stycke, eh, bra.', 'Blodtryck 120/80.\n\nBra.'],
  ['Ingenting att göra.', 'Ingenting att göra.'],
])('every rule, in its order: %j', (heard, text) => {
  expect(applyAll(heard, SV)).toMatchObject({ command: null, cursor: null, text, isEmpty: false });
});

test('a name of one’s own keeps its capital, wherever it goes', () => {
  const place = { before: 'Hon har ', after: 'och hostar' };
  const names = createTextRules({
    rules: DEFAULT_TEXT_RULES,
    vocabulary: [{ write: 'Trimbow' }, { write: 'Stora Höga' }, { write: 'metoprolol' }],
  });
  const fitted = (heard: string) => names(heard, { ...SV, place }).text;
  expect(fitted('Trimbow 50.')).toBe('Trimbow 50');
  expect(fitted('Stora Höga, hem.')).toBe('Stora Höga, hem');
  expect(fitted('Stora bekymmer.')).toBe('stora bekymmer');
  expect(fitted('Metoprolol 50.')).toBe('metoprolol 50');
  // For a field that fits it later.
  expect(names('Trimbow 50.', SV).snippets).toEqual([{ text: 'Trimbow', cursor: null }]);
  const off = createTextRules({
    rules: { ...DEFAULT_TEXT_RULES, ownWords: false },
    vocabulary: [{ write: 'Trimbow' }],
  });
  expect(off('Trimbow 50.', { ...SV, place }).text).toBe('trimbow 50');
});

test('what a snippet writes, no other rule touches', () => {
  const { text, cursor, fixed } = applyAll('mvh', SV);
  expect(text).toBe('Eh, ny rad. Tjugofem Sjökvist');
  expect(cursor).toBe('Eh, ny rad. Tjugofem '.length);
  expect(fixed).toEqual({ start: true, end: true });
  const place = { before: 'Hon har ', after: ' och' };
  expect(applyAll('Autotext status', { ...SV, place }).text).toBe('AT: ua.');
});

test('the place is last', () => {
  const place = { before: 'Hon har ', after: 'och hostar' };
  expect(applyAll('Eh, ont i magen.', { ...SV, place })).toEqual({
    ...PLAIN,
    text: 'ont i magen',
    isEmpty: false,
    owed: '.',
  });
});

test.each([
  ['Eh.', '', true],
  ['', '', true],
  [' \n', ' \n', true],
  ['Ny rad.', '\n', false],
  ['Nytt stycke', '\n\n', false],
  ['Punkt.', '.', false],
])('%j is %j; nothing: %j', (heard, text, isEmpty) => {
  expect(applyAll(heard, SV)).toEqual({ ...PLAIN, text, isEmpty });
});

test('a command comes with no text', () => {
  expect(applyAll('Stryk det.', { ...SV, standsAlone: true })).toEqual({
    ...PLAIN,
    text: '',
    isEmpty: true,
    command: 'strike',
  });
});

test('only a piece that stands alone is a command', () => {
  const { text, command } = applyAll('Stryk det.', SV);
  expect([text, command]).toEqual(['Stryk det.', null]);
});

test('as chosen by nobody: marks are words, numbers are, and nothing is struck out', () => {
  const apply = createTextRules({ rules: DEFAULT_TEXT_RULES });
  expect(apply('Eh, tjugofem. Punkt. Ny rad. Ja.', SV).text).toBe('Tjugofem. Punkt.\nJa.');
  expect(apply('Stryk det.', SV)).toEqual({ ...PLAIN, text: 'Stryk det.', isEmpty: false });
});

test('with every rule off, and in other languages, byte for byte', () => {
  const off = createTextRules({ rules: NONE, ...LISTS });
  const heard = 'Eh, Sjökvist, mvh, tjugofem milligram. Ny rad.  Punkt.\n';
  expect(off(heard, SV).text).toBe(heard);
  const apply = createTextRules({ rules: ALL });
  expect(apply(heard, { ...SV, language: 'de' }).text).toBe(heard);
  for (const { ofLength } of HOSTILE_TEXTS) {
    expect(off(ofLength(2_000), SV).text).toBe(ofLength(2_000));
  }
});

test('linear time, all of them', () => {
  // Each rule by itself is tried with all texts there are.
  const some = HOSTILE_TEXTS.slice(0, 5);
  expectLinear((text) => applyAll(text, SV), ['eh, punkt. tjugofem mvh sjö kvist ', 'mvh '], some);
});
