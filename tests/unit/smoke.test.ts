import { expect, test } from 'vitest';
import { msToSamples } from '../../src/core/audio-format.ts';

test('90 s is 1,440,000 samples', () => {
  expect(msToSamples(90_000)).toBe(1_440_000);
});
