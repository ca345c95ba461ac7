import type { ErrorInfo } from '../../src/core/errors.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import type { Keeping } from '../../src/core/recordings/keeping.ts';
import type {
  Recording,
  RecordingState,
  RecordingsState,
  Rewriting,
} from '../../src/core/recordings/recording.ts';
import { type RecordingRecord, transcriptsOf } from '../../src/core/recordings/recording-record.ts';
import { rewritingSessionId } from '../../src/core/recordings/rewriting-session.ts';

const FIRST_WORDS_LENGTH = 80;

/** The recordings of all tabs, as they were read or changed here last. */
export type RecordingList = {
  readonly isLoaded: boolean;
  all(): readonly RecordingRecord[];
  get(id: string): RecordingRecord | undefined;
  /** All that there is, as the store says. */
  replace(records: readonly RecordingRecord[]): void;
  set(record: RecordingRecord): void;
  delete(id: string): void;
};

export function createRecordingList(): RecordingList {
  let records = new Map<string, RecordingRecord>();
  let isLoaded = false;
  return {
    get isLoaded() {
      return isLoaded;
    },
    all: () => [...records.values()],
    get: (id) => records.get(id),
    replace(found) {
      isLoaded = true;
      records = new Map(found.map((record) => [record.id, record]));
    },
    set: (record) => void records.set(record.id, record),
    delete: (id) => void records.delete(id),
  };
}

export type ShownRecordings = {
  /** What is to be told, or null if nobody would see a difference. */
  show(facts: {
    readonly list: RecordingList;
    readonly items: readonly QueueItemHead[];
    readonly isWaiting: (id: string) => boolean;
    /** Whether it is there for a person: what another page has deleted is not. */
    readonly isShown: (record: RecordingRecord) => boolean;
    readonly keeping: Keeping;
    readonly error: ErrorInfo | null;
  }): RecordingsState | null;
};

/** Makes of records, and of what the queue has, what is shown; what did not change stays itself. */
export function createShownRecordings(): ShownRecordings {
  let shown = new Map<string, Recording>();
  let told = '';

  function recordingOf(
    record: RecordingRecord,
    state: RecordingState,
    rewriting: Rewriting | null,
  ): Recording {
    const { id, startedAtMs, durationSamples, bytes, options } = record;
    const transcripts = transcriptsOf(record);
    const newest = transcripts.at(-1);
    const recording: Recording = {
      ...{ id, startedAtMs, durationSamples, bytes, options, state, rewriting },
      firstWords: firstWords(newest?.text ?? ''),
      doubt: newest?.doubt ?? null,
      transcripts: transcripts.length,
    };
    const before = shown.get(id);
    return before && JSON.stringify(before) === JSON.stringify(recording) ? before : recording;
  }

  return {
    show({ list, items, isWaiting, isShown, keeping, error }) {
      const newestFirst = list
        .all()
        .filter(isShown)
        .sort((a, b) => b.startedAtMs - a.startedAtMs);
      const recordings = newestFirst.map((record) =>
        recordingOf(record, stateOf(record, isWaiting), rewritingOf(record, items)),
      );
      const isSame =
        recordings.length === shown.size && recordings.every((one) => shown.get(one.id) === one);
      const rest = { isLoaded: list.isLoaded, keeping, error };
      if (isSame && told === JSON.stringify(rest)) return null;
      told = JSON.stringify(rest);
      shown = new Map(recordings.map((recording) => [recording.id, recording]));
      const usedBytes = recordings.reduce((sum, { bytes }) => sum + bytes, 0);
      return { list: recordings, usedBytes, ...rest };
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
  const sessionId = rewritingSessionId(id, asked.number);
  const states = items.filter((item) => item.sessionId === sessionId).map(({ state }) => state);
  const refused = states.find((state) => state.kind === 'parked');
  const failed = states.find((state) => state.kind === 'waiting' && state.lastError !== null);
  const lastError = failed?.kind === 'waiting' ? failed.lastError : null;
  return {
    askedAtMs: asked.atMs,
    options: asked.options,
    error: refused?.kind === 'parked' ? refused.error : lastError,
    isRefused: refused !== undefined,
  };
}

function firstWords(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= FIRST_WORDS_LENGTH ? line : `${line.slice(0, FIRST_WORDS_LENGTH - 1)}…`;
}
