import { expect, test } from 'vitest';
import { wordErrorRate } from '../helpers/word-error-rate.ts';

test.each([
  ['Hello, world.', 'hello world', 0],
  ['at nine in the morning', 'At 9 in the morning!', 0],
  ['one two three four', 'one two tree four', 0.25],
  ['one two three four', 'one two four', 0.25],
  ['one two three four', 'one two three and four', 0.25],
  ['one two', '', 1],
  ['one', 'a b c', 3],
  ['', '', 0],
  ['', 'words', Number.POSITIVE_INFINITY],
])('"%s" heard as "%s": %f', (spoken, heard, rate) => {
  expect(wordErrorRate(spoken, heard)).toBe(rate);
});
