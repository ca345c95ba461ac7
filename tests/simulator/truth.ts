import { isClosed, type QueueItemHead } from '../../src/core/queue/queue-item.ts';
import type { RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import { type AudioKind, recordOf, rowOf } from '../../workers/store/records.ts';
import type { Commit, Disk, Key } from './browser/database.ts';
import type { Owner } from './owners.ts';
import type { Realm } from './scheduler.ts';
import { framesWithin, hearWords, type Word, wordOf } from './words.ts';

/** A word on its way, as somebody who sees everything knows it. */
export type Spoken = {
  readonly word: Word;
  readonly dictationId: string;
  readonly frame: number;
  readonly atMs: number;
  /** The page it was spoken to, and who had signed in there. */
  readonly page: Realm;
  readonly owner: Owner;
  /** It was on disk once; and so that no power cut could take it. */
  isWritten: boolean;
  isDurable: boolean;
  /** When it went into a field. */
  readonly deliveredAtMs: number[];
  /** Why it need not be anywhere, and why it may be there twice. */
  mayBeLost: string | null;
  mayBeDoubled: string | null;
  /** Deleted, from the queue alone or from everywhere. */
  gone: { readonly atMs: number; readonly scope: 'queue' | 'all' } | null;
  /** It was deleted, and had back. */
  isRestored: boolean;
};

/** The words that were spoken, written and inserted. */
export type Truth = {
  readonly words: ReadonlyMap<Word, Spoken>;
  speak(spoken: Pick<Spoken, 'word' | 'dictationId' | 'frame' | 'atMs' | 'page' | 'owner'>): void;
  committed(commit: Commit): void;
  delivered(word: Word, atMs: number): void;
};

export function createTruth(): Truth {
  const words = new Map<Word, Spoken>();

  function note(word: Word, isStrict: boolean): void {
    const spoken = words.get(word);
    if (!spoken) return;
    spoken.isWritten = true;
    if (isStrict) spoken.isDurable = true;
  }

  return {
    words,
    speak(spoken) {
      words.set(spoken.word, {
        ...spoken,
        isWritten: false,
        isDurable: false,
        deliveredAtMs: [],
        mayBeLost: null,
        mayBeDoubled: null,
        gone: null,
        isRestored: false,
      });
    },
    committed({ isStrict, put, flushed }) {
      const seen = isStrict ? [...flushed, ...put] : put;
      for (const record of seen) for (const word of wordsOf(record)) note(word, isStrict);
    },
    delivered(word, atMs) {
      words.get(word)?.deliveredAtMs.push(atMs);
    },
  };
}

/** The words that a record holds the audio of, speech or not: who was silent is not asked. */
export function wordsOf({
  key,
  value,
}: {
  readonly key: Key;
  readonly value: unknown;
}): readonly Word[] {
  if (!Array.isArray(key)) return [];
  if (key[0] === 'pcm') {
    const session = Number(String(key[1]).slice(1));
    return framesWithin(Number(key[2]), Number(key[3])).map((frame) => wordOf(session, frame));
  }
  if (key[0] !== 'chunk') return [];
  return hearWords((value as { readonly bytes: ArrayBuffer }).bytes);
}

/** A chunk in the queue's store, and the words in its audio. */
export type StoredChunk = { readonly head: QueueItemHead; readonly words: readonly Word[] };

/** The queue as it is on disk; what has only one of its two records has no partner. */
export function readQueue(disk: Disk): {
  readonly chunks: readonly StoredChunk[];
  readonly lonely: readonly string[];
} {
  const heads = new Map<string, QueueItemHead>();
  const audios = new Map<string, readonly Word[]>();
  for (const head of storedChunks(disk)) {
    if (!isClosed(head.state)) heads.set(head.id, head);
  }
  for (const record of disk.records('audio')) {
    const [kind, id, number] = record.key as [string, string, number];
    if (kind === 'chunk') audios.set(`${id}:${number}`, wordsOf(record));
  }
  const chunks = [...heads].flatMap(([id, head]) => {
    const words = audios.get(id);
    return words ? [{ head, words }] : [];
  });
  const lonely = [...heads.keys(), ...audios.keys()].filter(
    (id) => !(heads.has(id) && audios.has(id)),
  );
  return { chunks, lonely };
}

/** Chunks of a dictation, or of all: those too that are delivered. */
export function storedChunks(disk: Disk, id?: string): readonly QueueItemHead[] {
  const chunks = disk.records('chunks').map(({ value }) => value as QueueItemHead);
  return chunks.filter((chunk) => (id ?? chunk.dictationId) === chunk.dictationId);
}

/** The words of which the journal has the audio, by session. */
export function readJournal(disk: Disk): ReadonlyMap<string, readonly Word[]> {
  const sessions = new Map<string, Word[]>();
  for (const { value } of disk.records('dictations')) {
    const row = rowOf(value);
    if (row?.journal) sessions.set(row.id, []);
  }
  for (const record of disk.records('audio')) {
    const [kind, dictationId] = record.key as [AudioKind, string];
    if (kind === 'chunk' || kind === 'block') continue;
    const words = sessions.get(dictationId) ?? [];
    words.push(...wordsOf(record));
    sessions.set(dictationId, words);
  }
  return sessions;
}

/** The recordings as they are on disk, each with the words in its sound. */
export function readRecordings(disk: Disk): {
  readonly records: readonly RecordingRecord[];
  readonly sounds: ReadonlyMap<string, ReadonlySet<Word>>;
} {
  const records: RecordingRecord[] = [];
  const sounds = new Map<string, Set<Word>>();
  for (const { value } of disk.records('dictations')) {
    const record = recordOf(value, storedChunks(disk, Object(value).id));
    if (record) records.push(record);
  }
  for (const { key, value } of disk.records('audio')) {
    const [kind, id] = key as [AudioKind, string];
    if (kind !== 'block') continue;
    const words = sounds.get(id) ?? new Set();
    for (const word of hearWords((value as { readonly bytes: ArrayBuffer }).bytes)) words.add(word);
    sounds.set(id, words);
  }
  return { records, sounds };
}

/** All words that are on disk. */
export function wordsOnDisk(disk: Disk): ReadonlySet<Word> {
  const queued = readQueue(disk).chunks.flatMap(({ words }) => words);
  return new Set([...queued, ...[...readJournal(disk).values()].flat()]);
}
