import type { Clock } from '../../src/core/clock.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { SessionText } from '../../src/core/contracts/worker-api.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import { joinTranscripts, textFlowOf } from '../../src/core/queue/join-transcripts.ts';
import type { QueueItem, QueueItemHead, TextDoubt } from '../../src/core/queue/queue-item.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { LiveChunks } from './live-chunks.ts';
import type { LiveDelivery } from './live-delivery.ts';
import type { QueueCache } from './queue-cache-port.ts';
import { createSessionResume, type SessionResume } from './resume-session.ts';
import { sessionChunks } from './session-chunks.ts';
import { createSessionHurry } from './session-hurry.ts';
import { createSessionWaits } from './session-waits.ts';
import { createTurns } from './turns.ts';

/** How soon a piece is tried again, after a round that the network or the server failed. */
const PIECE_RETRY_MS = 2_000;

const NOT_AWAITED: ErrorInfo = {
  code: 'http-timeout',
  message: 'The text did not come while it was waited for',
};

/** What the delivery of sessions needs. */
export type SessionDeliveryPorts = {
  readonly cache: QueueCache;
  readonly live: LiveChunks;
  readonly deliver: LiveDelivery;
  readonly makeDue: (item: QueueItemHead) => void;
  /** Whether the server asked not to be asked just now. */
  readonly isServerQuiet: () => boolean;
  readonly clock: Clock;
  /** Something that a session does not wait for any more is over. */
  readonly onLate: () => void;
};

/** Texts on their way to the sessions that wait for them, in the order of speech. */
export type SessionDelivery = {
  /**
   * Keeps a live session's chunk, and takes it through a round: its text, or why it leaves the
   * session.
   */
  submit(item: QueueItem, keep: () => Promise<void>): Promise<ChunkOutcome>;
  /** A live session's stop was asked for: a piece that fails now is not tried again for it. */
  hurry(sessionId: string): void;
  /** Nobody waits for a session's texts any more: what is not text yet leaves it. */
  stopWaiting(sessionId: string): void;
  /** A session goes on whose worker died; see `SessionResume`. */
  readonly resumption: SessionResume;
  /** The text of a dead session: gives what still waits of it one round, then joins. */
  resultOf(sessionId: string): Promise<SessionText>;
  /** Whether a chunk's text has been given to a session. */
  isGiven(id: string): boolean;
  /** The texts given so far are in the user's hands: those chunks go, or are doubted. */
  acknowledge(
    sessionId: string,
    verdict: Exclude<DeliveryVerdict, false>,
    isOver?: boolean,
  ): Promise<boolean>;
};

/** Makes the delivery of sessions; each has a lane of its own. */
export function createSessionDelivery(ports: SessionDeliveryPorts): SessionDelivery {
  const { cache, live, makeDue, onLate, deliver } = ports;
  const lanes = createTurns();
  const waits = createSessionWaits();
  const hurry = createSessionHurry(ports.clock);
  /** Chunks whose text has been given to a session. */
  const given = new Set<string>();

  const itemsOf = (sessionId: string): readonly QueueItemHead[] =>
    cache.list().filter((item) => item.sessionId === sessionId);

  /** Until one fails: what comes after it would leave a hole. */
  async function deliverWaiting(sessionId: string): Promise<void> {
    for (const item of itemsOf(sessionId)) {
      if (waits.endedBy(sessionId)) return;
      // What the backlog is sending already is waited for.
      if (item.state.kind !== 'waiting' && item.state.kind !== 'sending') continue;
      live.add([item.id]);
      makeDue(item);
      const outcome = await deliver(item.id);
      if (outcome.kind === 'left') return;
    }
  }

  function give(id: string): void {
    given.add(id);
  }

  function leftIfEnded(sessionId: string): ChunkOutcome | null {
    const error = waits.endedBy(sessionId);
    return error && { kind: 'left', error, isForAll: true };
  }

  /** In the session's turn, for as long as it waits; what it does not wait for is the backlog's. */
  async function inLane(
    sessionId: string,
    id: string,
    work: () => Promise<ChunkOutcome>,
  ): Promise<ChunkOutcome> {
    const delivering = lanes.run(sessionId, async (): Promise<ChunkOutcome> => {
      const ended = leftIfEnded(sessionId) ?? (await work());
      // What comes after it would only fail the same way, one after the other.
      if (ended.kind === 'left' && ended.isForAll) stopWaiting(sessionId, ended.error);
      return ended;
    });
    void delivering.finally(() => waits.endedBy(sessionId) && onLate());
    const outcome = await waits.wait(sessionId, delivering);
    if (outcome.kind === 'transcribed') outcome.ids.forEach(give);
    // Cut after the session had stopped waiting: the backlog's from the start.
    else live.letGo([id]);
    return outcome;
  }

  function stopWaiting(sessionId: string, error: ErrorInfo): void {
    waits.end(sessionId, error);
    live.letGo(itemsOf(sessionId).map(({ id }) => id));
  }

  /**
   * While a live session goes on there is time: what a network that is away for a moment keeps from
   * it is tried again in its turn, or no more words would become text before the stop.
   */
  async function deliverPiece({ id, sessionId }: QueueItem): Promise<ChunkOutcome> {
    for (;;) {
      const outcome = await deliver(id);
      const isPassing = outcome.kind === 'left' && outcome.isForAll;
      if (!isPassing || hurry.isAsked(sessionId) || waits.endedBy(sessionId)) return outcome;
      live.add([id]);
      do await hurry.orAfter(sessionId, PIECE_RETRY_MS);
      while (ports.isServerQuiet() && !hurry.isAsked(sessionId));
      const head = cache.head(id);
      if (head) makeDue(head);
    }
  }

  const resumption = createSessionResume({
    cache,
    live,
    give,
    deliver: (sessionId, id) => inLane(sessionId, id, () => deliver(id)),
  });

  return {
    resumption,
    async submit(item, keep) {
      live.add([item.id]);
      const kept = keep();
      return inLane(item.sessionId, item.id, async () => {
        await kept;
        // Storage that was slow: meanwhile it has become the backlog's, of whichever tab sends.
        return leftIfEnded(item.sessionId) ?? (item.isLive ? deliverPiece(item) : deliver(item.id));
      });
    },
    hurry: hurry.ask,
    stopWaiting: (sessionId) => stopWaiting(sessionId, NOT_AWAITED),
    isGiven: (id) => given.has(id),
    async resultOf(sessionId) {
      await waits.wait(
        sessionId,
        lanes.run(sessionId, () => deliverWaiting(sessionId)),
      );
      const chunks = sessionChunks(cache.list(), sessionId);
      const texts = new Map<number, string>();
      const doubts = new Map<number, TextDoubt | null>();
      for (const { number, text, doubt, id } of chunks) {
        if (text === null) continue;
        texts.set(number, text);
        doubts.set(number, doubt);
        give(id);
      }
      return {
        text: joinTranscripts(texts, textFlowOf(itemsOf(sessionId))),
        chunks: doubts,
        failedChunks: chunks.length - texts.size,
        doubtfulChunks: [...doubts.values()].filter((doubt) => doubt !== null).length,
      };
    },
    async acknowledge(sessionId, verdict, isOver = false) {
      const ids = itemsOf(sessionId).map(({ id }) => id);
      const handed = ids.filter((id) => given.delete(id));
      return cache.delivered(handed, verdict, isOver ? sessionId : null);
    },
  };
}
