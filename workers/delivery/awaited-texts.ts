import type { QueueTabs } from '../queue/queue-tabs.ts';

/** Sessions that are over and whose late text has its place in a field of this tab. */
export type AwaitedTexts = {
  /** Other tabs leave the session alone from now on when everything is deleted. */
  hold(sessionId: string): Promise<void>;
  has(sessionId: string): boolean;
  /** Its text went into the field, or is not to be had. */
  letGo(sessionId: string): void;
  /** Lets go of those that `isThere` does not know any more. */
  keepOnly(isThere: (sessionId: string) => boolean): void;
  dispose(): void;
};

/** Makes an empty list. */
export function createAwaitedTexts(tabs: Pick<QueueTabs, 'holdPlace'>): AwaitedTexts {
  const held = new Map<string, () => void>();

  function letGo(sessionId: string): void {
    held.get(sessionId)?.();
    held.delete(sessionId);
  }

  return {
    async hold(sessionId) {
      if (held.has(sessionId)) return;
      held.set(sessionId, () => {});
      const release = await tabs.holdPlace(sessionId);
      if (held.has(sessionId)) held.set(sessionId, release);
      else release();
    },
    has: (sessionId) => held.has(sessionId),
    letGo,
    keepOnly(isThere) {
      for (const sessionId of [...held.keys()]) if (!isThere(sessionId)) letGo(sessionId);
    },
    dispose() {
      for (const sessionId of [...held.keys()]) letGo(sessionId);
    },
  };
}
