import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskPersonalData } from '../../../server/text/mask-personal-data.ts';
import { score } from '../../helpers/personal-data/score.ts';
import { type LabelledSentence, makeSentences } from '../../helpers/personal-data/sentences.ts';
import { NEGATIVES, POSITIVES } from './personal-data-corpus.ts';

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

  test.each([
    ['first', 11],
    ['second', 12],
    ['third', 13],
  ] as const)('on the %s set of made sentences', (set, seed) => {
    expectGood(`${set} set`, makeSentences(seed, set, 1_500));
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
