import { describe, expect, test } from 'vitest';
import { maskPersonalData } from '../../../server/text/mask-personal-data.ts';
import { HOSTILE_TEXTS } from '../../helpers/hostile-texts.ts';
import { RULES, timeOf } from '../../helpers/text-rule-table.ts';

/**
 * A quadratic rule takes 16 times as long for a text four times as long, a linear one four times. A
 * pair that is too slow is measured again before it counts, and what takes no time at all passes.
 * `npx tsx tests/bench/text-rules.ts` prints the whole table for 100,000 characters.
 */
const SHORT = 6_000;
const LONG = 4 * SHORT;
const MAX_RATIO = 9;
const NO_TIME_MS = 60;
const TRIES = 5;

function isLinear(rule: (text: string) => unknown, short: string, long: string): boolean {
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < TRIES; attempt++) {
    longMs = Math.min(longMs, timeOf(rule, long));
    if (longMs < NO_TIME_MS) return true;
    shortMs = Math.min(shortMs, timeOf(rule, short));
    if (longMs < MAX_RATIO * shortMs) return true;
  }
  return false;
}

describe.each(Object.entries(RULES))('%s is linear', (_, rule) => {
  test('in every hostile text', () => {
    const slow = HOSTILE_TEXTS.filter(
      ({ ofLength }) => !isLinear(rule, ofLength(SHORT), ofLength(LONG)),
    );
    expect(slow.map(({ name }) => name)).toEqual([]);
  }, 60_000);
});

test('100,000 spaces and a word between two digits are masked at once; it took over 90 s', () => {
  const text = `850709-9805 1${' '.repeat(100_000)}x 2`;
  expect(timeOf((hostile) => maskPersonalData(hostile, 'sv'), text)).toBeLessThan(2_000);
});
