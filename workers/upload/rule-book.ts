import { readRulesValue } from '../../src/core/text/rules-file.ts';
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
export function createRuleBook(given: GivenTextRules, fetchShared: () => Promise<unknown>) {
  /** The operator's lists; fetched again when the server names another version. */
  let shared: Pick<GivenTextRules, 'vocabulary' | 'replacements'> = {};
  let sharedVersion: string | null = null;
  let sharing: Promise<void> = Promise.resolve();
  let ready: ReturnType<typeof read> | null = null;

  if (given.rules === 'stored') watchStoredRules(readAnew);

  async function read() {
    const { rules: wanted, ...own } = given;
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

  async function fetchLists(version: string | null): Promise<void> {
    try {
      shared = version === null ? {} : (readRulesValue(await fetchShared()) ?? {});
      readAnew();
    } catch {
      if (sharedVersion === version) sharedVersion = null;
    }
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
    /**
     * Takes the version that the server names. Lists that cannot be fetched are asked for again
     * later.
     */
    share(version: string | null): Promise<void> {
      if (version !== sharedVersion) {
        sharedVersion = version;
        sharing = fetchLists(version);
      }
      return sharing;
    },
  };
}
