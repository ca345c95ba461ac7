import {
  FRAME_SAMPLES,
  rangeSamples,
  type SampleRange,
} from '../../src/core/audio/audio-format.ts';
import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { type Database, isFull, storageCauseName, toStorageError } from './database.ts';
import { changeRow, type DictationRow, dictationOf, rangeKey, rangeOf } from './records.ts';

/**
 * Two frames share a transaction: its cost is per transaction, and one for each frame takes 1.8 %
 * of a core in Chromium, one for two 0.8 % (measured, all processes of the browser together). That
 * both are one record, committed at once, takes another 0.1 off its own process.
 */
const ENTRIES_PER_WRITE = 2;

/** The longest an entry waits for a second one; frames come every 96 ms. */
const WRITE_DELAY_MS = 120;

/**
 * Interval at which a write of audio reaches the disk itself, and with it those before: a power cut
 * costs no more. Five writes a second that wait for the disk would be dear on one that spins.
 */
const STRICT_INTERVAL_MS = 1_000;

/**
 * Pauses between tries while storage fails: doubled each time, up to the last, which is the
 * queue's.
 */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 5_000;

/** A record of audio to be written, or a change of a dictation's row. */
export type PendingEntry = {
  readonly key: IDBValidKey;
  /** For a change it is a `ChangeRow`, its key the dictation's id. */
  readonly value: unknown;
  /**
   * Bytes that may be given up when storage fails for too long; 0 for what is small and kept at any
   * cost: it reaches the disk itself when it is written.
   */
  readonly audioBytes: number;
};

/** Changes the row of a dictation; safe to repeat. */
export type ChangeRow = (row: DictationRow | undefined) => DictationRow | null;

/** Deletes something inside a transaction; safe to repeat. */
type Erasure = (audio: IDBObjectStore, dictations: IDBObjectStore) => void | Promise<void>;

/**
 * Deletes nothing. Chromium counts what is stored when something changes, and compacts what was
 * deleted a moment later: on a machine under load it went on to say that the disk is full.
 */
const COUNT_AGAIN: Erasure = (audio) => {
  audio.delete(['nothing']);
};

type WriteBehindPorts = {
  readonly database: Database;
  readonly clock: Clock;
  /** Audio kept in memory while it can't be written, in bytes; beyond it the oldest is given up. */
  readonly maxPendingBytes: number;
  /** Called once for each cause until writing works again. */
  readonly onFailure: (error: DikteraError) => void;
  /** Called when writing works again after a failure. */
  readonly onRecovered: () => void;
  /** On a full disk: gives up what can be spared elsewhere; true if anything was. Never rejects. */
  readonly spareOthers: () => Promise<boolean>;
};

/**
 * Collects records and writes them a moment later, several to a transaction, one at a time. Records
 * that can't be written stay in memory and are tried again.
 */
export function createWriteBehind(ports: WriteBehindPorts) {
  const { database, clock, maxPendingBytes, onFailure, onRecovered, spareOthers } = ports;
  const pending = new Map<string, PendingEntry>();
  const erasures = new Set<Erasure>();
  const reportedCauses = new Set<string>();
  let pendingBytes = 0;
  let retryMs = 0;
  let strictAtMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let cancelTimer: CancelTimer | undefined;
  let isStopped = false;

  function remove(id: string): void {
    pendingBytes -= pending.get(id)?.audioBytes ?? 0;
    pending.delete(id);
  }

  function report(error: DikteraError): void {
    const cause = storageCauseName(error);
    if (reportedCauses.has(cause)) return;
    reportedCauses.add(cause);
    onFailure(error);
  }

  function giveUpOldest(): void {
    report(new DikteraError('storage-failed', 'Journal memory is full: oldest audio given up'));
    for (const [id, entry] of pending) {
      if (pendingBytes <= maxPendingBytes) return;
      if (entry.audioBytes === 0) continue;
      remove(id);
      // In its place comes what can't be read: that something was there must not be forgotten.
      pending.set(id, { key: entry.key, value: null, audioBytes: 0 });
    }
  }

  /** One transaction: all of it or nothing. */
  async function commit(
    entries: readonly (readonly [string, PendingEntry])[],
    erasing: readonly Erasure[],
  ): Promise<void> {
    const sinceStrictMs = clock.nowMs() - strictAtMs;
    const isSmall = entries.some(([, { audioBytes }]) => audioBytes === 0);
    // A clock set back is no reason to wait.
    const isDue = sinceStrictMs >= STRICT_INTERVAL_MS || sinceStrictMs < 0;
    const durability = isSmall || isDue ? 'strict' : 'relaxed';
    const changes = entries.flatMap(([, { key, value }]) =>
      isChange(value) ? [[String(key), value] as const] : [],
    );
    const sound = joinFrames(
      entries.map(([, entry]) => entry).filter(({ value }) => !isChange(value)),
    );
    await database.write(['audio', 'dictations'], durability, (audio, dictations) => {
      if (erasing.length + changes.length > 0) return writeInOrder(audio, dictations);
      for (const { key, value } of sound) audio.put(value, key);
      // Nothing more is asked: the browser need not wait for that.
      audio.transaction.commit();
    });

    /** Changes of the same row build on each other, so they are written one by one. */
    async function writeInOrder(audio: IDBObjectStore, dictations: IDBObjectStore): Promise<void> {
      for (const erasure of erasing) await erasure(audio, dictations);
      for (const { key, value } of sound) audio.put(value, key);
      for (const [id, change] of changes) await changeRow(dictations, id, change);
    }

    if (durability === 'strict') strictAtMs = clock.nowMs();
    for (const [id, entry] of entries) if (pending.get(id) === entry) remove(id);
    for (const erasure of erasing) erasures.delete(erasure);
  }

  /**
   * On a full disk: deletes what can be, without the audio that does not fit. True if anything was
   * deleted.
   */
  async function makeRoom(): Promise<boolean> {
    const asked = erasures.size;
    // The audio's own failure is told.
    await commit([], asked > 0 ? [...erasures] : [COUNT_AGAIN]).catch(() => {});
    const small = [...pending].filter(([, { audioBytes }]) => audioBytes === 0);
    if (small.length > 0) await commit(small, []).catch(() => {});
    return erasures.size < asked;
  }

  async function withRoom(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!isFull(thrown)) throw thrown;
      if (!(await makeRoom()) && !(await spareOthers())) throw thrown;
      await write();
    }
  }

  async function writeAll(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    try {
      await withRoom(() => commit([...pending], [...erasures]));
    } catch (thrown) {
      const error = toStorageError('journal', thrown);
      retryMs = Math.min(LAST_RETRY_MS, retryMs * 2 || FIRST_RETRY_MS);
      report(error);
      throw error;
    }
    if (retryMs === 0) return;
    retryMs = 0;
    reportedCauses.clear();
    onRecovered();
  }

  function write(): Promise<void> {
    running ??= writeAll().finally(() => {
      running = undefined;
      schedule();
    });
    return running;
  }

  /** Writes in the background: failures have been reported, and are tried again. */
  function writeSoon(): void {
    write().catch(() => {});
  }

  function schedule(): void {
    if (running || isStopped || (pending.size === 0 && erasures.size === 0)) return;
    if (retryMs === 0 && pending.size >= ENTRIES_PER_WRITE) {
      writeSoon();
      return;
    }
    cancelTimer ??= clock.after(retryMs || WRITE_DELAY_MS, writeSoon);
  }

  return {
    /** Adds a record or replaces the one with its key. Never throws. */
    put(entry: PendingEntry): void {
      const id = JSON.stringify(entry.key);
      remove(id);
      pending.set(id, entry);
      pendingBytes += entry.audioBytes;
      if (pendingBytes > maxPendingBytes) giveUpOldest();
      schedule();
    },
    /** Has something deleted in the next write, before that write's records. */
    erase(erasure: Erasure): void {
      erasures.add(erasure);
      schedule();
    },
    /** Forgets records that are not written yet. */
    forget(matches: (key: IDBValidKey) => boolean): void {
      for (const [id, { key }] of pending) if (matches(key)) remove(id);
    },
    /**
     * Has another write done when those that run are over; none of these runs meanwhile. On a full
     * disk what waits to be deleted goes first, and it is done again.
     */
    async inTurn(write: () => Promise<void>): Promise<void> {
      while (running) await running.catch(() => {});
      running = withRoom(write).finally(() => {
        running = undefined;
        schedule();
      });
      return running;
    },
    /** Fulfilled when all that was given before is written; rejects with `storage-failed`. */
    async flush(): Promise<void> {
      // Others wait for their turn, too, and write something else in it.
      while (running) await running.catch(() => {});
      if (pending.size > 0 || erasures.size > 0) await write();
    },
    /** Starts no more timers. */
    stop(): void {
      isStopped = true;
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}

function isChange(value: unknown): value is ChangeRow {
  return typeof value === 'function';
}

/**
 * The longest record of audio: what one that cannot be read costs, and all that is dropped at once.
 */
export const MAX_RECORD_SAMPLES = 2 * FRAME_SAMPLES;

type Pcm = SampleRange & { readonly dictationId: string; readonly bytes: Uint8Array };

/**
 * Frames that follow one another as one record: a record costs the browser as much as its audio.
 */
export function joinFrames(entries: readonly PendingEntry[]): readonly PendingEntry[] {
  const joined: PendingEntry[] = [];
  let last: Pcm | undefined;
  for (const entry of entries) {
    const next = pcmIn(entry);
    if (last && next && follows(last, next)) {
      last = { ...last, endSample: next.endSample, bytes: concat(last.bytes, next.bytes) };
      joined[joined.length - 1] = entryOf(last);
      continue;
    }
    last = next;
    joined.push(entry);
  }
  return joined;
}

function follows(last: Pcm, next: Pcm): boolean {
  return (
    last.dictationId === next.dictationId &&
    last.endSample === next.startSample &&
    rangeSamples(last) + rangeSamples(next) <= MAX_RECORD_SAMPLES
  );
}

function pcmIn({ key, value }: PendingEntry): Pcm | undefined {
  const range = rangeOf(key);
  const dictationId = dictationOf(key);
  if (!range || dictationId === undefined || !(value instanceof ArrayBuffer)) return undefined;
  return { ...range, dictationId, bytes: new Uint8Array(value) };
}

function entryOf({ dictationId, bytes, ...range }: Pcm): PendingEntry {
  const { buffer } = bytes;
  return { key: rangeKey('pcm', dictationId, range), value: buffer, audioBytes: bytes.byteLength };
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
