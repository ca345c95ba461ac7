import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collapseNewlines, fitNewlines, surplusNewlines } from '../../src/field/insertion-text.ts';

const SEED = { seed: 20_260 };
const text = fc.string({ unit: fc.constantFrom('\n', '\n', 'a', ' ', '\r'), maxLength: 20 });
const collapsedText = text.map(collapseNewlines);

test.each([
  ['', ''],
  ['a\nb', 'a\nb'],
  ['a\n\nb', 'a\n\nb'],
  ['a\n\n\nb', 'a\n\nb'],
  ['\n\n\n\na\n\n\n', '\n\na\n\n'],
  ['a\r\n\r\n\r\nb', 'a\n\nb'],
  ['a\r\r\rb', 'a\n\nb'],
  ['a\n \n\nb', 'a\n \n\nb'],
  ['a\u2028b\u2029c', 'a\nb\nc'],
])('%j collapses to %j', (input, output) => {
  expect(collapseNewlines(input)).toBe(output);
});

describe('a text between neighbours', () => {
  test.each([
    ['a', 'x', 'b', 'x'],
    ['a\n\n', '\n\nx\n\n', '\nb', 'x\n'],
    ['a\n', '\n\nx', '', '\nx'],
    ['a\n', '\n\n', '\nb', ''],
    ['a\n', '\n\n', 'b', '\n'],
    ['a', '\n\n\n', 'b', '\n\n'],
    ['a\n\n\n\n', '\nx', 'b', 'x'],
    ['a\n\n\n\n', '\n', 'b', ''],
  ])('%j + %j + %j: %j goes in', (before, input, after, output) => {
    expect(fitNewlines(input, before, after)).toBe(output);
  });

  test('never makes three newlines of collapsed neighbours, and loses nothing but newlines', () => {
    fc.assert(
      fc.property(collapsedText, text, collapsedText, (before, input, after) => {
        // Neighbours that meet with three newlines of their own are not the text's doing.
        fc.pre(input.replace(/[\n\r]/g, '') !== '' || !/\n{3}/.test(before + after));
        const fitted = fitNewlines(input, before, after);
        expect(before + fitted + after).not.toMatch(/\n{3}/);
        expect(fitted.replaceAll('\n', '')).toBe(input.replace(/[\n\r]/g, ''));
      }),
      SEED,
    );
  });
});

test('taking out the surplus is collapsing', () => {
  fc.assert(
    fc.property(text, (input) => {
      const lined = input.replaceAll('\r', '\n');
      let taken = lined;
      for (const { start, end } of surplusNewlines(lined).reverse()) {
        taken = taken.slice(0, start) + taken.slice(end);
      }
      expect(taken).toBe(collapseNewlines(lined));
    }),
    SEED,
  );
});
