import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskPersonalData } from '../../../server/text/mask-personal-data.ts';
import { NEGATIVES, POSITIVES } from './personal-data-corpus.ts';

const said = (sentence: string) => sentence.replace(/\{[^|}]+\|([^}]*)\}/g, '$1');
const wanted = (sentence: string) => sentence.replace(/\{([^|}]+)\|[^}]*\}/g, '[$1]');
const placeholders = (text: string) => text.match(/\[[a-zé-]+\]/g) ?? [];
const languageOf = (sentence: string) =>
  /\b(is|my|the|she|he|me|call|send|write|it|we|use)\b/i.test(sentence) ? 'en' : 'sv';

/** How many of `found` are among `expected`, each counted once. */
function matches(found: readonly string[], expected: readonly string[]): number {
  const left = [...expected];
  return found.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}

describe('the corpus of personal data', () => {
  test('precision is at least 0.98 and recall at least 0.95', () => {
    let [right, found, expected] = [0, 0, 0];
    const wrong: string[] = [];
    for (const sentence of [...POSITIVES, ...NEGATIVES]) {
      const masked = maskPersonalData(said(sentence), languageOf(sentence));
      const isExact = masked === wanted(sentence);
      if (!isExact) wrong.push(`${sentence}\n  -> ${masked}`);
      const [inText, inWanted] = [placeholders(masked), placeholders(wanted(sentence))];
      // A placeholder in the wrong place is no hit.
      right += isExact ? inWanted.length : Math.min(matches(inText, inWanted), inWanted.length - 1);
      found += inText.length;
      expected += inWanted.length;
    }
    const [precision, recall] = [right / found, right / expected];
    console.info(
      `personal data: precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}, ` +
        `${expected} to find in ${POSITIVES.length} sentences, ${NEGATIVES.length} with none`,
    );
    expect(precision, wrong.join('\n')).toBeGreaterThanOrEqual(0.98);
    expect(recall, wrong.join('\n')).toBeGreaterThanOrEqual(0.95);
  });

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
    const startedMs = performance.now();
    maskPersonalData(text, 'sv');
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
