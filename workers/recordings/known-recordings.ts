import type { Clock } from '../../src/core/clock.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import { isDeletedBy, type Owner, type OwnerScope } from '../../src/core/queue/owner.ts';
import { isForReview, type QueueItemHead, waitingState } from '../../src/core/queue/queue-item.ts';
import type {
  Keeping,
  Recording,
  RecordingState,
  Rewriting,
} from '../../src/core/recordings/recording.ts';
import {
  type RecordingRecord,
  rewritingDictationId,
  transcriptsOf,
} from '../../src/core/recordings/recording-record.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import type { DictationEntries } from '../upload/dictation-entry.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';

const FIRST_WORDS_LENGTH = 80;

/** Messages between tabs. */
export type RecordingsMessage =
  | { readonly kind: 'changed' }
  /**
   * All is deleted but these sessions, and those that have begun since: also what another tab still
   * keeps of one that is over.
   */
  | {
      readonly kind: 'deleted';
      readonly spared: ReadonlySet<string>;
      readonly askedAtMs: number;
    };

/** Tells other tabs of their recordings, and hears them. */
export type RecordingsChannel = ReturnType<typeof createRecordingsChannel>;

/** Makes the channel. Others' tabs hear, too: what they delete stays theirs alone. */
export function createRecordingsChannel(scope: Pick<OwnerScope, 'owner'>) {
  const channel = new BroadcastChannel('diktera-recordings');
  return {
    tell: (message: RecordingsMessage): void =>
      channel.postMessage({ ...message, by: scope.owner }),
    listen: (listener: (message: RecordingsMessage) => void): void =>
      channel.addEventListener(
        'message',
        ({ data }: MessageEvent<RecordingsMessage & { readonly by?: Owner }>) =>
          listener(isDeletedBy(scope, data.by) ? data : { kind: 'changed' }),
      ),
  };
}

type KnownRecordingsPorts = {
  readonly store: Pick<RecordingStore, 'list' | 'listOthers' | 'change' | 'remove'>;
  readonly queue: Pick<UploadQueue, 'cache' | 'snapshot'>;
  readonly entries: DictationEntries;
  readonly channel: Pick<RecordingsChannel, 'tell'>;
  readonly keeping: Keeping;
  readonly clock: Clock;
  readonly dispatch: (event: SnapshotEvent) => void;
  readonly isShown: (record: RecordingRecord) => boolean;
  /** Called whenever the records may have changed. */
  readonly onRecords: (records: readonly RecordingRecord[]) => void;
};

/**
 * The recordings as this worker knows them, in step with the store, other tabs and the list shown.
 * Methods that read or write the store reject with `storage-failed`.
 */
export type KnownRecordings = ReturnType<typeof createKnownRecordings>;

export function createKnownRecordings(ports: KnownRecordingsPorts) {
  const { store, queue, channel, clock, dispatch, isShown, onRecords } = ports;
  /** Those of all tabs, as they were read or changed here last. */
  let records = new Map<string, RecordingRecord>();
  let isLoaded = false;
  let { keeping } = ports;
  let error: ErrorInfo | null = null;
  let isPublishing = false;
  /** The recordings shown; one that did not change stays the same object. */
  let shown = new Map<string, Recording>();
  let told = '';

  const all = (): readonly RecordingRecord[] => [...records.values()];

  /** True if it is known what waits: before, nothing may be cleared away. */
  const isQueueKnown = (): boolean => queue.cache.isRead && queue.snapshot().isRecovered;

  /**
   * True if part of its text is not in the user's hands. Before the queue is known, what was not
   * delivered is taken to wait.
   */
  function isWaiting(id: string): boolean {
    if (!isQueueKnown()) return !records.get(id)?.deliveredAtMs;
    if (ports.entries.of(id).unencodable) return true;
    return queue.cache
      .list()
      .some(({ dictationId, state }) => dictationId === id && !isForReview(state));
  }

  function recordingOf(record: RecordingRecord): Recording {
    const { id, startedAtMs, durationSamples, bytes, options } = record;
    const transcripts = transcriptsOf(record);
    const newest = transcripts.at(-1);
    const recording: Recording = {
      ...{ id, startedAtMs, durationSamples, bytes, options },
      state: stateOf(record, isWaiting),
      rewriting: rewritingOf(record, queue.cache.list()),
      firstWords: firstWords(newest?.text ?? ''),
      needsReview: newest?.needsReview ?? null,
      transcripts: transcripts.length,
    };
    const before = shown.get(id);
    return before && JSON.stringify(before) === JSON.stringify(recording) ? before : recording;
  }

  function publishNow(): void {
    isPublishing = false;
    const newestFirst = all()
      .filter(isShown)
      .sort((a, b) => b.startedAtMs - a.startedAtMs);
    const list = newestFirst.map(recordingOf);
    const isSame = list.length === shown.size && list.every((one) => shown.get(one.id) === one);
    const rest = { isLoaded, keeping, error };
    if (isSame && told === JSON.stringify(rest)) return;
    told = JSON.stringify(rest);
    shown = new Map(list.map((recording) => [recording.id, recording]));
    const usedBytes = list.reduce((sum, recording) => sum + recording.bytes, 0);
    dispatch({ kind: 'recordings-changed', recordings: { list, usedBytes, ...rest } });
  }

  /** Something that is shown may have changed: told once for all that changes at once. */
  function publish(): void {
    if (isPublishing) return;
    isPublishing = true;
    clock.after(0, publishNow);
  }

  function changed(): void {
    channel.tell({ kind: 'changed' });
    publish();
  }

  return {
    all,
    get: (id: string): RecordingRecord | undefined => records.get(id),
    isWaiting,
    isQueueKnown,
    /** Those of others, who are not here, that wait for nothing. */
    others: store.listOthers,
    /** Learns what other tabs have done. */
    async load(): Promise<void> {
      records = new Map((await store.list()).map((record) => [record.id, record]));
      isLoaded = true;
      onRecords(all());
      publish();
    },
    /** Undefined if it is gone. */
    async change(
      id: string,
      how: (record: RecordingRecord) => RecordingRecord,
    ): Promise<RecordingRecord | undefined> {
      const record = await store.change(id, how);
      if (record) records.set(id, record);
      else records.delete(id);
      onRecords(all());
      changed();
      return record;
    },
    async remove(id: string, isToGo: (record: RecordingRecord) => boolean): Promise<boolean> {
      if (!(await store.remove(id, isToGo))) return false;
      records.delete(id);
      changed();
      return true;
    },
    publish,
    /** The time for which recordings are kept. */
    get keeping(): Keeping {
      return keeping;
    },
    set keeping(given: Keeping) {
      keeping = given;
      publish();
    },
    /** Why nothing can be kept; null if it can. */
    get error(): ErrorInfo | null {
      return error;
    },
    set error(given: ErrorInfo | null) {
      error = given;
      publish();
    },
  };
}

function stateOf(record: RecordingRecord, isWaiting: (id: string) => boolean): RecordingState {
  if (record.isInBin) return { kind: 'in-bin' };
  if (record.endedAtMs === null) return { kind: 'recording' };
  return { kind: isWaiting(record.id) ? 'waiting' : 'delivered' };
}

function rewritingOf(
  { id, asked }: RecordingRecord,
  items: readonly QueueItemHead[],
): Rewriting | null {
  if (!asked) return null;
  const dictationId = rewritingDictationId(id, asked.number);
  const states = items.filter((item) => item.dictationId === dictationId).map(({ state }) => state);
  const refused = states.find((state) => state.kind === 'refused');
  const [lastError = null] = states.flatMap((state) => waitingState(state)?.lastError ?? []);
  return {
    askedAtMs: asked.atMs,
    options: asked.options,
    error: refused ? refused.error : lastError,
    isRefused: refused !== undefined,
  };
}

function firstWords(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= FIRST_WORDS_LENGTH ? line : `${line.slice(0, FIRST_WORDS_LENGTH - 1)}…`;
}
