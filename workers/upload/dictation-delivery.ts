import { assertNever } from '../../src/core/assert-never.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type {
  ClaimedText,
  DictationText,
  TextChunks,
} from '../../src/core/contracts/worker-api.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import {
  isComing,
  isWanting,
  joinTranscripts,
  type QueueItem,
  type QueueItemHead,
  type ReviewReason,
  reviewReason,
  textFlowOf,
  undeliveredText,
  waitingState,
} from '../../src/core/queue/queue-item.ts';
import { dueInMs, isServerTrouble } from '../../src/core/queue/queue-policy.ts';
import type { ChunkOutcome, DictationEntries, DictationEntry } from './dictation-entry.ts';
import type { ItemUploader } from './item-uploader.ts';
import type { QueueCache } from './queue-cache.ts';
import type { QueueTabs } from './queue-tabs.ts';

/** Delay before a piece is tried again, after a round that the network or the server failed. */
const PIECE_RETRY_MS = 2_000;

const NOT_AWAITED: ErrorInfo = {
  code: 'http-timeout',
  message: 'The text did not come while it was waited for',
};

/** A verdict on a text that is in the user's hands. */
type Delivered = Exclude<DeliveryVerdict, false>;

/** A chunk that the dictation's dead worker had cut. */
export type ResumedChunk = {
  readonly number: number;
  readonly item: QueueItemHead;
  /** Its text if there is one already, else how its one round will end. */
  readonly outcome: ChunkOutcome | Promise<ChunkOutcome>;
};

type DictationDeliveryPorts = {
  readonly cache: QueueCache;
  readonly uploader: ItemUploader;
  readonly entries: DictationEntries;
  readonly tabs: Pick<QueueTabs, 'takeClaim'>;
  /** Learns what the store holds now, other tabs' doings included. */
  readonly refresh: () => Promise<unknown>;
  readonly clock: Clock;
  /** Something that a dictation does not wait for any more is over. */
  readonly onLate: () => void;
};

/** Texts on their way from the server to a page, a dictation's in the order of speech. */
export function createDictationDelivery(ports: DictationDeliveryPorts) {
  const { cache, uploader, entries, tabs, refresh, clock, onLate } = ports;
  /**
   * Deliveries that came while the store could not be read, so that their chunks were not found.
   */
  const undelivered: (() => Promise<unknown>)[] = [];

  const itemsOf = (id: string): readonly QueueItemHead[] =>
    cache.list().filter(({ dictationId }) => dictationId === id);

  function makeDue(item: QueueItemHead): void {
    const waiting = waitingState(item.state);
    if (!waiting || dueInMs(item, clock.nowMs()) === 0) return;
    cache.note(item.id, { ...waiting, nextAttemptAtMs: clock.nowMs() });
  }

  /** Takes a chunk through one round. */
  async function deliver(entry: DictationEntry, item: QueueItemHead): Promise<ChunkOutcome> {
    const result = await uploader.upload(item.id);
    entry.awaited.delete(item.number);
    cache.forgetAudio(item.id);
    switch (result.kind) {
      case 'answered':
        return result;
      case 'gone':
        return { kind: 'answered', text: '', needsReview: null };
      case 'waits':
        return { kind: 'left', error: result.error, isForAll: isServerTrouble(result.error) };
      case 'refused':
        return { kind: 'left', error: result.error, isForAll: false };
      default:
        return assertNever(result);
    }
  }

  /**
   * While a live recording goes on there is time: a network that is away for a moment is tried
   * again in the chunk's turn, or no more words would become text before the stop.
   */
  async function deliverPiece(entry: DictationEntry, item: QueueItemHead): Promise<ChunkOutcome> {
    for (;;) {
      const outcome = await deliver(entry, item);
      const isPassing = outcome.kind === 'left' && outcome.isForAll;
      if (!isPassing || entry.isFinalizing || entry.givenUp) return outcome;
      entry.awaited.add(item.number);
      do await entry.finalizedOrAfter(clock, PIECE_RETRY_MS);
      while (uploader.isQuiet && !entry.isFinalizing);
      const head = cache.head(item.id);
      if (head) makeDue(head);
    }
  }

  function leftIfGivenUp({ givenUp }: DictationEntry): ChunkOutcome | null {
    return givenUp && { kind: 'left', error: givenUp, isForAll: true };
  }

  /** In the dictation's turn, for as long as its page waits; the rest is the backlog's. */
  async function inTurn(
    entry: DictationEntry,
    number: number,
    work: () => Promise<ChunkOutcome>,
  ): Promise<ChunkOutcome> {
    const delivering = entry.trips.run(async (): Promise<ChunkOutcome> => {
      const ended = leftIfGivenUp(entry) ?? (await work());
      // The chunks behind it would only fail the same way, one after the other.
      if (ended.kind === 'left' && ended.isForAll) entry.giveUp(ended.error);
      return ended;
    });
    void delivering.finally(() => entry.givenUp && onLate());
    const outcome = await entry.wait(delivering);
    if (outcome.kind === 'answered') entry.given.add(number);
    // Cut after its page had stopped waiting: the backlog's from the start.
    else entry.awaited.delete(number);
    return outcome;
  }

  function resumedOutcome(entry: DictationEntry, item: QueueItemHead): ResumedChunk['outcome'] {
    const { number, state } = item;
    const text = undeliveredText(state);
    if (text !== null) {
      entry.given.add(number);
      return { kind: 'answered', text, needsReview: reviewReason(state) };
    }
    // It had left before, and is the backlog's or the user's.
    const error = state.kind === 'refused' ? state.error : waitingState(state)?.lastError;
    if (error) return { kind: 'left', error, isForAll: false };
    entry.awaited.add(number);
    return inTurn(entry, number, () => deliver(entry, item));
  }

  /** Until one fails: what comes after it would leave a hole. */
  async function deliverWaiting(entry: DictationEntry, id: string): Promise<void> {
    for (const item of itemsOf(id)) {
      if (entry.givenUp) return;
      // A chunk that the backlog is sending already is waited for.
      if (!isComing(item)) continue;
      entry.awaited.add(item.number);
      makeDue(item);
      const outcome = await deliver(entry, item);
      if (outcome.kind === 'left') return;
    }
  }

  async function claimLocked(
    id: string,
    entry: DictationEntry,
    release: () => void,
    isWhole: boolean,
  ): Promise<ClaimedText | null> {
    await refresh();
    const own = itemsOf(id);
    const offered = own.filter(({ state }) => state.kind !== 'delivered');
    const ours = entries.isForeign(id) ? [] : offered;
    // Behind what is still to come it would stand in the wrong place.
    const firstComing = offered.find(isComing)?.number ?? Number.POSITIVE_INFINITY;
    const ready = ours.filter(
      ({ number, state }) => state.kind === 'answered' && number < firstComing,
    );
    const isLacking = isWhole && offered.some(({ state }) => isWanting(state));
    if (ready.length === 0 || isLacking) {
      release();
      return null;
    }
    entry.claim = { release, states: new Map(offered.map(({ number, state }) => [number, state])) };
    const texts = new Map(ready.map(({ number, state }) => [number, undeliveredText(state) ?? '']));
    return {
      text: joinTranscripts(texts, textFlowOf(own)),
      texts,
      chunks: new Map(ready.map(({ number, state }) => [number, reviewReason(state)])),
    };
  }

  /**
   * False if a recovery has cut the chunk again since its text was claimed: the new text was never
   * given.
   */
  function isAsClaimed({ claim }: DictationEntry, { number, state }: QueueItemHead): boolean {
    const claimed = claim?.states.get(number);
    if (claimed?.kind !== 'answered') return true;
    return state.kind === 'answered' && state.text === claimed.text;
  }

  async function markNow(
    id: string,
    verdict: Delivered,
    chunks: TextChunks,
    isOver: boolean,
  ): Promise<boolean> {
    const entry = entries.of(id);
    const told = itemsOf(id).filter((item) => chunks.has(item.number) && isAsClaimed(entry, item));
    // The worker that gave it is dead, and its answer was not stored: its page alone knows it.
    for (const { id: itemId, number, asks, state } of told) {
      if (asks > 0 || !isWanting(state)) continue;
      cache.note(itemId, { kind: 'answered', text: '', needsReview: chunks.get(number) ?? null });
    }
    // A page that tells of it again, after a worker's death, tells by chunk what became of it.
    const verdicts = told.map(
      (item) => [item.id, chunks.get(item.number) === 'altered' ? 'altered' : verdict] as const,
    );
    return cache.markDelivered(new Map(verdicts), isOver ? id : null);
  }

  /**
   * Those chunks are in the user's hands; told again when the store can be read, if it cannot now.
   * `standing` is the dictation's: `ended` is over with it, and its journal goes in the same step
   * (true if it is gone); one that `waits` may have been given by a worker that is dead, or be
   * claimed just now.
   */
  async function markDelivered(
    id: string,
    verdict: Delivered,
    chunks: TextChunks,
    standing: 'running' | 'ended' | 'waits' = 'running',
  ): Promise<boolean> {
    if (standing === 'waits') {
      return entries.of(id).claims.run(async () => {
        // A worker that has just replaced a dead one may not have read the queue yet.
        if (!entries.of(id).claim) await refresh();
        return markDelivered(id, verdict, chunks);
      });
    }
    if (!cache.isRead) undelivered.push(() => markNow(id, verdict, chunks, false));
    return markNow(id, verdict, chunks, standing === 'ended');
  }

  return {
    makeDue,
    markDelivered,
    /** Takes a recording's chunk through a round, behind those before it, when `keep` has it. */
    async submit(item: QueueItem, keep: () => Promise<void>): Promise<ChunkOutcome> {
      const entry = entries.of(item.dictationId);
      entry.awaited.add(item.number);
      const kept = keep();
      return inTurn(entry, item.number, async () => {
        await kept;
        // Storage that was slow: meanwhile it has become the backlog's, of whichever tab sends.
        const left = leftIfGivenUp(entry);
        return left ?? (item.isLive ? deliverPiece(entry, item) : deliver(entry, item));
      });
    },
    /** Nobody waits for a dictation's texts any more: chunks that are not text yet leave it. */
    stopWaiting(id: string): void {
      entries.of(id).giveUp(NOT_AWAITED);
    },
    /** Takes back a dead worker's chunks, at once: the backlog must see all of it or nothing. */
    resume(id: string): readonly ResumedChunk[] {
      const entry = entries.of(id);
      return itemsOf(id).map((item) => {
        return { number: item.number, item, outcome: resumedOutcome(entry, item) };
      });
    },
    /** The text of a dead dictation: gives what still waits of it one round, then joins. */
    async resultOf(id: string): Promise<DictationText> {
      const entry = entries.of(id);
      await entry.wait(entry.trips.run(() => deliverWaiting(entry, id)));
      const own = itemsOf(id);
      const texts = new Map<number, string>();
      const reasons = new Map<number, ReviewReason | null>();
      for (const { number, state } of own) {
        const text = undeliveredText(state);
        if (text === null) continue;
        texts.set(number, text);
        reasons.set(number, reviewReason(state));
        entry.given.add(number);
      }
      return {
        text: joinTranscripts(texts, textFlowOf(own)),
        chunks: reasons,
        texts,
        failedChunks: own.length - texts.size,
        chunksToReview: [...reasons.values()].filter((reason) => reason !== null).length,
      };
    },
    /**
     * The text there is of a dictation, in order, for this tab alone; null if there is none, or
     * another tab has it. A claim is a lock that dies with its tab, and the text is looked for in
     * the store under it: of several tabs one inserts it, and one that is killed loses nothing.
     * Null too if `isWhole` is wanted, and more is to come.
     */
    async claim(id: string, isWhole: boolean): Promise<ClaimedText | null> {
      const entry = entries.of(id);
      if (entry.claim || entry.isClaiming) return null;
      entry.isClaiming = true;
      const claiming = entry.claims.run(async () => {
        const release = await tabs.takeClaim(id);
        return release ? claimLocked(id, entry, release, isWhole) : null;
      });
      return claiming.finally(() => {
        entry.isClaiming = false;
      });
    },
    /** Waiting chunks have these texts from now on, by number. */
    offer(id: string, texts: ReadonlyMap<number, string>): Promise<void> {
      return entries.of(id).claims.run(async () => {
        for (const { id: itemId, number, state } of itemsOf(id)) {
          const text = texts.get(number);
          if (text === undefined || state.kind !== 'answered') continue;
          await cache.change(itemId, { state: { ...state, text } });
        }
      });
    },
    /** The page that was given the text has done with it: others may have the rest. */
    endClaim(id: string): Promise<void> {
      const entry = entries.of(id);
      return entry.claims.run(async () => {
        entry.claim?.release();
        entry.claim = null;
      });
    },
    /** The store has just been read: what was delivered while it could not be is marked now. */
    async markRest(): Promise<void> {
      if (!cache.isRead) return;
      for (const mark of undelivered.splice(0)) await mark();
    },
  };
}
