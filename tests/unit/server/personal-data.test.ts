import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskPersonalData } from '../../../server/text/mask-personal-data.ts';
import { HOSTILE_TEXTS } from '../../helpers/hostile-texts.ts';
import {
  type LabelledSentence,
  makeSentences,
  score,
} from '../../helpers/personal-data/sentences.ts';
import { RULES, timeOf } from '../../helpers/text-rule-table.ts';
import { NEGATIVES, POSITIVES } from './personal-data-corpus.ts';

describe('masking', () => {
  const labelled = (text: string): LabelledSentence => ({
    text,
    speech: /\b(is|my|the|she|he|me|call|send|write|it|we|use)\b/i.test(text) ? 'en' : 'sv',
  });

  function expectGood(name: string, sentences: readonly LabelledSentence[]): void {
    const { precision, recall, expected, wrong } = score(sentences);
    console.info(
      `personal data, ${name}: precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}, ` +
        `${expected} to find in ${sentences.length} sentences`,
    );
    expect(precision, wrong.join('\n')).toBeGreaterThanOrEqual(0.98);
    expect(recall, wrong.join('\n')).toBeGreaterThanOrEqual(0.95);
  }

  describe('precision is at least 0.98 and recall at least 0.95', () => {
    test('on the corpus the rules were written with', () => {
      expectGood('corpus', [...POSITIVES, ...NEGATIVES].map(labelled));
    });

    test('on sentences made after the rules were done', () => {
      expectGood('made sentences', makeSentences(13, 1_500));
    });
  });

  describe('the corpus of personal data', () => {
    test.each(NEGATIVES)('leaves alone: %s', (sentence) => {
      expect(maskPersonalData(sentence, 'sv')).toBe(sentence);
    });
  });

  describe('any text', () => {
    const word = fc.oneof(
      fc.constantFrom('noll', 'sju', 'åttiofem', 'streck', 'SE', '@', 'snabel-a', 'plus', '+46'),
      fc.stringMatching(/^\d{1,12}$/),
      fc.string({ maxLength: 6 }),
    );
    const anyText = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '));

    test('masked twice is masked once, and words without numbers stay', () => {
      fc.assert(
        fc.property(anyText, (text) => {
          const once = maskPersonalData(text, 'sv');
          expect(maskPersonalData(once, 'sv')).toBe(once);
        }),
        { seed: 6, numRuns: 500 },
      );
    });

    test('of ten minutes of counting is masked quickly', () => {
      const text = 'noll sju åtta fem tre '.repeat(600);
      // Processor time: others may be using the machine.
      const before = process.cpuUsage();
      maskPersonalData(text, 'sv');
      expect(process.cpuUsage(before).user).toBeLessThan(4_000_000);
    });
  });
});

describe('time', () => {
  /**
   * A quadratic rule takes 16 times as long for a text four times as long, a linear one four times. A
   * pair that is too slow is measured again before it counts, and what takes no time at all passes.
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
});
