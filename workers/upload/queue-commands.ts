import type { Clock } from '../../src/core/clock.ts';
import type { ItemUploader } from './item-uploader.ts';
import type { QueueLedger } from './queue-ledger.ts';

/** What commands need. */
export type QueueCommandPorts = {
  readonly ledger: QueueLedger;
  readonly uploader: ItemUploader;
  readonly clock: Clock;
  /** Chunks that a recording needs, and sessions that are another tab's: not thrown away with the rest. */
  readonly isNeeded: (id: string, sessionId: string) => boolean;
  readonly refresh: () => Promise<unknown>;
};

/** What a person can ask of chunks. */
export type QueueCommands = {
  /** A chunk that waits, or that the server refused, is due now. */
  makeDue(id: string): Promise<void>;
  discard(id: string): Promise<void>;
  /** All but those of one session, and those that are needed. */
  discardAll(keptSessionId: string | null): Promise<void>;
};

/** Makes the commands of a queue. */
export function createQueueCommands(ports: QueueCommandPorts): QueueCommands {
  const { ledger, uploader, clock, isNeeded, refresh } = ports;

  async function discard(id: string): Promise<void> {
    const removed = ledger.remove(id, 'deleted');
    uploader.abort(id);
    await removed;
  }

  return {
    discard,
    async makeDue(id) {
      const state = ledger.head(id)?.state;
      if (state?.kind !== 'waiting' && state?.kind !== 'parked') return;
      const lastError = state.kind === 'parked' ? state.error : state.lastError;
      const nextAttemptAtMs = clock.nowMs();
      await ledger.change(id, { state: { kind: 'waiting', nextAttemptAtMs, lastError } });
    },
    async discardAll(keptSessionId) {
      await refresh();
      for (const { id, sessionId } of ledger.list()) {
        if (sessionId !== keptSessionId && !isNeeded(id, sessionId)) await discard(id);
      }
    },
  };
}
