import type { Clock } from '../core/clock.ts';
import type { DeliveryVerdict, StartOptions } from '../core/contracts/dictation.ts';
import type { TextChunks } from '../core/contracts/worker-api.ts';
import type { Logger } from '../core/logger.ts';
import { joinTranscripts } from '../core/queue/join-transcripts.ts';
import type { TextDoubt } from '../core/queue/queue-item.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { TextDelivery } from './text-delivery.ts';
import { insertInTime, type TimedInsertion } from './timed-insertion.ts';

/** The pieces of one live recording on their way into the page while it goes on. */
export type PieceDelivery = {
  /** Those that stand there: no text is to hold them again, whatever dies. */
  readonly delivered: TextChunks;
  /**
   * The recording ends: nothing more goes in. Fulfilled, a second later at most, when it is known
   * whether the last one did and the worker is being told.
   */
  close(): Promise<void>;
};

/** Texts go in when the recording ends. */
export const NO_PIECES: PieceDelivery = { delivered: new Map(), close: async () => {} };

export type PieceDeliveryPorts = {
  readonly sessionId: string;
  readonly deliverPiece: NonNullable<StartOptions['deliverPiece']>;
  readonly store: Pick<SnapshotStore, 'getSnapshot' | 'subscribe'>;
  readonly markDelivered: TextDelivery['markDelivered'];
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Has final pieces delivered in the order of speech, one insertion at a time. What was refused, and
 * all behind it, is tried again when more has come; a piece that has no text yet, or never will in
 * this recording, keeps all behind it for the end.
 */
export function createPieceDelivery(ports: PieceDeliveryPorts): PieceDelivery {
  const { sessionId, deliverPiece, store, clock, log } = ports;
  const delivered = new Map<number, TextDoubt | null>();
  let insertion: TimedInsertion | null = null;
  let underWay: Promise<void> = Promise.resolve();
  /** How many pieces there were when the last one was refused. */
  let refusedAt = 0;
  let isClosed = false;

  /** The pieces that could go in now, first to last. */
  function ready(): { readonly chunks: TextChunks; readonly text: string } {
    const { session, queue } = store.getSnapshot();
    const chunks = new Map<number, TextDoubt | null>();
    const texts = new Map<number, string>();
    // What the disk did not take would be cut anew by the next worker, perhaps otherwise. Chunks of
    // a server that bills by the request are no pieces.
    const isSafe = session.id === sessionId && session.live !== null && queue.unstoredItems === 0;
    for (let number = delivered.size; isSafe; number += 1) {
      const text = session.transcriptions.get(number);
      if (text === undefined) break;
      chunks.set(number, session.doubts.get(number) ?? null);
      texts.set(number, text);
    }
    return { chunks, text: joinTranscripts(texts, 'running') };
  }

  function conclude(chunks: TextChunks, verdict: DeliveryVerdict): void {
    if (verdict === false) return;
    const why = verdict === 'altered' ? verdict : null;
    for (const [number, doubt] of chunks) delivered.set(number, doubt ?? why);
    void ports.markDelivered({ sessionId, chunks }, verdict);
  }

  async function deliver(chunks: TextChunks, text: string): Promise<void> {
    insertion = insertInTime((withdrawn) => (text === '' ? true : deliverPiece(text, withdrawn)), {
      clock,
      log,
      onOverdue: () => log.warn('A piece of text was not in the page in time; it comes again'),
      onLate: (late) => conclude(chunks, late),
    });
    const verdict = await insertion.verdict;
    insertion = null;
    conclude(chunks, verdict);
    if (verdict === false) refusedAt = delivered.size + chunks.size;
    look();
  }

  function look(): void {
    if (isClosed || insertion) return;
    const { chunks, text } = ready();
    if (chunks.size > 0 && delivered.size + chunks.size > refusedAt)
      underWay = deliver(chunks, text);
  }

  const stop = store.subscribe(look);
  return {
    delivered,
    async close() {
      isClosed = true;
      stop();
      insertion?.withdraw();
      await underWay;
    },
  };
}
