import { expect, test } from 'vitest';
import { insertionText } from '../../src/field/insertion-text.ts';

const SPEC = { spacing: 'spec', isMultiline: true } as const;
const SMART = { spacing: 'smart', isMultiline: true } as const;

test.each([
  ['', 'hej', '', ' hej'],
  ['a ', 'hej', 'b', ' hej'],
  ['a\n', 'hej', '', ' hej'],
  ['a', '. Och', '', ' . Och'],
  ['a', ' hej', '', '  hej'],
])('spec: one space in front, always (%j + %j)', (before, text, after, expected) => {
  expect(insertionText(text, { before, after }, SPEC)).toBe(expected);
});

test.each([
  ['', 'hej', 'hej'],
  ['a', 'hej', ' hej'],
  ['a ', 'hej', 'hej'],
  ['a\n', 'hej', 'hej'],
  ['a\u00A0', 'hej', 'hej'],
  ['(', 'hej', 'hej'],
  ['a.', 'Hej', ' Hej'],
  ['a', ', hej', ', hej'],
  ['a', ') hej', ') hej'],
  ['a', ' hej', ' hej'],
  ['a', '\nhej', '\nhej'],
  ['sa', '”hej”', ' ”hej”'],
])('smart: after %j comes %j as %j', (before, text, expected) => {
  expect(insertionText(text, { before, after: '' }, SMART)).toBe(expected);
});

test.each(['', ' ', '\n\n', '\u200b', ' \u2060\ufeff\n', '\u00ad'])('%j is nothing', (text) => {
  expect(insertionText(text, { before: 'a', after: '' }, SPEC)).toBe('');
});

test('one line only: spaces for newlines', () => {
  const rules = { spacing: 'spec', isMultiline: false } as const;
  expect(insertionText('ett \r\n\n två\n', { before: '', after: '' }, rules)).toBe(' ett två');
});
