import type { LevelPort, LevelReading } from '../core/audio/level-meter.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Transcript } from '../core/recordings/recording.ts';
import {
  INITIAL_SNAPSHOT,
  type Notice,
  type SessionState,
  type Snapshot,
} from '../core/session/snapshot.ts';

/** A dictation that stands still in one state, to be looked at or led by hand. */
export type StillDictation = Dictation & {
  /** Changes parts of the snapshot. */
  set(changes: Partial<Snapshot>): void;
  /** Changes parts of the session. */
  setSession(changes: Partial<SessionState>): void;
  /** Shows these notices. */
  setNotices(notices: readonly Notice[]): void;
};

/** Stands in the state given; commands do nothing, but that recordings go to the bin and back. */
export function createStillDictation(
  changes: Partial<Snapshot> = {},
  /** Transcripts of every recording. @default none */
  texts: readonly Transcript[] = [],
): StillDictation {
  let snapshot: Snapshot = { ...INITIAL_SNAPSHOT, ...changes };
  const listeners = new Set<() => void>();
  const meters = new Set<(reading: LevelReading) => void>();
  const set = (next: Partial<Snapshot>): void => {
    snapshot = { ...snapshot, ...next, version: snapshot.version + 1 };
    for (const listener of listeners) listener();
  };
  const setRecordings = (ids: readonly string[] | null, kind: 'delivered' | 'in-bin'): void => {
    const { recordings } = snapshot;
    const list = recordings.list.map((recording) =>
      (ids === null || ids.includes(recording.id)) && recording.state.kind !== 'recording'
        ? { ...recording, state: { kind } }
        : recording,
    );
    set({ recordings: { ...recordings, list } });
  };
  return {
    set,
    setSession(changes) {
      const session = { ...snapshot.session, ...changes };
      const isFrame = session.processedFrames !== snapshot.session.processedFrames;
      set({ session });
      const { levelDbfs, isSpeaking } = session;
      if (isFrame) for (const meter of meters) meter({ levelDbfs, isSpeaking });
    },
    setNotices: (notices) => set({ notices }),
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    levels() {
      let listener: Parameters<LevelPort['addEventListener']>[1] = () => {};
      const meter = (data: LevelReading): void => listener({ data });
      meters.add(meter);
      return {
        addEventListener(_message, next) {
          listener = next;
        },
        postMessage: () => void meters.delete(meter),
        start() {},
        close() {},
      };
    },
    prepare() {},
    start: async () => ({ ok: false, reason: 'disposed' }),
    pause() {},
    resume() {},
    stop: async () => null,
    cancel() {},
    undoCancel: () => set({ cancelled: null }),
    retry() {},
    discard() {},
    retryKept: async () => {},
    discardKept() {},
    stopWaiting: () => {},
    takeText: async () => false,
    holdPlace: async () => () => {},
    audio: async () => null,
    async wipe() {
      set({ queue: { ...snapshot.queue, items: [] }, kept: [] });
      setRecordings(null, 'in-bin');
    },
    recordings: {
      transcripts: async () => texts,
      audio: async () => null,
      transcribeAgain: async () => false,
      applyRules: async () => false,
      async delete(id) {
        const items = snapshot.queue.items.filter(({ dictationId }) => dictationId !== id);
        set({ queue: { ...snapshot.queue, items } });
        setRecordings([id], 'in-bin');
      },
      deleteAll: async () => setRecordings(null, 'in-bin'),
      undoDelete: async (id) => setRecordings(id === null ? null : [id], 'delivered'),
      keep(given) {
        const keeping = { ...snapshot.recordings.keeping, ...given };
        set({ recordings: { ...snapshot.recordings, keeping } });
      },
      storage: async () => ({ isPersisted: null, usedBytes: null, quotaBytes: null }),
    },
    dismissNotice: (kind) =>
      set({ notices: snapshot.notices.filter((notice) => notice.kind !== kind) }),
    setOptions: () => true,
    dispose() {},
  };
}
