import { expect, test } from 'vitest';
import { createReplacer, type Replacement } from '../../src/core/text/replacements.ts';
import { expectLinear } from '../helpers/expect-linear.ts';

const LIST: readonly Replacement[] = [
  { say: 'mvh', write: 'Med vänlig hälsning' },
  { say: 'mvh anna', write: 'Med vänlig hälsning\nAnna' },
  { say: 'at', write: 'allmäntillstånd', needsKeyWord: true },
  { say: 'status', write: 'AT: {markör}\nCor: RR\nPulm: ua.', needsKeyWord: true },
  { say: 'dagens datum', write: '{datum}' },
  { say: 'klockan nu', write: '{tid}' },
  { say: 'today', write: '{date} at {time}' },
  { say: 'två', write: 'ett' },
  { say: 'ett', write: 'två' },
  { say: 'e-post', write: 'anna@example.com' },
  { say: 'Åke', write: 'Åke Holmér' },
  { say: 'ua', write: 'utan anmärkning' },
  { say: 'ua', write: 'u.a.' },
  { say: 'pris', write: '$& {cursor}kr $1' },
  { say: 'tomt', write: '' },
];

const replace = createReplacer(LIST);
const NOW = new Date(2026, 10, 27, 9, 5);
const said = (text: string, language = 'sv') => replace(text, { now: NOW, language });

test.each([
  ['Skriv mvh här.', 'Skriv Med vänlig hälsning här.'],
  ['Mvh', 'Med vänlig hälsning'],
  ['MVH.', 'Med vänlig hälsning'],
  ['Hej! Mvh Anna.', 'Hej! Med vänlig hälsning\nAnna.'],
  ['mvh anna', 'Med vänlig hälsning\nAnna'],
  ['mvh, anna', 'Med vänlig hälsning, anna'],
  ['mvhx och xmvh', 'mvhx och xmvh'],
  ['at är gott', 'at är gott'],
  ['Autotext at är gott', 'allmäntillstånd är gott'],
  ['Autotext, at är gott', 'allmäntillstånd är gott'],
  ['snippet at', 'allmäntillstånd'],
  ['autotext mvh', 'Med vänlig hälsning'],
  ['autotext okänd', 'autotext okänd'],
  ['ett två', 'två ett'],
  ['Min e-post är hemlig.', 'Min anna@example.com är hemlig.'],
  ['A\u030ake kom.', 'Åke Holmér kom.'],
  ['hjärta ua.', 'hjärta u.a.'],
  ['hjärta ua, lungor', 'hjärta u.a. lungor'],
  ['tomt', ''],
  ['Inget här.', 'Inget här.'],
  ['  Inget\n\nhär …', '  Inget\n\nhär …'],
  ['', ''],
])('%j: %j', (heard, written) => {
  expect(said(heard).text).toBe(written);
});

test('date and time, as the language has them', () => {
  expect(said('dagens datum.').text).toBe('27 november 2026');
  expect(said('Klockan nu är sen.').text).toBe('09:05 är sen.');
  expect(said('today', 'en').text).toBe('27 November 2026 at 09:05');
  expect(said('today', 'en-US').text).toMatch(/^November 27, 2026 at 9:05\sAM$/);
});

test('a place for the caret, and the text to the letter', () => {
  expect(said('Hej. Autotext status.')).toEqual({
    snippets: [{ text: 'AT: \nCor: RR\nPulm: ua.', cursor: 4 }],
    text: 'Hej. AT: \nCor: RR\nPulm: ua.',
    cursor: 9,
    fixed: { start: false, end: true },
  });
  expect(said('pris pris')).toEqual({
    snippets: [
      { text: '$& kr $1', cursor: 3 },
      { text: '$& kr $1', cursor: 3 },
    ],
    text: '$& kr $1 $& kr $1',
    cursor: 3,
    fixed: { start: true, end: true },
  });
});

test('tells what no later rule may change', () => {
  expect(said('Mvh hälsar vi').fixed).toEqual({ start: true, end: false });
  expect(said('Vi hälsar mvh').fixed).toEqual({ start: false, end: true });
  expect(said('Vi hälsar').fixed).toEqual({ start: false, end: false });
});

test('without a list, byte for byte', () => {
  const nothing = createReplacer([]);
  for (const text of ['Autotext mvh, .', ' a\n', '']) {
    expect(nothing(text, { now: NOW, language: 'sv' }).text).toBe(text);
  }
});

test('linear time, with 5,000 that begin alike', () => {
  const many = createReplacer([
    ...LIST,
    ...Array.from({ length: 5_000 }, (_, at) => ({ say: `a a a a a a a a a a ${at}`, write: 'b' })),
  ]);
  expectLinear((text) => many(text, { now: NOW, language: 'sv' }), ['a ', 'mvh ', 'autotext ']);
});
