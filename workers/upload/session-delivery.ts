import { joinTranscripts } from '../../src/core/join-transcripts.ts';
import type { QueueItem, QueueItemHead } from '../../src/core/queue-item.ts';
import type { SessionResult } from '../../src/core/worker-api.ts';
import type { Delivery, LiveDelivery } from './live-delivery.ts';
import type { QueueLedger } from './queue-ledger.ts';
import { createSessionResume, type SessionResume } from './resume-session.ts';
import { sessionChunks } from './session-chunks.ts';
import { createTurns } from './turns.ts';
import type { ChunkOutcome } from './upload-queue-port.ts';

/** What the delivery of sessions needs. */
export type SessionDeliveryPorts = {
  readonly ledger: QueueLedger;
  /** Chunks that a session waits for: not the backlog's. */
  readonly live: Set<string>;
  readonly delivery: LiveDelivery;
  readonly makeDue: (item: QueueItemHead) => void;
};

/** Texts on their way to the sessions that wait for them, in the order of speech. */
export type SessionDelivery = {
  /** Keeps a live session's chunk, and takes it through a round: its text, or why it leaves the session. */
  submit(item: QueueItem, keep: () => Promise<void>): Promise<ChunkOutcome>;
  /** A session goes on whose worker died; see `SessionResume`. */
  readonly resumption: SessionResume;
  /** The text of a dead session: gives what still waits of it one round, then joins. */
  resultOf(sessionId: string): Promise<SessionResult>;
  /** The texts given so far are in the user's hands: those chunks go. */
  handedOver(sessionId: string): Promise<void>;
};

/** Makes the delivery of sessions; each has a lane of its own. */
export function createSessionDelivery(ports: SessionDeliveryPorts): SessionDelivery {
  const { ledger, live, makeDue } = ports;
  const { deliver, deliverParts } = ports.delivery;
  const lanes = createTurns();
  /** Chunks whose text has been given to a session. */
  const given = new Set<string>();

  const itemsOf = (sessionId: string): readonly QueueItemHead[] =>
    ledger.list().filter((item) => item.sessionId === sessionId);

  /** Until one fails: what comes after it would leave a hole. */
  async function deliverWaiting(sessionId: string): Promise<void> {
    for (const item of itemsOf(sessionId)) {
      // What the backlog is sending already is waited for.
      if (item.state.kind !== 'waiting' && item.state.kind !== 'sending') continue;
      live.add(item.id);
      makeDue(item);
      const delivery = await deliver(item.id);
      if (delivery.kind === 'left') return;
    }
  }

  function give(ids: readonly string[]): void {
    for (const id of ids) given.add(id);
  }

  function conclude(delivery: Delivery): ChunkOutcome {
    if (delivery.kind === 'left') return delivery;
    give(delivery.ids);
    return { kind: 'transcribed', text: delivery.text };
  }

  const resumption = createSessionResume({
    ledger,
    live,
    give,
    deliver: (sessionId, ids) => lanes.run(sessionId, () => deliverParts(ids)).then(conclude),
  });

  return {
    resumption,
    async submit(item, keep) {
      live.add(item.id);
      resumption.submitted(item.id);
      const kept = keep();
      const delivery = await lanes.run(item.sessionId, async () => {
        await kept;
        return deliver(item.id);
      });
      return conclude(delivery);
    },
    async resultOf(sessionId) {
      await lanes.run(sessionId, () => deliverWaiting(sessionId));
      const chunks = sessionChunks(ledger.list(), sessionId);
      const transcriptions = new Map<number, string>();
      for (const { number, text, ids } of chunks) {
        if (text === null) continue;
        transcriptions.set(number, text);
        give(ids);
      }
      return {
        transcription: joinTranscripts(transcriptions),
        failedChunks: chunks.length - transcriptions.size,
      };
    },
    async handedOver(sessionId) {
      for (const { id } of itemsOf(sessionId)) {
        if (given.delete(id)) await ledger.remove(id, 'delivered');
      }
    },
  };
}
