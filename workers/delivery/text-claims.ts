import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { ClaimedText } from '../../src/core/contracts/worker-api.ts';
import { joinTranscripts } from '../../src/core/queue/join-transcripts.ts';
import type { QueueItemHead, QueueItemState } from '../../src/core/queue/queue-item.ts';
import type { QueueCache } from '../queue/queue-cache.ts';
import type { QueueTabs } from '../queue/queue-tabs.ts';
import { sessionChunks } from './session-chunks.ts';

/** What claims need. */
export type TextClaimsPorts = {
  readonly cache: QueueCache;
  readonly tabs: QueueTabs;
  /** Learns what the store holds now, other tabs' doings included. */
  readonly refresh: () => Promise<unknown>;
  /** Whether another tab records that session now. */
  readonly isForeign: (sessionId: string) => boolean;
};

/**
 * Texts on their way into a field. A claim is a lock that dies with its tab, and a text is looked
 * for in the store under the lock: so of several tabs one inserts it, and one that is killed loses
 * nothing.
 */
export type TextClaims = {
  /** The text there is of a session, in order; null if there is none, or it is another tab's. */
  claim(sessionId: string): Promise<ClaimedText | null>;
  /**
   * Those chunks go, or are doubted; chunks that came after the claim stay. The claim may have been
   * another worker's, which is dead.
   */
  settle(
    sessionId: string,
    verdict: DeliveryVerdict,
    chunkNumbers: readonly number[],
  ): Promise<void>;
  dispose(): void;
};

type Claim = {
  /** Gives it back. */
  readonly release: () => void;
  /** As they were then, by chunk. */
  readonly states: ReadonlyMap<string, QueueItemState>;
};

/** Makes claims on the texts of a queue. */
export function createTextClaims(ports: TextClaimsPorts): TextClaims {
  const { cache, tabs, refresh, isForeign } = ports;
  const claims = new Map<string, Claim>();
  const asked = new Set<string>();

  async function claimLocked(sessionId: string, release: () => void): Promise<ClaimedText | null> {
    await refresh();
    const offered = cache.list().filter(({ state }) => state.kind !== 'doubted');
    const chunks = isForeign(sessionId) ? [] : sessionChunks(offered, sessionId);
    const ready = chunks.filter(({ text }) => text !== null);
    if (ready.length === 0) {
      release();
      return null;
    }
    claims.set(sessionId, {
      release,
      states: new Map(offered.map(({ id, state }) => [id, state])),
    });
    return {
      text: joinTranscripts(new Map(ready.map(({ number, text }) => [number, text ?? '']))),
      chunkNumbers: ready.map(({ number }) => number),
    };
  }

  async function deliver(
    sessionId: string,
    verdict: Exclude<DeliveryVerdict, false>,
    numbers: ReadonlySet<number>,
  ): Promise<void> {
    // A worker that has just replaced a dead one may not have read the queue yet.
    if (!claims.has(sessionId)) await refresh();
    const own = cache.list().filter((item) => item.sessionId === sessionId);
    const given = own.filter((item) => numbers.has(item.number) && isAsClaimed(item));
    await Promise.all(given.map(({ id }) => cache.delivered(id, verdict)));
  }

  /** What a recovery has cut anew meanwhile has another text, or will have: nobody has that yet. */
  function isAsClaimed({ id, sessionId, state }: QueueItemHead): boolean {
    const claimed = claims.get(sessionId)?.states.get(id);
    if (claimed?.kind !== 'transcribed') return true;
    return state.kind === 'transcribed' && state.text === claimed.text;
  }

  return {
    async claim(sessionId) {
      if (claims.has(sessionId) || asked.has(sessionId)) return null;
      asked.add(sessionId);
      try {
        const release = await tabs.takeClaim(sessionId);
        return release ? await claimLocked(sessionId, release) : null;
      } finally {
        asked.delete(sessionId);
      }
    },
    async settle(sessionId, verdict, chunkNumbers) {
      if (verdict !== false) await deliver(sessionId, verdict, new Set(chunkNumbers));
      claims.get(sessionId)?.release();
      claims.delete(sessionId);
    },
    dispose() {
      for (const { release } of claims.values()) release();
      claims.clear();
    },
  };
}
