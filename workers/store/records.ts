import { promisifyRequest } from 'idb-keyval';
import type { SampleRange } from '../../src/core/audio/audio-format.ts';
import {
  DEFAULT_SESSION_OPTIONS,
  type SessionOptions,
} from '../../src/core/options/dictation-options.ts';
import { NO_OWNER, type Owner } from '../../src/core/queue/owner.ts';
import {
  type DictationStart,
  deliveredText,
  isClosed,
  type JournalCut,
  type QueueItemHead,
  wordsOf,
} from '../../src/core/queue/queue-item.ts';
import type { RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import {
  JOURNAL_SCHEMA_VERSION,
  type JournalHeader,
  type JournalMark,
  NO_CUT,
  unreadableCut,
} from '../../src/core/session/journal.ts';

/**
 * The three tables. `dictations`: a row for each, by its id. `chunks`: a row for each chunk, by its
 * dictation's id and its number. `audio`: all sound, by what it is (`AudioKind`), its dictation's
 * id, and its place there.
 */
export const TABLES = ['dictations', 'chunks', 'audio'] as const;

/**
 * `pcm`: audio of the journal, written as it is spoken, and `mark`, what interrupts it. `taken`: a
 * range that is in a chunk, noted while no cut is known. `chunk`: the file that is sent. `block`:
 * sound that is retained.
 */
export type AudioKind = 'pcm' | 'mark' | 'taken' | 'chunk' | 'block';

/** The part of the journal that is no audio: it is there until no recovery needs it any more. */
type JournalPart = Pick<JournalHeader, 'isCancelled' | 'schemaVersion'> & {
  /** Null: nothing has been cut yet. */
  readonly cut: JournalCut | null;
};

/** Facts of a dictation whose sound is retained; its texts stand with its chunks. */
type Retained = Omit<RecordingRecord, keyof DictationStart | 'texts'>;

/** A row of `chunks`. Those that are not delivered have `open`, by which an index finds them. */
export type ChunkRow = QueueItemHead & { readonly owner?: Owner; readonly open?: 1 };

/** The index of chunks that are not delivered: there may be many more that are. */
export const OPEN_CHUNKS = 'open';

/** A row of `dictations`. It goes when neither a recovery nor a recording needs it any more. */
export type DictationRow = {
  readonly id: string;
  readonly owner: Owner;
  /** Ms since 1970; 0 where its beginning could not be written. */
  readonly startedAtMs: number;
  readonly options: SessionOptions;
  readonly journal: JournalPart | null;
  readonly retained: Retained | null;
};

/** A chunk's key in `chunks`: a chunk's id is its dictation's and its number. */
export function chunkKey(id: string): IDBValidKey {
  const colon = id.lastIndexOf(':');
  return [id.slice(0, colon), Number(id.slice(colon + 1))];
}

/** All chunks of a dictation. */
export function chunksOf(dictationId: string): IDBKeyRange {
  return IDBKeyRange.bound([dictationId], [dictationId, []]);
}

/** A row of a chunk. */
export function chunkRow(head: QueueItemHead, owner: Owner | undefined): ChunkRow {
  const isOpen = !isClosed(head.state);
  return { ...head, ...(owner ? { owner } : {}), ...(isOpen ? { open: 1 } : {}) };
}

/** A chunk as its row has it. */
export function headOf({ owner: _owner, open: _open, ...head }: ChunkRow): QueueItemHead {
  return head;
}

/** The key of a chunk's file: an `EncodedAudio`. */
export function fileKey(id: string): IDBValidKey {
  const colon = id.lastIndexOf(':');
  return audioKey('chunk', id.slice(0, colon), Number(id.slice(colon + 1)));
}

/** Deletes a chunk and its file, inside a transaction. */
export function deleteItem(chunks: IDBObjectStore, audio: IDBObjectStore, id: string): void {
  chunks.delete(chunkKey(id));
  audio.delete(fileKey(id));
}

/** The text alone of a chunk whose audio nobody needs any more; null if none was delivered. */
export function closed(head: QueueItemHead): QueueItemHead | null {
  const own = deliveredText(head);
  if (!own) return null;
  return { ...head, state: { kind: 'delivered', ...wordsOf(own) } };
}

/**
 * Gives a chunk up, inside a transaction; the text of it that was delivered stays where it is kept.
 */
export function giveUpChunk(
  chunks: IDBObjectStore,
  audio: IDBObjectStore,
  row: ChunkRow,
  isRetained: boolean,
): void {
  deleteItem(chunks, audio, row.id);
  const text = isRetained ? closed(headOf(row)) : null;
  if (text) chunks.put(chunkRow(text, row.owner), chunkKey(row.id));
}

/** A key in `audio`; the rest says where in its dictation it stands. */
export function audioKey(
  kind: AudioKind,
  dictationId: string,
  ...place: readonly (number | string)[]
): IDBValidKey {
  return [kind, dictationId, ...place];
}

/**
 * The key of a range. It holds both ends, so that dropping and counting read keys only, and a frame
 * that is written twice is one record.
 */
export function rangeKey(
  kind: 'pcm' | 'taken' | 'block',
  dictationId: string,
  { startSample, endSample }: SampleRange,
): IDBValidKey {
  return audioKey(kind, dictationId, startSample, endSample);
}

/** A `JournalMark`. */
export function markKey(dictationId: string, { atSample, kind }: JournalMark): IDBValidKey {
  return audioKey('mark', dictationId, atSample, kind);
}

/**
 * All audio of a kind, of one dictation or of all. An array sorts after every number and string.
 */
export function audioOf(kind: AudioKind, dictationId?: string): IDBKeyRange {
  const prefix = dictationId === undefined ? [kind] : [kind, dictationId];
  return IDBKeyRange.bound(prefix, [...prefix, []]);
}

/**
 * The dictation that a key of `audio` or `dictations` belongs to; undefined if it is none of ours.
 */
export function dictationOf(key: IDBValidKey): string | undefined {
  const id = Array.isArray(key) ? key[1] : key;
  return typeof id === 'string' ? id : undefined;
}

/** The samples that a key of this kind stands for; undefined if it is no such key. */
export function rangeOf(
  key: IDBValidKey,
  kind: 'pcm' | 'taken' | 'block' = 'pcm',
): SampleRange | undefined {
  if (!Array.isArray(key) || key[0] !== kind) return undefined;
  const [, , startSample, endSample] = key;
  return typeof startSample === 'number' && typeof endSample === 'number'
    ? { startSample, endSample }
    : undefined;
}

/** The sample of a mark, as a range; undefined for the key of another record. */
export function markRangeOf(key: IDBValidKey): SampleRange | undefined {
  if (!Array.isArray(key) || key[0] !== 'mark') return undefined;
  const [, , atSample] = key;
  return typeof atSample === 'number'
    ? { startSample: atSample, endSample: atSample + 1 }
    : undefined;
}

/** A frame's PCM, or undefined if the record is not what its key says. */
export function pcmOf(range: SampleRange, value: unknown): Int16Array | undefined {
  const bytes = (range.endSample - range.startSample) * Int16Array.BYTES_PER_ELEMENT;
  return value instanceof ArrayBuffer && value.byteLength === bytes
    ? new Int16Array(value)
    : undefined;
}

export function isMark(value: unknown): value is JournalMark {
  const mark = value as Partial<JournalMark> | null;
  return (mark?.kind === 'paused' || mark?.kind === 'gap') && typeof mark.atSample === 'number';
}

/** A row as it is stored, if it can be read. */
export function rowOf(value: unknown): DictationRow | undefined {
  const row = value as Partial<DictationRow> | null | undefined;
  const isWhole = typeof row?.id === 'string' && typeof row.options === 'object';
  return isWhole ? (row as DictationRow) : undefined;
}

/** A row of which nothing is known but whose it is: its audio becomes text as if by default. */
export function newRow(id: string, owner: Owner): DictationRow {
  const options = DEFAULT_SESSION_OPTIONS;
  return { id, owner, startedAtMs: 0, options, journal: null, retained: null };
}

/**
 * Changes a row inside a transaction, as soon as it is read: null takes it away, and so does a
 * change to one that nothing needs. Give no other change of the same row before this is fulfilled.
 */
export async function changeRow(
  dictations: IDBObjectStore,
  id: string,
  change: (row: DictationRow | undefined) => DictationRow | null,
): Promise<void> {
  const found = await promisifyRequest<unknown>(dictations.get(id));
  const row = change(rowOf(found));
  if (row?.journal || row?.retained) dictations.put(row, id);
  else if (found !== undefined) dictations.delete(id);
}

/** A dictation as the journal knows it, or, if its row cannot be read, with the default options. */
export function headerOf(dictationId: string, value: unknown): JournalHeader {
  const row = rowOf(value);
  const isWhole = row?.journal?.schemaVersion === JOURNAL_SCHEMA_VERSION;
  const { startedAtMs, options } = row && isWhole ? row : newRow(dictationId, NO_OWNER);
  return {
    dictationId,
    startedAtMs,
    options,
    isCancelled: row?.journal?.isCancelled,
    schemaVersion: JOURNAL_SCHEMA_VERSION,
  };
}

/**
 * A stored cut; none was noted if there is no row, or none in it. `firstSample` is where the audio
 * that is left begins: there a cut is taken to be that cannot be read.
 */
export function cutOf(value: unknown, firstSample: number): JournalCut {
  if (value === undefined) return NO_CUT;
  const row = rowOf(value);
  if (!row) return unreadableCut(firstSample);
  const cut: Partial<JournalCut> | null = row.journal?.cut ?? null;
  if (cut === null) return NO_CUT;
  const isWhole = typeof cut.nextChunkNumber === 'number' && typeof cut.cutUpToSample === 'number';
  return isWhole ? (cut as JournalCut) : unreadableCut(firstSample);
}

/** A retained dictation with chunks of its own; undefined if its sound is not retained. */
export function recordOf(
  value: unknown,
  chunks: readonly QueueItemHead[],
): RecordingRecord | undefined {
  const row = rowOf(value);
  if (!row?.retained) return undefined;
  const texts = chunks.flatMap((chunk) => deliveredText(chunk) ?? []);
  const { id, startedAtMs, options, retained } = row;
  const { removePii, fixSpelling, fast, language, likelyLanguages } = options;
  const asked = { removePii, fixSpelling, fast, language, likelyLanguages };
  return { id, startedAtMs, options: asked, texts, ...retained };
}

/** A row with what is retained of it now. */
export function withRecord(
  row: DictationRow | undefined,
  record: RecordingRecord,
  owner: Owner,
): DictationRow {
  const { id, startedAtMs, options, texts: _texts, ...retained } = record;
  if (row?.startedAtMs) return { ...row, retained };
  const begun = row ?? newRow(id, owner);
  return { ...begun, startedAtMs, options: { ...begun.options, ...options }, retained };
}
