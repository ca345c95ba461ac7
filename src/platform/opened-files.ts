import { clear, createStore, delMany, get, keys, set, type UseStore } from 'idb-keyval';
import { type Hold, holdUntilReleased } from './locks.ts';

/**
 * A file of sound that was opened, or shared with the page, to become text. It lies here with how far
 * it has come until all of it is text, or nobody wants it: a page that goes takes nothing with it.
 */
export type OpenedFile = {
  readonly id: string;
  readonly name: string;
  /** Ms since 1970. */
  readonly openedAtMs: number;
  /** The account of whoever opened it: it comes back to no other. Null where none is known. */
  readonly account: string | null;
  /** As whoever reads it has it; null before anybody has begun. */
  readonly progress: unknown;
};

/** The address of the page that takes what was shared ends in it; so does that of the form. */
export const SHARED = '?shared';
/** In its place where not all of it could be taken. */
export const SHARE_LOST = `${SHARED}=lost`;
export const SHARE_PATH = 'share';

/** Two hours of film. Browsers give a site as much, and a copy of more would keep a disk busy. */
const MOST_BYTES = 1_000_000_000;
/** Somebody who has not gone on by then does not want to. */
const DAYS_MS = 7 * 86_400_000;

const DATABASE = 'diktera-files';

/** Safari fails at storing files, and a copy in one piece would be as large in memory. */
const SLICE_BYTES = 1_000_000;

/** As it is stored; `isPart` while it is being copied. */
type StoredFile = OpenedFile & {
  readonly type: string;
  readonly size: number;
  readonly isPart?: true;
};

const sliceKey = (id: string, index: number): string => `${id} ${index}`;

function sliceStarts(size: number): readonly number[] {
  return Array.from({ length: Math.ceil(size / SLICE_BYTES) }, (_, index) => index * SLICE_BYTES);
}

let opened: UseStore | null = null;

/** A database of its own: a service worker that writes here opens no dictations. */
function store(): UseStore {
  opened ??= createStore(DATABASE, 'files');
  return opened;
}

/**
 * Keeps a file, and holds it for whoever asked: no page that comes meanwhile takes the part that lies here
 * for what a page that went has left. Null where it is too large, the browser has no room for it, or nobody
 * wants it any more: then nothing of it is left. Never rejects.
 */
export async function keepFile(
  id: string,
  file: File,
  account: string | null,
  unwanted?: AbortSignal,
): Promise<Hold | null> {
  if (file.size > MOST_BYTES) return null;
  const { name, type, size } = file;
  const openedAtMs = Date.now();
  const record: StoredFile = { id, name, type, size, account, openedAtMs, progress: null };
  const hold = holdFile(id);
  try {
    await hold.isHad;
    await set(id, { ...record, isPart: true }, store());
    for (const [index, from] of sliceStarts(size).entries()) {
      const bytes = await file.slice(from, from + SLICE_BYTES).arrayBuffer();
      unwanted?.throwIfAborted();
      await set(sliceKey(id, index), bytes, store());
    }
    unwanted?.throwIfAborted();
    await set(id, record, store());
    return hold;
  } catch {
    await remove(record);
    void hold.release();
    return null;
  }
}

/** Notes how far a file has come, if it is still there. Never rejects. */
export async function noteProgress(id: string, progress: unknown): Promise<void> {
  try {
    const record = await get<OpenedFile>(id, store());
    if (record) await set(id, { ...record, progress }, store());
  } catch {
    // The texts are in the note already: at worst a part of the file is read again.
  }
}

/** Deletes a file and its progress. Never rejects. */
export async function forgetFile(id: string): Promise<void> {
  const record = await get<StoredFile>(id, store()).catch(() => undefined);
  if (record) await remove(record);
}

async function remove({ id, size }: StoredFile): Promise<void> {
  const slices = sliceStarts(size).map((_, index) => sliceKey(id, index));
  await delMany([id, ...slices], store()).catch(() => {});
}

/** The file whole; null where some of it is missing. */
async function fileOf({ id, name, type, size, isPart }: StoredFile): Promise<File | null> {
  const slices: Blob[] = [];
  for (const index of sliceStarts(size).keys()) {
    const bytes = await get<unknown>(sliceKey(id, index), store());
    // The browser moves blobs to disk when memory is short.
    if (bytes instanceof ArrayBuffer) slices.push(new Blob([bytes]));
  }
  const file = new File(slices, name, { type });
  return isPart || file.size !== size ? null : file;
}

/** Deletes all files. Never rejects. */
export async function forgetFiles(): Promise<void> {
  await clear(store()).catch(() => {});
}

/** True if there are files here, whoever opened them. Never rejects. */
export async function hasFiles(): Promise<boolean> {
  // Nothing is made to see that nothing is there.
  const databases = await indexedDB.databases?.().catch(() => null);
  if (databases && !databases.some(({ name }) => name === DATABASE)) return false;
  return keys(store()).then(
    (all) => all.length > 0,
    () => false,
  );
}

/** Says that a file is being read: no other page takes it as long as this one lives. */
function holdFile(id: string): Hold {
  return holdUntilReleased(navigator.locks, `diktera:file:${id}`, { ifAvailable: true });
}

/** A file that nobody reads any more, taken. */
export type TakenFile = OpenedFile & { readonly file: File; readonly hold: Hold };

/** Takes the files of an account, or of nobody, that no page reads, the oldest first. Never rejects. */
export async function takeFiles(account: string | null): Promise<readonly TakenFile[]> {
  const taken: TakenFile[] = [];
  for (const id of await keys<string>(store()).catch(() => [])) {
    // Its bytes have a blank in their key.
    if (id.includes(' ')) continue;
    const one = await takeFile(id, account).catch(() => null);
    if (one) taken.push(one);
  }
  return taken.sort((a, b) => a.openedAtMs - b.openedAtMs);
}

async function takeFile(id: string, account: string | null): Promise<TakenFile | null> {
  const hold = holdFile(id);
  // As it is once it is held: whoever had it may have come to its end.
  const record = (await hold.isHad) !== false && (await get<StoredFile>(id, store()));
  const isOwn = record && (record.account === null || record.account === account);
  if (isOwn && record.openedAtMs > Date.now() - DAYS_MS) {
    const file = await fileOf(record);
    if (file) return { ...record, file, hold };
  }
  if (isOwn) await remove(record);
  void hold.release();
  return null;
}
