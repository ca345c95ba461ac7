import type { PersonalDataKind } from '../../../server/text/find-in-runs.ts';
import { seededRandom } from '../seeded-random.ts';
import { createDice } from './dice.ts';
import { MAKERS } from './forms.ts';
import { NEGATIVES } from './negatives.ts';
import { FRAMES, LABELS, type PhraseSet } from './phrases.ts';
import type { Speech } from './spoken.ts';

/** What must be masked stands as `{kind|as said}`. */
export type LabelledSentence = { readonly text: string; readonly speech: Speech };

const KINDS = Object.keys(MAKERS) as readonly PersonalDataKind[];
const KINDS_BY_HOW_OFTEN: readonly PersonalDataKind[] = [
  ...KINDS,
  'personnummer',
  'personnummer',
  'telefonnummer',
  'telefonnummer',
];

/** `count` sentences, half of them with something to find; the same seed and set make the same. */
export function makeSentences(seed: number, set: PhraseSet, count: number): LabelledSentence[] {
  const dice = createDice(seededRandom(seed));
  return Array.from({ length: count }, (_, index) => {
    if (index % 2 === 1) return { text: dice.pick(NEGATIVES[set])(dice), speech: 'sv' };
    const speech = dice.pick(['sv', 'sv', 'sv', 'en'] as const);
    const kind = dice.pick(KINDS_BY_HOW_OFTEN);
    const label = dice.pick(LABELS[set][speech][kind]);
    const thing = `{${kind}|${MAKERS[kind](dice, speech)}}`;
    const text = dice
      .pick(FRAMES[set][speech])
      .replace('@', label)
      .replace('#', () => thing);
    return { text: text.charAt(0).toUpperCase() + text.slice(1), speech };
  });
}
