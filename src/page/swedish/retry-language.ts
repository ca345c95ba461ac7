import type { Dictation } from '../../core/contracts/dictation.ts';
import { isSame } from '../../core/session/spoken-language.ts';

/**
 * Tries all in a language once more: a server that has got it, or is getting it, takes what it has
 * refused before, and one that gets it no longer says so of what waited for it.
 */
export function retryLanguage(dictation: Dictation, language: string): void {
  for (const { id, options, state } of dictation.getSnapshot().queue.items) {
    const isUnwritten = state.kind === 'parked' || state.kind === 'waiting';
    const [likeliest = ''] = options.likelyLanguages ?? [];
    const isInIt = isSame(options.language || likeliest, language);
    if (isUnwritten && isInIt) dictation.retry(id);
  }
}
