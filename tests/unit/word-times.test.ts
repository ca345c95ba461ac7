import { describe, expect, test } from 'vitest';
import { timesIn } from '../../workers/upload/word-times.ts';

const word = (text: string, startMs: number, certainty?: number) => ({
  ...{ text, startMs, endMs: startMs + 90 },
  ...(certainty !== undefined && { certainty }),
});
const PARTS = [
  { text: 'hej på', startMs: 0, endMs: 200, words: [word('hej', 0, 0.8), word('på', 1_100)] },
  { text: 'dig.', startMs: 2_000, endMs: 2_100, words: [word('dig.', 2_000, 1)] },
];

describe('the times in an answer', () => {
  test('are in the dictation: between a chunk’s ranges something was left out', () => {
    const ranges = [
      { startSample: 16_000, endSample: 32_000 },
      { startSample: 80_000, endSample: 160_000 },
    ];
    expect(timesIn(PARTS, 'hej på dig.', ranges)).toEqual([
      { startMs: 1_000, endMs: 1_090, certainty: 0.8 },
      { startMs: 5_100, endMs: 5_190 },
      { startMs: 6_000, endMs: 6_090, certainty: 1 },
    ]);
    expect(timesIn(PARTS, 'hej på dig.', undefined)?.[1]).toEqual({ startMs: 1_100, endMs: 1_190 });
  });

  test.each<[string, unknown, string]>([
    ['words that were taken out', PARTS, 'hej dig.'],
    ['other words', PARTS, 'hej på mig.'],
    ['more words', PARTS, 'hej på dig. Hej.'],
    ['a part without words', [PARTS[0], { text: 'dig.', startMs: 0, endMs: 9 }], 'hej på dig.'],
    ['a time that is none', [{ words: [{ ...word('hej', 0), endMs: null }] }], 'hej'],
    ['a time before it', [{ words: [word('hej', -1)] }], 'hej'],
    ['no list', { words: [] }, 'hej'],
    ['nothing', [null, 3, 'hej'], 'hej'],
    ['no text', [], ''],
  ])('%s: none', (_, parts, text) => {
    expect(timesIn(parts, text, undefined)).toBeNull();
  });
});
