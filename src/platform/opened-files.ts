import { clear, createStore, delMany, entries, get, set, setMany, type UseStore } from 'idb-keyval';
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
export const SHARE_PATH = 'share';

/** Two hours of film. Browsers give a site as much, and a copy of more would keep a disk busy. */
const MOST_BYTES = 1_000_000_000;
/** Somebody who has not gone on by then does not want to. */
const DAYS_MS = 7 * 86_400_000;

const DATABASE = 'diktera-files';

const fileKey = (id: string): string => `${id} file`;

let opened: UseStore | null = null;

/** A database of its own: a service worker that writes here opens no dictations. */
function store(): UseStore {
  opened ??= createStore(DATABASE, 'files');
  return opened;
}

/** Keeps a file; false where it is too large, or the browser has no room for it. Never rejects. */
export async function keepFile(id: string, file: File, account: string | null): Promise<boolean> {
  if (file.size > MOST_BYTES) return false;
  const record: OpenedFile = {
    ...{ id, name: file.name, account, progress: null },
    openedAtMs: Date.now(),
  };
  const parts: [string, unknown][] = [
    [id, record],
    [fileKey(id), file],
  ];
  return setMany(parts, store()).then(
    () => true,
    () => false,
  );
}

/** Notes how far a file has come, if it is still there. Never rejects. */
export async function noteProgress(id: string, progress: unknown): Promise<void> {
  try {
    const record = await get<OpenedFile>(id, store());
    if (record) await set(id, { ...record, progress }, store());
  } catch {
    // What has come stands in the note: at worst some of it is read again.
  }
}

/** Deletes a file, and what is known of it. Never rejects. */
export async function forgetFile(id: string): Promise<void> {
  await delMany([id, fileKey(id)], store()).catch(() => {});
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
  return entries(store()).then(
    (all) => all.length > 0,
    () => false,
  );
}

/** Says that a file is being read: no other page takes it as long as this one lives. */
export function holdFile(id: string): Hold {
  return holdUntilReleased(navigator.locks, `diktera:file:${id}`, { ifAvailable: true });
}

/** A file that nobody reads any more, taken. */
export type TakenFile = OpenedFile & { readonly file: File; readonly hold: Hold };

/** Takes the files of an account, or of nobody, that no page reads, the oldest first. Never rejects. */
export async function takeFiles(account: string | null): Promise<readonly TakenFile[]> {
  const all = await entries<string, unknown>(store()).catch(() => []);
  const records = all.flatMap(([, value]) => (isRecord(value) ? [value] : []));
  const taken: TakenFile[] = [];
  for (const { id, openedAtMs, ...rest } of records) {
    if (rest.account !== null && rest.account !== account) continue;
    const hold = holdFile(id);
    // As it is now: whoever had it may have come to its end.
    const record = (await hold.isHad) !== false && (await get<OpenedFile>(id, store()));
    const file = record && (await get<unknown>(fileKey(id), store()));
    if (record && file instanceof File && openedAtMs > Date.now() - DAYS_MS) {
      taken.push({ ...record, file, hold });
      continue;
    }
    if (record) await forgetFile(id);
    void hold.release();
  }
  return taken.sort((a, b) => a.openedAtMs - b.openedAtMs);
}

function isRecord(value: unknown): value is OpenedFile {
  const { id, openedAtMs } = Object(value) as Record<string, unknown>;
  return !(value instanceof Blob) && typeof id === 'string' && typeof openedAtMs === 'number';
}
