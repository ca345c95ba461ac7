import {
  chosenRules,
  createTextRules,
  entriesOf,
  type GivenTextRules,
} from '../../src/core/text/text-rules.ts';
import { promptOf } from '../../src/core/text/vocabulary.ts';
import { readStoredRules, watchStoredRules } from '../../src/platform/stored-rules.ts';

/** The rules for texts, read and ready. */
export type RuleBook = ReturnType<typeof createRuleBook>;

/**
 * Makes the rules for texts, read anew when they change. This file is fetched with the first text:
 * none of it is in the way of a press.
 */
export function createRuleBook(given: GivenTextRules) {
  /** What the server has for all who use it. */
  let shared: Pick<GivenTextRules, 'vocabulary' | 'replacements'> = {};
  let ready: ReturnType<typeof read> | null = null;

  let isWatching = false;

  async function read() {
    const { rules: wanted, ...own } = given;
    if (wanted === 'stored' && !isWatching) {
      isWatching = true;
      watchStoredRules(readAnew);
    }
    const stored = wanted === 'stored' ? await readStoredRules() : {};
    const rules = chosenRules(wanted === 'stored' ? stored.rules : wanted);
    // One's own come last: of two snippets that are said alike the later one counts.
    const sources = [shared, own, stored];
    const vocabulary = sources.flatMap((source) => entriesOf(source.vocabulary));
    const replacements = sources.flatMap((source) => source.replacements ?? []);
    return {
      apply: createTextRules({ rules, vocabulary, replacements }),
      prompt: (limit: number) => (rules.ownWords ? promptOf(vocabulary, limit) : ''),
    };
  }

  function readAnew(): void {
    ready = null;
  }

  return {
    /** As they are now. */
    now(): ReturnType<typeof read> {
      ready ??= read();
      return ready;
    },
    share(next: typeof shared): void {
      shared = next;
      readAnew();
    },
  };
}
