import { expect } from 'vitest';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { timeOf } from './text-rule-table.ts';

const LENGTH = 100_000;

/** Twice the text may take this many times as long: much less than the four times of a square. */
const MOST_TIMES = 2.7;

/** Less is noise of the machine. */
const NOISE_MS = 10;

/**
 * Fails where a rule takes much more than twice as long for twice the text, over the hostile texts
 * and the stretches given.
 */
export function expectLinear(
  rule: (text: string) => unknown,
  stretches: readonly string[],
  hostile = HOSTILE_TEXTS,
): void {
  const texts = [
    ...hostile,
    ...stretches.map((stretch) => ({
      name: stretch,
      ofLength: (length: number) => stretch.repeat(Math.ceil(length / stretch.length)),
    })),
  ];
  for (const { name, ofLength } of texts) {
    const [half, whole] = [ofLength(LENGTH / 2), ofLength(LENGTH)];
    const ratio = () => timeOf(rule, whole) / (timeOf(rule, half) + NOISE_MS);
    // Measured anew where others on the machine may have been in the way.
    const isLinear = [1, 2, 3].some(() => ratio() < MOST_TIMES);
    expect(isLinear, name).toBe(true);
  }
}
