import { promisifyRequest } from 'idb-keyval';
import type {
  JournalHeader,
  JournalMark,
  JournalRecording,
} from '../../src/core/session/journal.ts';
import { assembleParts, type StoredFrame } from './assemble-parts.ts';
import {
  cutKey,
  cutOf,
  headerKey,
  headerOf,
  isMark,
  pcmOf,
  pcmRangeOf,
  recordsOf,
  sessionOf,
} from './journal-records.ts';

/** Records read at a time: 1.5 MB at most, so that no single message from the database is huge. */
const RECORDS_PER_PAGE = 250;

/** Reads what is left of a session, inside a transaction; undefined if that is nothing. */
export async function readRecording(
  store: IDBObjectStore,
  sessionId: string,
  from: 'start' | 'cut',
): Promise<JournalRecording | undefined> {
  const [header, storedCut, marks, keys, takenKeys] = await Promise.all([
    promisifyRequest<unknown>(store.get(headerKey(sessionId))),
    promisifyRequest<unknown>(store.get(cutKey(sessionId))),
    promisifyRequest<unknown[]>(store.getAll(recordsOf('mark', sessionId))),
    promisifyRequest(store.getAllKeys(recordsOf('pcm', sessionId))),
    promisifyRequest(store.getAllKeys(recordsOf('taken', sessionId))),
  ]);
  // The header may never have been written: it is not in the step that cuts.
  if ([header, storedCut, keys[0]].every((found) => found === undefined)) return undefined;
  const [firstKey = []] = keys;
  const cut = cutOf(storedCut, pcmRangeOf(firstKey)?.startSample ?? 0);
  const fromSample = from === 'cut' ? cut.cutUpToSample : 0;
  const notes: string[] = [];
  const wanted = keys.filter((key) => (pcmRangeOf(key)?.endSample ?? 0) > fromSample);
  const taken = from === 'cut' ? takenKeys.flatMap((key) => pcmRangeOf(key, 'taken') ?? []) : [];
  const frames = await readFrames(store, wanted, notes);
  return {
    header: headerOf(sessionId, header),
    cut,
    parts: assembleParts(frames, marks.filter(isMark) satisfies JournalMark[], fromSample),
    taken,
    notes,
  };
}

async function readFrames(
  store: IDBObjectStore,
  keys: readonly IDBValidKey[],
  notes: string[],
): Promise<StoredFrame[]> {
  const frames: StoredFrame[] = [];
  for (let first = 0; first < keys.length; first += RECORDS_PER_PAGE) {
    const page = keys.slice(first, first + RECORDS_PER_PAGE);
    const values = await promisifyRequest<unknown[]>(
      store.getAll(IDBKeyRange.bound(page[0], page.at(-1))),
    );
    for (const [index, key] of page.entries()) {
      const range = pcmRangeOf(key);
      if (!range) continue;
      const pcm = pcmOf(range, values[index]);
      frames.push({ ...range, pcm });
      if (!pcm) notes.push(`Unreadable audio record ${JSON.stringify(key)} skipped`);
    }
  }
  return frames;
}

/**
 * The headers of all sessions of which anything is left, inside a transaction; oldest first. `isOwn`
 * is asked of each as it is stored.
 */
export async function readHeaders(
  store: IDBObjectStore,
  isOwn: (stored: unknown) => boolean,
): Promise<JournalHeader[]> {
  const [keys, values, cuts, withAudio] = await Promise.all([
    promisifyRequest(store.getAllKeys(recordsOf('header'))),
    promisifyRequest<unknown[]>(store.getAll(recordsOf('header'))),
    promisifyRequest(store.getAllKeys(recordsOf('cut'))),
    sessionsWithAudio(store),
  ]);
  const stored = new Map(keys.map((key, index) => [sessionOf(key), values[index]] as const));
  const sessionIds = new Set([...stored.keys(), ...cuts.map(sessionOf), ...withAudio]);
  return [...sessionIds]
    .filter((sessionId) => sessionId !== undefined)
    .filter((sessionId) => isOwn(stored.get(sessionId)))
    .map((sessionId) => headerOf(sessionId, stored.get(sessionId)))
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

/** Hops from session to session over the keys, without reading the frames between. */
function sessionsWithAudio(store: IDBObjectStore): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const sessionIds: string[] = [];
    const request = store.openKeyCursor(recordsOf('pcm'));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      const sessionId = cursor ? sessionOf(cursor.key) : undefined;
      if (!cursor || sessionId === undefined) {
        resolve(sessionIds);
        return;
      }
      sessionIds.push(sessionId);
      cursor.continue(['pcm', sessionId, []]);
    };
  });
}
