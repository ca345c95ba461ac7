import { useSyncExternalStore } from 'react';
import type { Replacement } from '../../core/text/replacements.ts';
import { readRulesValue } from '../../core/text/rules-file.ts';
import { entriesOf, type TextRuleChoices } from '../../core/text/text-rules.ts';
import { MAX_ENTRIES, type VocabularyEntry } from '../../core/text/vocabulary.ts';
import {
  readStoredRules,
  type StoredTextRules,
  watchStoredRules,
  writeStoredRules,
} from '../../platform/stored-rules.ts';

/** Own words, snippets and switches as the page shows them. */
export type OwnRules = {
  readonly vocabulary: readonly VocabularyEntry[];
  readonly replacements: readonly Replacement[];
  /** Those that differ from the usual ones. */
  readonly rules: Partial<TextRuleChoices>;
  readonly isLearning: boolean;
  /** False before they were read. */
  readonly isRead: boolean;
  /** The browser keeps nothing: what is changed counts until the page is left. */
  readonly isRefused: boolean;
};

export type RulesStore = ReturnType<typeof createRulesStore>;

/** A change, as a function of the rules before it. */
export type Change = (before: OwnRules) => OwnRules;

const NONE: OwnRules = {
  vocabulary: [],
  replacements: [],
  rules: {},
  isLearning: true,
  isRead: false,
  isRefused: false,
};

/** A storage that does not answer keeps nobody from the page's part of it. */
const READ_WITHIN_MS = 1_000;

/** Keeps them in this browser, in step with other tabs: each change is made to what is stored. */
export function createRulesStore() {
  let own = NONE;
  let turn: Promise<unknown> = Promise.resolve();
  const listeners = new Set<() => void>();

  function show(next: OwnRules): void {
    own = next;
    for (const listener of listeners) listener();
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  }

  const read = (): Promise<void> =>
    inTurn(async () => {
      // After a refused write the page's own version is the only one: do not replace it.
      if (!own.isRefused) show(shownOf(await readStoredRules()));
    });
  void read();
  const late = setTimeout(() => {
    if (!own.isRead) show({ ...own, isRead: true });
  }, READ_WITHIN_MS);
  const stop = watchStoredRules(() => void read());

  return {
    get: (): OwnRules => own,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Changes what is stored, seen at once. Never rejects. */
    change(change: Change): Promise<void> {
      if (own.isRead) show(change(own));
      return inTurn(async () => {
        const stored = own.isRefused ? own : shownOf(await readStoredRules());
        const changed = change(stored);
        const { vocabulary, replacements, rules, isLearning } = changed;
        try {
          await writeStoredRules({ vocabulary, replacements, rules, isLearning });
          show({ ...changed, isRefused: false });
        } catch {
          show({ ...changed, isRefused: true });
        }
      });
    },
    /** Fulfilled when they were read, and all that was changed is stored. */
    settled: (): Promise<unknown> => turn,
    dispose(): void {
      clearTimeout(late);
      stop();
    },
  };
}

/** Made when it is first wanted, and kept: what is typed in one place is seen in another. */
let pageRules: RulesStore | null = null;

/** The rules as this page keeps them. */
export function rulesStore(): RulesStore {
  pageRules ??= createRulesStore();
  return pageRules;
}

function shownOf(stored: StoredTextRules): OwnRules {
  const read = readRulesValue({ vocabulary: [], ...stored });
  const { vocabulary = [], replacements = [], rules = {} } = read ?? {};
  const isLearning = stored.isLearning ?? true;
  return { ...NONE, vocabulary, replacements, rules, isLearning, isRead: true };
}

export function useOwnRules(store: RulesStore): OwnRules {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}

/**
 * Puts entries in front, each word once: an older entry for the word adds its sounds. A full
 * list takes no new words.
 */
export function withEntries(before: OwnRules, added: readonly VocabularyEntry[]): OwnRules {
  const byWord = new Map(before.vocabulary.map((entry) => [entry.write, entry]));
  let room = MAX_ENTRIES - before.vocabulary.length;
  const merged = entriesOf(added).flatMap((entry) => {
    const known = byWord.get(entry.write);
    if (!known && room <= 0) return [];
    if (!known) room -= 1;
    const sounds = new Set([...(known?.soundsLike ?? []), ...(entry.soundsLike ?? [])]);
    return { ...known, ...entry, ...(sounds.size > 0 && { soundsLike: [...sounds] }) };
  });
  const words = new Set(merged.map(({ write }) => write));
  const rest = before.vocabulary.filter(({ write }) => !words.has(write));
  return { ...before, vocabulary: [...merged, ...rest] };
}

/** The number of `added` entries that do not fit into the list. */
export function surplusOf(before: OwnRules, added: readonly VocabularyEntry[]): number {
  const words = new Set(before.vocabulary.map(({ write }) => write));
  for (const { write } of entriesOf(added)) words.add(write);
  return Math.max(0, words.size - MAX_ENTRIES);
}

/** Puts snippets in front. One said like an older one replaces it; a full list takes no more. */
export function withSnippets(before: OwnRules, added: readonly Replacement[]): OwnRules {
  const said = new Set(added.map(({ say }) => say.toLowerCase()));
  const rest = before.replacements.filter(({ say }) => !said.has(say.toLowerCase()));
  return { ...before, replacements: [...added.slice(0, MAX_ENTRIES - rest.length), ...rest] };
}
