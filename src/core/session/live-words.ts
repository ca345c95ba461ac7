import { type AgreedWords, agree, NO_WORDS } from '../speech/live-pieces.ts';
import type { PreviewText } from './snapshot.ts';

/** The words of a session's pieces until their final texts are there. */
export type LiveWords = ReturnType<typeof createLiveWords>;

/** No words yet. */
export function createLiveWords() {
  const pieces = new Map<number, AgreedWords>();
  const done = new Set<number>();
  return {
    /** An answer to what there is of a piece. */
    heard(number: number, text: string) {
      // An answer that comes late.
      if (done.has(number)) return;
      pieces.set(number, agree(pieces.get(number) ?? NO_WORDS, text));
    },
    /** A piece has its final text, or left the session. */
    done(number: number) {
      done.add(number);
      pieces.delete(number);
    },
    /** In the order of speech: once a word may change, so may what follows it. */
    seen(): PreviewText {
      const firm: string[] = [];
      const tentative: string[] = [];
      for (const [, piece] of [...pieces].sort(([one], [other]) => one - other)) {
        (tentative.length === 0 ? firm : tentative).push(...piece.firm);
        tentative.push(...piece.tentative);
      }
      return { firm: firm.join(' '), tentative: tentative.join(' ') };
    },
  };
}
