import type { Dictation } from '../../core/contracts/dictation.ts';

/**
 * Tries chunks in a language once more that a server without it has refused: one that has it, or is
 * getting it, takes them. Refused again, they are offered as before.
 */
export function retryRefused(dictation: Dictation, language: string): void {
  for (const { id, options, state } of dictation.getSnapshot().queue.items) {
    if (state.kind === 'parked' && options.language === language) dictation.retry(id);
  }
}
