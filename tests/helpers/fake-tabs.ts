import type { QueueMessage, QueueTabs } from '../../workers/upload/queue-tabs.ts';

/** The tabs of one browser: one drains at a time, sessions are open or not, all hear each other. */
export type FakeBrowser = {
  openTab(): QueueTabs;
  /** Sessions that some tab has open. */
  readonly openSessions: Set<string>;
  /** Sessions whose late text has its place in some tab. */
  readonly places: Set<string>;
};

/** A browser without tabs. */
export function createFakeBrowser(): FakeBrowser {
  const openSessions = new Set<string>();
  const places = new Set<string>();
  const claims = new Set<string>();
  const listeners = new Map<QueueTabs, (message: QueueMessage) => void>();
  let drainTaken: Promise<void> = Promise.resolve();

  return {
    openSessions,
    places,
    openTab() {
      const tab: QueueTabs = {
        async takeDrain(signal) {
          const before = drainTaken;
          let release = () => {};
          drainTaken = new Promise((resolve) => {
            release = resolve;
          });
          await before;
          if (!signal.aborted) return release;
          release();
          return undefined;
        },
        async takeClaim(dictationId) {
          if (claims.has(dictationId)) return undefined;
          claims.add(dictationId);
          return () => claims.delete(dictationId);
        },
        isNeeded: async (dictationId) => openSessions.has(dictationId) || places.has(dictationId),
        isOrphan: async (dictationId) => !openSessions.has(dictationId),
        post(message) {
          for (const [other, listener] of listeners) {
            if (other !== tab) queueMicrotask(() => listener(message));
          }
        },
        listen(listener, signal) {
          listeners.set(tab, listener);
          signal.addEventListener('abort', () => listeners.delete(tab));
        },
      };
      return tab;
    },
  };
}
