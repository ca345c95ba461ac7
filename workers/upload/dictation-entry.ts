import { createDeferred, type Deferred, sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import type {
  ChunkState,
  ChunkWords,
  DictationStart,
  QueueItemHead,
  ReviewReason,
} from '../../src/core/queue/queue-item.ts';
import type { KeptRecording } from '../../src/core/session/snapshot.ts';

/** The end of a chunk's trip for its dictation. */
export type ChunkOutcome =
  | {
      readonly kind: 'answered';
      /** Empty too if the user discarded the chunk. */
      readonly text: string;
      /** Why it may not be all that was said; null if it may. */
      readonly needsReview: ReviewReason | null;
      readonly snippets?: ChunkWords['snippets'];
    }
  | ChunkLeft;

/** The chunk leaves its dictation and stays in the queue. */
type ChunkLeft = {
  readonly kind: 'left';
  readonly error: ErrorInfo;
  /** Another chunk would have fared no better: network, time-out, server, nobody waits. */
  readonly isForAll: boolean;
};

/**
 * The tab that is to send and show a dictation's chunks:
 * `ours`: this tab records it, or has brought it into the queue;
 * `orphan`: no tab has it open, so that they are everybody's;
 * `foreign`: another tab has it, as far as is known.
 */
type Ownership = 'ours' | 'orphan' | 'foreign';

/** The right to insert a dictation's text, which is this tab's. */
type Claim = {
  /** Gives it back. */
  readonly release: () => void;
  /** The states of its chunks when their text was given, by number. */
  readonly states: ReadonlyMap<number, ChunkState>;
};

type ChunkName = Pick<QueueItemHead, 'dictationId' | 'number'>;

/** A dictation that is over, and of which memory alone has something. */
type Held = {
  readonly release: () => void | Promise<void>;
  /** Removes its journal; rejects if that cannot be done. */
  readonly settle: () => Promise<void>;
  /** Undefined while it may not be settled yet. */
  settling: Promise<void> | undefined;
  /** The journal knows what is to be done, and has not written it yet. */
  isAsked: boolean;
};

/**
 * The part of a dictation that a recovery has brought into the queue: all, all but what could not
 * be encoded, or what somebody else knows.
 */
export type Recovered = 'whole' | 'in-part' | 'kept-by-another';

/** Runs work one after the other, in the order of asking; a failure is the asker's alone. */
class Turn {
  #last: Promise<unknown> = Promise.resolve();

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** All that this tab knows of one dictation on its way to text, beside its chunks. */
export class DictationEntry {
  ownership: Ownership = 'foreign';
  /** Part of it is in a journal alone: a recovery is to bring that first. */
  isWithheld = false;
  /** Chunks that its recording waits for, or will cut anew: they are not the backlog's to send. */
  readonly awaited = new Set<number>();
  /** Chunks whose text its page was given. */
  readonly given = new Set<number>();
  /** Why nobody waits for its texts any more: what comes late goes to its place. */
  givenUp: ErrorInfo | null = null;
  /** Its stop was asked for: there is no time for another try. */
  isFinalizing = false;
  /**
   * It went on here without its journal or its earlier chunks, or its journal could not be looked
   * for: that stays until a recovery has read both.
   */
  isUnread = false;
  /** Speech of it that could not be encoded: its journal alone has it. */
  unencodable: KeptRecording | null = null;
  /** It is over, and its lock is kept until all of it is stored. */
  held: Held | null = null;
  /** Set while it is brought into the queue. */
  recovering: Promise<Recovered> | null = null;
  /**
   * Marks its chunks in the page as delivered when it is recovered. If that failed, the lock keeps
   * other tabs from recovering it: they would cut the chunks again and offer them.
   */
  owed: {
    readonly settle: () => Promise<void>;
    lock: (() => void | Promise<void>) | null;
  } | null = null;
  claim: Claim | null = null;
  /** A claim is on its way: a second one gets nothing. */
  isClaiming = false;

  /** Its chunks' trips while its page waits, in the order of speech. */
  readonly trips = new Turn();
  /** Its requests, whoever sends: the server has one of a dictation at a time. */
  readonly requests = new Turn();
  /** Claims of its text and what becomes of them. */
  readonly claims = new Turn();
  /** Its chunks on their way into the store, each with its cut. */
  readonly puts = new Turn();
  /** Changes of its stored chunks: these may fit where a full disk has no room for audio. */
  readonly changes = new Turn();

  /** Its text came from this worker. */
  isTextGiven = false;
  /** The beginning of its retained record, until some of it was seen in the store. */
  retainedFrom: DictationStart | null = null;
  /** Set while it is here, or some of its sound is still to be retained. */
  recorder: { readonly end: () => Promise<void> } | null = null;
  /** Set while it is over, and some of its sound is still to be retained. */
  retaining: Promise<void> | null = null;
  /** It was recorded, or recovered, by this worker. */
  isRecordedHere = false;
  /** Its retained sound is whole, and storage has not taken that. */
  isEndOwed = false;
  /** It is to be deleted, and storage has not taken that. */
  isBinOwed = false;

  readonly #waits = new Set<Deferred<ChunkLeft>>();
  readonly #finalized = createDeferred();

  /** Gives the outcome of `work`, or the reason why its page waits no longer. */
  async wait<Outcome>(work: Promise<Outcome>): Promise<Outcome | ChunkLeft> {
    if (this.givenUp) return leftBy(this.givenUp);
    const left = createDeferred<ChunkLeft>();
    this.#waits.add(left);
    try {
      return await Promise.race([work, left.promise]);
    } finally {
      this.#waits.delete(left);
    }
  }

  /** Its page waits for nothing any more, now or later. */
  giveUp(error: ErrorInfo): void {
    this.givenUp = error;
    for (const left of this.#waits) left.resolve(leftBy(error));
    this.awaited.clear();
  }

  finalize(): void {
    this.isFinalizing = true;
    this.#finalized.resolve();
  }

  /** Fulfilled after so long, or as soon as its stop is asked for. */
  async finalizedOrAfter(clock: Clock, delayMs: number): Promise<void> {
    await Promise.race([this.#finalized.promise, sleep(clock, delayMs)]);
  }
}

/** The dictations that this tab knows of, by their id. */
export class DictationEntries {
  readonly #entries = new Map<string, DictationEntry>();

  /** Makes one that nobody has seen yet: it may be another tab's until that was asked. */
  of(id: string): DictationEntry {
    const entry = this.#entries.get(id) ?? new DictationEntry();
    this.#entries.set(id, entry);
    return entry;
  }

  all(): Iterable<readonly [id: string, entry: DictationEntry]> {
    return this.#entries;
  }

  isAwaited({ dictationId, number }: ChunkName): boolean {
    return this.#entries.get(dictationId)?.awaited.has(number) ?? false;
  }

  isGiven({ dictationId, number }: ChunkName): boolean {
    return this.#entries.get(dictationId)?.given.has(number) ?? false;
  }

  isForeign(id: string): boolean {
    return (this.#entries.get(id)?.ownership ?? 'foreign') === 'foreign';
  }

  /** True if nothing is still to be brought into the queue of what this tab knows, by anybody. */
  get isAllBrought(): boolean {
    return ![...this.#entries.values()].some(({ isWithheld }) => isWithheld);
  }

  adopt(id: string): void {
    Object.assign(this.of(id), { ownership: 'ours', isWithheld: false });
  }

  withhold(id: string): void {
    Object.assign(this.of(id), { ownership: 'foreign', isWithheld: true });
  }

  /** Asks anew whose these dictations are; true if some are other tabs'. */
  async refresh(
    ids: ReadonlySet<string>,
    isOrphan: (id: string) => Promise<boolean>,
  ): Promise<boolean> {
    const withheld = [...this.#entries].filter(([, entry]) => entry.isWithheld).map(([id]) => id);
    const orphans = new Set<string>();
    for (const id of new Set([...ids, ...withheld])) {
      if (this.of(id).ownership !== 'ours' && (await isOrphan(id))) orphans.add(id);
    }
    for (const [id, entry] of this.#entries) {
      if (entry.ownership === 'ours') continue;
      // Somebody has it for a moment, to look into its journal or to delete it: it is not gone.
      if (entry.ownership === 'orphan' && !orphans.has(id) && ids.has(id)) entry.isWithheld = true;
      entry.ownership = orphans.has(id) ? 'orphan' : 'foreign';
      if (orphans.has(id)) entry.isWithheld = false;
    }
    return [...ids].some((id) => this.isForeign(id));
  }

  /** Gives all claims back. */
  dispose(): void {
    for (const { claim } of this.#entries.values()) claim?.release();
  }
}

function leftBy(error: ErrorInfo): ChunkLeft {
  return { kind: 'left', error, isForAll: true };
}
