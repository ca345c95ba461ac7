import { maskPersonalData } from '../../../server/text/mask-personal-data.ts';
import type { LabelledSentence } from './sentences.ts';

/** How well the rules did on some sentences. */
export type Score = {
  /** Of the placeholders set, those that were right. */
  readonly precision: number;
  /** Of the things to find, those that were found. */
  readonly recall: number;
  /** How many there were to find. */
  readonly expected: number;
  /** Each sentence that came out wrong, with what came out. */
  readonly wrong: readonly string[];
};

/** The sentence as it is said, without the marks. */
export const said = (text: string) => text.replace(/\{[^|}]+\|([^}]*)\}/g, '$1');
/** The sentence as it comes out. */
export const wanted = (text: string) => text.replace(/\{([^|}]+)\|[^}]*\}/g, '[$1]');
const placeholders = (text: string) => text.match(/\[[a-zé-]+\]/g) ?? [];

/** Masks every sentence and counts. */
export function score(sentences: readonly LabelledSentence[]): Score {
  let [right, found, expected] = [0, 0, 0];
  const wrong: string[] = [];
  for (const { text, speech } of sentences) {
    const masked = maskPersonalData(said(text), speech);
    const isExact = masked === wanted(text);
    if (!isExact) wrong.push(`${text}\n  -> ${masked}`);
    const [inText, inWanted] = [placeholders(masked), placeholders(wanted(text))];
    // A placeholder in the wrong place is no hit.
    right += isExact
      ? inWanted.length
      : Math.max(0, Math.min(matches(inText, inWanted), inWanted.length - 1));
    found += inText.length;
    expected += inWanted.length;
  }
  return { precision: right / found, recall: right / expected, expected, wrong };
}

/** How many of `found` are among `expected`, each counted once. */
function matches(found: readonly string[], expected: readonly string[]): number {
  const left = [...expected];
  return found.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}
