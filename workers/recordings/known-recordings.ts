import type { Clock } from '../../src/core/clock.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import type { Keeping } from '../../src/core/recordings/keeping.ts';
import type { RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import type { RecordingStore } from '../../src/core/recordings/recording-store.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import { createRecordingList, createShownRecordings } from './recording-list.ts';
import type { RecordingsChannel } from './recordings-channel.ts';

export type KnownRecordingsPorts = {
  readonly store: Pick<RecordingStore, 'list' | 'listOthers' | 'change' | 'remove'>;
  readonly queue: Pick<UploadQueue, 'cache' | 'snapshot'>;
  /** Whether words of a session are in its journal alone. */
  readonly isKeptRaw: (sessionId: string) => boolean;
  readonly channel: Pick<RecordingsChannel, 'tell'>;
  readonly keeping: Keeping;
  readonly clock: Clock;
  readonly dispatch: (event: SnapshotEvent) => void;
  readonly isShown: (record: RecordingRecord) => boolean;
  /** Told whenever the records may be others. */
  readonly onRecords: (records: readonly RecordingRecord[]) => void;
};

/**
 * The recordings as this worker knows them, in step with the store, other tabs and what is shown.
 * What asks the store rejects with `storage-failed`.
 */
export type KnownRecordings = {
  all(): readonly RecordingRecord[];
  get(id: string): RecordingRecord | undefined;
  /** Whether part of its text is not in the user's hands. */
  isWaiting(id: string): boolean;
  /** Whether it is known what waits: before, nothing may be cleared away. */
  isQueueKnown(): boolean;
  /** Those of others, who are not here, that wait for nothing. */
  others(): ReturnType<RecordingStore['listOthers']>;
  /** Learns what other tabs have done. */
  load(): Promise<void>;
  /** Undefined if it is gone. */
  change(
    id: string,
    how: (record: RecordingRecord) => RecordingRecord,
  ): Promise<RecordingRecord | undefined>;
  /** True if it is gone. */
  remove(id: string, isToGo: (record: RecordingRecord) => boolean): Promise<boolean>;
  /** Something that is shown may have changed. */
  publish(): void;
  /** How long recordings are kept. */
  keeping: Keeping;
  /** Why nothing can be kept; null if it can. */
  error: ErrorInfo | null;
};

export function createKnownRecordings(ports: KnownRecordingsPorts): KnownRecordings {
  const { store, queue, channel, clock, dispatch, isShown, onRecords } = ports;
  const list = createRecordingList();
  const shown = createShownRecordings();
  let { keeping } = ports;
  let error: ErrorInfo | null = null;
  let isPublishing = false;

  /** Before the queue is known, what was not delivered is taken to wait. */
  function isWaiting(id: string): boolean {
    if (!isQueueKnown()) return !list.get(id)?.deliveredAtMs;
    if (ports.isKeptRaw(id)) return true;
    return queue.cache
      .list()
      .some(({ sessionId, state }) => sessionId === id && state.kind !== 'doubted');
  }

  const isQueueKnown = (): boolean => queue.cache.isRead && queue.snapshot().isRecovered;

  /** Once for all that changes at once. */
  function publish(): void {
    if (isPublishing) return;
    isPublishing = true;
    clock.after(0, () => {
      isPublishing = false;
      const items = queue.cache.list();
      const recordings = shown.show({ list, items, isWaiting, isShown, keeping, error });
      if (recordings) dispatch({ kind: 'recordings-changed', recordings });
    });
  }

  function changed(): void {
    channel.tell({ kind: 'changed' });
    publish();
  }

  /** Undefined if it is gone. Rejects with `storage-failed`. */
  async function change(
    id: string,
    how: (record: RecordingRecord) => RecordingRecord,
  ): Promise<RecordingRecord | undefined> {
    const record = await store.change(id, how);
    if (record) list.set(record);
    else list.delete(id);
    onRecords(list.all());
    changed();
    return record;
  }

  async function remove(
    id: string,
    isToGo: (record: RecordingRecord) => boolean,
  ): Promise<boolean> {
    if (!(await store.remove(id, isToGo))) return false;
    list.delete(id);
    changed();
    return true;
  }

  async function load(): Promise<void> {
    list.replace(await store.list());
    onRecords(list.all());
    publish();
  }

  return {
    all: list.all,
    get: list.get,
    isWaiting,
    isQueueKnown,
    others: store.listOthers,
    load,
    change,
    remove,
    publish,
    get keeping() {
      return keeping;
    },
    set keeping(given) {
      keeping = given;
      publish();
    },
    get error() {
      return error;
    },
    set error(given) {
      error = given;
      publish();
    },
  };
}
