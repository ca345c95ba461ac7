import { onTestFinished } from 'vitest';

/**
 * The records that Diktera 1.0.0-rc.1 wrote into its two databases, made by hand, so that they stay
 * as they were when the code moves on.
 */
export type EarlierRecord = readonly [key: IDBValidKey, value: unknown];

const FRAME_SAMPLES = 1_536;

const OPTIONS = {
  language: 'sv',
  fast: false,
  removePii: true,
  fixSpelling: true,
  model: 'v5',
  engine: 'auto',
};

/** A recording under way: header, the frames, a mark, and the cut if one was made. */
export function earlierJournal(
  sessionId: string,
  frames: readonly number[],
  cut?: { readonly nextChunkNumber: number; readonly cutUpToSample: number },
): readonly EarlierRecord[] {
  const header = {
    sessionId,
    startedAtMs: 1_790_000_000_000,
    options: OPTIONS,
    target: null,
    schemaVersion: 1,
  };
  const pcm = frames.map((frame): EarlierRecord => {
    const startSample = frame * FRAME_SAMPLES;
    return [['pcm', sessionId, startSample, startSample + FRAME_SAMPLES], frameBytes(frame)];
  });
  const cuts: EarlierRecord[] = cut ? [[['cut', sessionId], { ...cut, isInSpeech: false }]] : [];
  const atSample = ((frames.at(-1) ?? 0) + 1) * FRAME_SAMPLES;
  return [
    [['header', sessionId], header],
    ...pcm,
    [['mark', sessionId, atSample, 'paused'], { kind: 'paused', atSample }],
    ...cuts,
  ];
}

function frameBytes(frame: number): ArrayBuffer {
  return Int16Array.from({ length: FRAME_SAMPLES }, (_, index) => frame * 100 + (index % 100))
    .buffer;
}

/** A chunk on its way to text. */
export function earlierItem(
  sessionId: string,
  number: number,
  state: unknown = { kind: 'waiting', nextAttemptAtMs: 0, lastError: null },
): readonly EarlierRecord[] {
  const id = `${sessionId}:${number}`;
  const head = {
    id,
    sessionId,
    number,
    part: '',
    options: { removePii: true, fixSpelling: true, fast: false, language: 'sv' },
    createdAtMs: 1_790_000_000_000,
    durationSamples: 48_000,
    speechSamples: 32_000,
    rounds: 0,
    asks: 0,
    state,
  };
  const bytes = Uint8Array.from({ length: 12_000 }, (_, index) => (index * 7 + number) % 256);
  return [
    [['head', id], head],
    [['audio', id], { type: 'audio/webm', bytes: bytes.buffer, durationSamples: 48_000 }],
  ];
}

/** What an earlier version's tab does: opens a database by name alone, made if it is not there. */
export async function openEarlierTab(
  name: string,
  { closesForOthers = true }: { readonly closesForOthers?: boolean } = {},
): Promise<IDBDatabase> {
  const request = indexedDB.open(name);
  request.onupgradeneeded = () => request.result.createObjectStore('records');
  const database = await ended(request);
  if (closesForOthers) database.addEventListener('versionchange', () => database.close());
  onTestFinished(() => database.close());
  return database;
}

/** Writes records as an earlier version's tab would. */
export function writeEarlier(
  database: IDBDatabase,
  records: readonly EarlierRecord[],
): Promise<void> {
  const transaction = database.transaction('records', 'readwrite', { durability: 'strict' });
  for (const [key, value] of records) transaction.objectStore('records').put(value, key);
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Makes an earlier database with these records, and closes it. */
export async function makeEarlier(name: string, records: readonly EarlierRecord[]): Promise<void> {
  const database = await openEarlierTab(name);
  await writeEarlier(database, records);
  database.close();
}

/** The names of the databases that are there. */
export async function databaseNames(): Promise<readonly (string | undefined)[]> {
  // WebKit keeps the name of one whose making was taken back: nothing is in it.
  const there = (await indexedDB.databases()).filter(({ version }) => version !== 0);
  return there.map(({ name }) => name);
}

function ended<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
