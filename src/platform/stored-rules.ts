import type { GivenTextRules, TextRuleChoices } from '../core/text/text-rules.ts';

/** Own words, snippets and switches as a person keeps them in this browser, for this origin. */
export type StoredTextRules = Omit<GivenTextRules, 'rules'> & {
  /** Those that differ from the usual ones. */
  readonly rules?: Partial<TextRuleChoices>;
  /** A word corrected by hand is offered as one of one's own. @default true */
  readonly isLearning?: boolean;
};

/** Database, table, key and channel. */
const NAME = 'diktera-text-rules';

// Not by idb-keyval: a file that the worker fetches later shares nothing with the worker's own.
function answerTo<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function inTable<Result>(
  mode: IDBTransactionMode,
  work: (table: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opening = indexedDB.open(NAME);
  opening.onupgradeneeded = () => opening.result.createObjectStore(NAME);
  const database = await answerTo(opening);
  try {
    return await answerTo(work(database.transaction([NAME], mode).objectStore(NAME)));
  } finally {
    database.close();
  }
}

/** Reads them; nothing where nothing is kept, or the browser keeps nothing. */
export async function readStoredRules(): Promise<StoredTextRules> {
  try {
    const kept = await inTable<unknown>('readonly', (table) => table.get(NAME));
    return kept instanceof Object ? (kept as StoredTextRules) : {};
  } catch {
    return {};
  }
}

/** Keeps them, and tells every page and worker of the origin. Rejects where the browser refuses. */
export async function writeStoredRules(rules: StoredTextRules): Promise<void> {
  await inTable('readwrite', (table) => table.put(rules, NAME));
  const channel = new BroadcastChannel(NAME);
  channel.postMessage('changed');
  channel.close();
}

/** Calls `listener` when they were changed, elsewhere or here; the answer ends that. */
export function watchStoredRules(listener: () => void): () => void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = () => listener();
  return () => channel.close();
}
