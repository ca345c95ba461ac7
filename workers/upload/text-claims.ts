import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { ClaimedText, TextChunks } from '../../src/core/contracts/worker-api.ts';
import { joinTranscripts, textFlowOf } from '../../src/core/queue/join-transcripts.ts';
import {
  isComing,
  isWanting,
  type QueueItemHead,
  type QueueItemState,
} from '../../src/core/queue/queue-item.ts';
import type { QueueCache } from './queue-cache-port.ts';
import type { QueueTabs } from './queue-tabs.ts';
import { sessionChunks } from './session-chunks.ts';
import { createTurns } from './turns.ts';

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
  settle(sessionId: string, verdict: DeliveryVerdict, chunks: TextChunks): Promise<void>;
  /** The same of a session that is running here: the queue is known, and nothing is claimed. */
  settlePieces(
    sessionId: string,
    verdict: Exclude<DeliveryVerdict, false>,
    chunks: TextChunks,
  ): Promise<void>;
  /** The store has just been read: what was settled while it could not be goes now. */
  settleRest(): Promise<void>;
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
  /** A text that is being settled is looked for when it is. */
  const turns = createTurns();
  /** What is to be settled and was not found, since the store could not be read. */
  const unsettled: (() => Promise<void>)[] = [];

  async function claimLocked(sessionId: string, release: () => void): Promise<ClaimedText | null> {
    await refresh();
    const own = cache.list().filter((item) => item.sessionId === sessionId);
    const offered = own.filter(({ state }) => state.kind !== 'doubted');
    const chunks = isForeign(sessionId) ? [] : sessionChunks(offered, sessionId);
    // Behind what is still to come it would stand in the wrong place.
    const firstComing = offered.find(isComing)?.number ?? Number.POSITIVE_INFINITY;
    const ready = chunks.filter(({ number, text }) => text !== null && number < firstComing);
    if (ready.length === 0) {
      release();
      return null;
    }
    claims.set(sessionId, {
      release,
      states: new Map(offered.map(({ id, state }) => [id, state])),
    });
    const texts = new Map(ready.map(({ number, text }) => [number, text ?? '']));
    return {
      text: joinTranscripts(texts, textFlowOf(own)),
      chunks: new Map(ready.map(({ number, doubt }) => [number, doubt])),
    };
  }

  async function deliver(
    sessionId: string,
    verdict: Exclude<DeliveryVerdict, false>,
    chunks: TextChunks,
  ): Promise<void> {
    // A worker that has just replaced a dead one may not have read the queue yet.
    if (!claims.has(sessionId)) await refresh();
    await handOverNow(sessionId, verdict, chunks);
  }

  async function handOverNow(...text: Parameters<typeof handOver>): Promise<void> {
    if (!cache.isRead) unsettled.push(() => handOver(...text));
    await handOver(...text);
  }

  async function handOver(
    sessionId: string,
    verdict: Exclude<DeliveryVerdict, false>,
    chunks: TextChunks,
  ): Promise<void> {
    const own = cache.list().filter((item) => item.sessionId === sessionId);
    const given = own.filter((item) => chunks.has(item.number) && isAsClaimed(item));
    // The worker that gave it is dead, and its answer was not stored: what it was is known here.
    for (const { id, number, asks, state } of given) {
      if (asks > 0 || !isWanting(state)) continue;
      cache.note(id, { kind: 'transcribed', text: '', doubt: chunks.get(number) ?? null });
    }
    // A page that tells of it again, after a worker's death, tells by chunk what became of it.
    const isAltered = ({ number }: QueueItemHead): boolean => chunks.get(number) === 'altered';
    const whole = given.filter((item) => !isAltered(item)).map(({ id }) => id);
    const altered = given.filter(isAltered).map(({ id }) => id);
    await cache.delivered(whole, verdict);
    if (altered.length > 0) await cache.delivered(altered, 'altered');
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
        return await turns.run(sessionId, async () => {
          const release = await tabs.takeClaim(sessionId);
          return release ? claimLocked(sessionId, release) : null;
        });
      } finally {
        asked.delete(sessionId);
      }
    },
    settle: (sessionId, verdict, chunks) =>
      turns.run(sessionId, async () => {
        if (verdict !== false) await deliver(sessionId, verdict, chunks);
        claims.get(sessionId)?.release();
        claims.delete(sessionId);
      }),
    settlePieces: handOverNow,
    async settleRest() {
      if (!cache.isRead) return;
      for (const settle of unsettled.splice(0)) await settle();
    },
    dispose() {
      for (const { release } of claims.values()) release();
      claims.clear();
    },
  };
}
