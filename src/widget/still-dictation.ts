import type { Dictation } from '../core/contracts/dictation.ts';
import type { Notice } from '../core/session/notices.ts';
import { INITIAL_SNAPSHOT, type SessionState, type Snapshot } from '../core/session/snapshot.ts';

/** A dictation that stands still in one state, to be looked at or led by hand. */
export type StillDictation = Dictation & {
  /** Changes parts of the snapshot. */
  set(changes: Partial<Snapshot>): void;
  /** Changes parts of the session. */
  setSession(changes: Partial<SessionState>): void;
  /** Shows these notices. */
  setNotices(notices: readonly Notice[]): void;
};

/** Stands in the state given; commands do nothing. */
export function createStillDictation(changes: Partial<Snapshot> = {}): StillDictation {
  let snapshot: Snapshot = { ...INITIAL_SNAPSHOT, ...changes };
  const listeners = new Set<() => void>();
  const meters = new Set<MessagePort>();
  const set = (next: Partial<Snapshot>): void => {
    snapshot = { ...snapshot, ...next, version: snapshot.version + 1 };
    for (const listener of listeners) listener();
  };
  return {
    set,
    setSession(changes) {
      const session = { ...snapshot.session, ...changes };
      const isFrame = session.processedFrames !== snapshot.session.processedFrames;
      set({ session });
      const { levelDbfs, isSpeaking } = session;
      if (isFrame) for (const meter of meters) meter.postMessage({ levelDbfs, isSpeaking });
    },
    setNotices: (notices) => set({ notices }),
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    levels() {
      const { port1, port2 } = new MessageChannel();
      meters.add(port1);
      port1.onmessage = () => meters.delete(port1);
      return port2;
    },
    prepare() {},
    start: async () => false,
    pause() {},
    resume() {},
    stop: async () => null,
    retry() {},
    discard() {},
    retryKept: async () => {},
    discardKept() {},
    stopWaiting: () => {},
    takeText: async () => false,
    holdPlace: async () => () => {},
    audio: async () => null,
    wipe: async () => {},
    dismissNotice: (kind) =>
      set({ notices: snapshot.notices.filter((notice) => notice.kind !== kind) }),
    dispose() {},
  };
}
