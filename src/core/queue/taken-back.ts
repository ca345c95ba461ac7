import { isNothing } from '../blank-text.ts';

/**
 * The text of a live piece in which something was wanted done: a control character, which no answer
 * of a server has, since blank answers are empty. Joined, it takes back the piece before it, or what
 * was done last. A text may stand behind some of them.
 */
export const SPOKEN_CONTROL = { strike: '\u0018', undo: '\u001a', stop: '\u0003' } as const;

const CONTROLS: ReadonlySet<string> = new Set(Object.values(SPOKEN_CONTROL));

/** A text without what is wanted done before it. */
export function withoutControls(text: string): string {
  let at = 0;
  while (CONTROLS.has(text.charAt(at))) at += 1;
  return text.slice(at);
}

/** True if a text has no word in it, no line break that was said, and nothing that is wanted done. */
export function saysNothing(text: string): boolean {
  return isNothing(text) && !CONTROLS.has(text.charAt(0));
}

type Standing = { readonly number: number; readonly before: Standing | null };

/** The numbers of the transcripts with a text that was not taken back, in the order of speech. */
export function standingNumbers(transcriptions: ReadonlyMap<number, string>): readonly number[] {
  /** As it stood after each step that can be undone. */
  const steps: (Standing | null)[] = [null];
  for (const [number, text] of [...transcriptions].sort(([a], [b]) => a - b)) {
    const words = withoutControls(text);
    for (const control of text.slice(0, text.length - words.length)) {
      const before = steps.at(-1);
      if (control === SPOKEN_CONTROL.undo && steps.length > 1) steps.pop();
      else if (control === SPOKEN_CONTROL.strike && before) steps.push(before.before);
    }
    if (!isNothing(words)) steps.push({ number, before: steps.at(-1) ?? null });
  }
  const numbers: number[] = [];
  for (let one = steps.at(-1); one; one = one.before) numbers.push(one.number);
  return numbers.reverse();
}
