import type { DeliveryVerdict } from '../../src/core/dictation.ts';
import { joinTranscripts } from '../../src/core/join-transcripts.ts';
import type { QueueLedger } from './queue-ledger.ts';
import type { QueueTabs } from './queue-tabs.ts';
import { sessionChunks } from './session-chunks.ts';

/** What claims need. */
export type TextClaimsPorts = {
  readonly ledger: QueueLedger;
  readonly tabs: QueueTabs;
  /** Learns what the store holds now, other tabs' doings included. */
  readonly refresh: () => Promise<unknown>;
  /** Whether another tab records that session now. */
  readonly isForeign: (sessionId: string) => boolean;
};

/**
 * Texts on their way into a field. A claim is a lock that dies with its tab, and a text is looked for in
 * the store under the lock: so of several tabs one inserts it, and one that is killed loses nothing.
 */
export type TextClaims = {
  /** The text there is of a session, in order; null if there is none, or it is another tab's. */
  claim(sessionId: string): Promise<string | null>;
  settle(sessionId: string, verdict: DeliveryVerdict): Promise<void>;
  dispose(): void;
};

type Claim = { readonly ids: readonly string[]; readonly release: () => void };

/** Makes claims on the texts of a queue. */
export function createTextClaims(ports: TextClaimsPorts): TextClaims {
  const { ledger, tabs, refresh, isForeign } = ports;
  const claims = new Map<string, Claim>();
  const asked = new Set<string>();

  async function claimLocked(sessionId: string, release: () => void): Promise<string | null> {
    await refresh();
    const offered = ledger.list().filter(({ state }) => state.kind !== 'doubted');
    const chunks = isForeign(sessionId) ? [] : sessionChunks(offered, sessionId);
    const ready = chunks.filter(({ text }) => text !== null);
    if (ready.length === 0) {
      release();
      return null;
    }
    claims.set(sessionId, { ids: ready.flatMap(({ ids }) => ids), release });
    return joinTranscripts(new Map(ready.map(({ number, text }) => [number, text ?? ''])));
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
    async settle(sessionId, verdict) {
      const claim = claims.get(sessionId);
      if (!claim) return;
      claims.delete(sessionId);
      if (verdict !== false) for (const id of claim.ids) await ledger.delivered(id, verdict);
      claim.release();
    },
    dispose() {
      for (const { release } of claims.values()) release();
      claims.clear();
    },
  };
}
