import { createDeferred } from '../core/async.ts';
import { isNothing } from '../core/blank-text.ts';
import type { Clock } from '../core/clock.ts';
import type { DeliveryVerdict, StartOptions } from '../core/contracts/dictation.ts';
import type { DeliveredChunks, DictationText, TextChunks } from '../core/contracts/worker-api.ts';
import { toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { ReviewReason } from '../core/queue/queue-item.ts';
import type { Snapshot } from '../core/session/snapshot.ts';
import {
  type Insertions,
  NO_TEXT,
  nextStep,
  type PieceRest,
  type PieceStep,
  type Pieces,
  piecesFrom,
  restOf,
  type TextId,
  type TextState,
  textStateOf,
} from '../core/session/text-state.ts';
import { holdPlace, inheritClaim } from '../platform/locks.ts';
import type { CaptureReports } from './capture-reports.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Ask, WorkerClient, WorkerConnection } from './worker-connection.ts';

/**
 * Workers that are told what became of a text, one after the other dead, before it is left as it
 * is.
 */
const MOST_TELLINGS = 5;

/**
 * A text that is ready and is not given is asked for again: no change may tell when it can be had.
 */
const ASK_AGAIN_MS = 1_000;

/**
 * A keyboard may stay composing, and a page's promise may never end: what is not in by then is not
 * to go in any more.
 */
const WITHDRAWN_AFTER_MS = 29_000;

/** Time for an answer after a withdrawal; a text without one counts as not in. */
const LAST_ANSWER_MS = 1_000;

type PlaceHold = ReturnType<typeof holdPlace>;

type Deliver = NonNullable<StartOptions['deliver']>;

/** Puts a text into the page; `withdrawn` is aborted when it must not go in any more. */
type Insert = (withdrawn: AbortSignal) => DeliveryVerdict | Promise<DeliveryVerdict>;

/** A text by the chunks that it was made of. */
type ChunksOfText = { readonly dictationId: string; readonly chunks: TextChunks };

/** A text and its chunks, as the worker gives it. */
type GivenText = Pick<DictationText, 'chunks' | 'texts' | 'text'>;

/** The pieces of one live recording on their way into the page while it goes on. */
export type LivePieces = {
  /** Those that stand there: no text is to hold them again, whatever dies. */
  readonly delivered: TextChunks;
  /**
   * The recording ends: nothing more goes in. Fulfilled, a second later at most, when it is known
   * whether the last one did and the worker is being told.
   */
  close(): Promise<void>;
  /**
   * Tells what of a whole text is still to go in; pieces that were taken back are taken out of the
   * page first, if they can be. After `close`.
   */
  restOf(given: GivenText): Promise<PieceRest>;
  /** That rest is in somebody's hands: what comes later may take back what was given with it. */
  settle(given: Pick<GivenText, 'texts'>, rest: PieceRest): void;
};

/** Texts go in when the recording ends. */
export const NO_PIECES: LivePieces = {
  delivered: new Map(),
  close: async () => {},
  restOf: async ({ text }) => ({ text, numbers: [], isStruckStanding: false, texts: null }),
  settle: () => {},
};

type TextInboxPorts = {
  readonly store: Pick<SnapshotStore, 'getSnapshot' | 'subscribe' | 'tellLate'>;
  readonly connection: WorkerConnection;
  readonly reports: Pick<CaptureReports, 'raise' | 'clear'>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Texts from the worker to their places in this page. */
export type TextInbox = ReturnType<typeof createTextInbox>;

/**
 * Makes the one that knows where each text is that this page waits for, is inserting, or could not
 * insert; and has the worker told what became of it, whichever worker it is by then.
 */
export function createTextInbox({ store, connection, reports, clock, log }: TextInboxPorts) {
  const watchers = new Set<(snapshot: Snapshot) => void>();
  /** Texts on their way into the page: how each is withdrawn. */
  const onTheirWay = new Map<string, () => void>();
  /** Texts that did not go in, and still wait: ends the look-out for each. */
  const undelivered = new Map<string, () => void>();
  const places = new Set<{ readonly dictationId: string; lock: PlaceHold }>();
  /** Pieces in the page of texts that still wait, and the worker that was told of them last. */
  const standing = new Map<string, { readonly pieces: LivePieces; told: WorkerClient | null }>();

  const stop = store.subscribe(() => {
    for (const watcher of watchers) watcher(store.getSnapshot());
  });

  /** Has `see` told where a text is: by `look`, and after every change until `stop`. */
  function watch(text: TextId, see: (state: TextState) => void) {
    let state = NO_TEXT;
    const look = (snapshot = store.getSnapshot()): void => {
      state = textStateOf(snapshot, text, state);
      see(state);
    };
    watchers.add(look);
    return {
      look: () => look(),
      stop: () => watchers.delete(look),
      isOn: () => watchers.has(look),
    };
  }

  async function tell(isDelivered: boolean, telling: Ask<void>): Promise<void> {
    for (let tellings = 1; ; tellings += 1) {
      const worker = connection.worker();
      try {
        return await worker.call(telling(worker.api));
      } catch (error) {
        // A dead worker holds no claim, and one that takes its place has none to end.
        if (!isDelivered) return;
        if (connection.worker() !== worker && tellings < MOST_TELLINGS) continue;
        const info = toErrorInfo(error, 'worker-crashed');
        log.error('A text that was inserted is offered again', info);
        return;
      }
    }
  }

  function markDelivered(text: ChunksOfText, verdict: DeliveredChunks['verdict']): Promise<void> {
    const { dictationId, chunks } = text;
    return tell(true, (api) => api.markDelivered(dictationId, verdict, chunks));
  }

  function close({ dictationId, chunks }: ChunksOfText, verdict: DeliveryVerdict): Promise<void> {
    const delivered = verdict === false ? null : { verdict, chunks };
    return tell(delivered !== null, (api) => api.close(dictationId, delivered));
  }

  /** A person is told for as long as anything waits of a dictation whose text did not go in. */
  function tellUndelivered(dictationId: string): void {
    log.warn('A text was not inserted and waits in the queue');
    undelivered.get(dictationId)?.();
    store.tellLate(dictationId);
    reports.raise('text-not-inserted');
    // A new worker may have cut its chunks anew, with other numbers.
    const watching = watch({ dictationId }, ({ kind }) => {
      if (kind !== 'gone' && kind !== 'needs-review') return;
      watching.stop();
      undelivered.delete(dictationId);
      if (undelivered.size === 0) reports.clear('text-not-inserted');
    });
    undelivered.set(dictationId, watching.stop);
    watching.look();
  }

  /**
   * Inserts a text. False if that was refused, failed, or took over 30 s, which is logged and told;
   * also if the user throws away meanwhile, here or in another tab, all it was made of. Never
   * rejects.
   */
  async function insert(text: ChunksOfText, into: Insert): Promise<DeliveryVerdict> {
    const { dictationId } = text;
    let isDeleted = false;
    const { verdict, withdraw } = insertInTime(into, {
      clock,
      log,
      onOverdue() {
        if (!isDeleted) log.warn('A text was not inserted within 30 s; it is offered');
      },
      onLate: (late) => void markDelivered(text, late),
    });
    onTheirWay.set(dictationId, withdraw);
    const watching = watch(text, ({ kind }) => {
      isDeleted ||= kind === 'gone';
      if (isDeleted) withdraw();
    });
    watching.look();
    const given = await verdict;
    watching.stop();
    onTheirWay.delete(dictationId);
    if (given === false && !isDeleted) tellUndelivered(dictationId);
    return given;
  }

  /**
   * Inserts what is left of a text whose pieces stand in the page, as `insert` does. Where it did not
   * go in, the worker is told what to offer of it: of chunks that are delivered it offers nothing.
   */
  async function insertRest(
    text: ChunksOfText & Pick<GivenText, 'texts'>,
    pieces: LivePieces,
    rest: PieceRest,
    into: (text: string, withdrawn: AbortSignal) => DeliveryVerdict | Promise<DeliveryVerdict>,
  ): Promise<DeliveryVerdict> {
    const { dictationId } = text;
    const verdict = await insert(text, async (withdrawn) => {
      const given = await into(rest.text, withdrawn);
      return given === true && rest.isStruckStanding ? 'altered' : given;
    });
    if (verdict !== false) {
      pieces.settle(text, rest);
      return verdict;
    }
    const { texts } = rest;
    if (texts) await tell(true, (api) => api.offer(dictationId, texts));
    keepStanding(dictationId, pieces);
    return false;
  }

  /** Whoever takes more of that text on this page takes out of it what has to go. */
  function keepStanding(dictationId: string, pieces: LivePieces): void {
    if (pieces === NO_PIECES || standing.has(dictationId)) return;
    standing.set(dictationId, { pieces, told: null });
    const watching = watch({ dictationId }, ({ kind }) => {
      if (kind !== 'gone' && kind !== 'needs-review') return;
      watching.stop();
      standing.delete(dictationId);
    });
    watching.look();
  }

  /** A worker that replaced one whose storage failed would give these pieces once more. */
  async function tellStanding(dictationId: string): Promise<void> {
    const known = standing.get(dictationId);
    const worker = connection.worker();
    if (!known || known.told === worker || known.pieces.delivered.size === 0) return;
    await markDelivered({ dictationId, chunks: known.pieces.delivered }, true);
    known.told = worker;
  }

  /**
   * Gives a waiting text to `into`; null if it is not to be had now, or (`isWhole`) more of it is to
   * come, which a snapshot may not say yet. Rejects before it is given.
   */
  async function take(
    dictationId: string,
    into: (text: string, withdrawn: AbortSignal) => Promise<DeliveryVerdict>,
    isWhole = false,
  ): Promise<DeliveryVerdict | null> {
    if (onTheirWay.has(dictationId)) return null;
    await tellStanding(dictationId);
    const claimed = await connection.ask((api) => api.claim(dictationId, isWhole));
    if (claimed === null) return null;
    const text = { dictationId, ...claimed };
    const endInheritance = inheritClaim(dictationId);
    const { pieces } = standing.get(dictationId) ?? { pieces: NO_PIECES };
    const verdict = await insertRest(text, pieces, await pieces.restOf(claimed), into);
    await close(text, verdict);
    void endInheritance();
    return verdict;
  }

  /**
   * Has the text of a dictation that was not whole when it ended delivered when it is, then lets
   * its place go. Nothing is delivered where it went another way; what fails is left to the list.
   * The pieces of it that stand in the page are not delivered once more.
   */
  function awaitLate(
    dictationId: string,
    deliver: Deliver,
    { place, pieces }: { readonly place: PlaceHold; readonly pieces: LivePieces },
  ): void {
    let isAsked = false;
    keepStanding(dictationId, pieces);
    const watching = watch({ dictationId }, (state) => {
      if (isAsked || state.kind === 'none' || state.kind === 'coming') return;
      if (state.kind === 'ready') return void ask(state.chunksToReview);
      watching.stop();
      void place.release();
      void deliverNothing(deliver, state.kind === 'gone' ? 0 : state.chunksToReview);
    });

    async function ask(chunksToReview: number): Promise<void> {
      isAsked = true;
      const deliverIt = async (text: string, withdrawn: AbortSignal) => {
        watching.stop();
        return deliverRest(deliver, { text, failedChunks: 0, chunksToReview }, withdrawn);
      };
      const taking = take(dictationId, deliverIt, true);
      await taking.catch(() => null);
      if (!watching.isOn()) return void place.release();
      // Another tab has it just now, or the worker died.
      clock.after(ASK_AGAIN_MS, () => {
        isAsked = false;
        if (watching.isOn()) watching.look();
      });
    }

    watching.look();
  }

  /**
   * Has final pieces of a live dictation delivered in the order of speech, one insertion at a time.
   * A refused piece, and all behind it, is tried again when more pieces have come; a piece without
   * a text, whether it is late or never comes, leaves all behind it to the end of the recording.
   */
  function insertPieces(
    dictationId: string,
    deliverPiece: NonNullable<StartOptions['deliverPiece']>,
  ): LivePieces {
    const delivered = new Map<number, ReviewReason | null>();
    /** The texts of delivered pieces, including those that were taken back. */
    const said = new Map<number, string>();
    let insertions: Insertions = [];
    /** Pieces that went in with a rest, here or where a person took it. */
    const elsewhere: number[] = [];
    let withdraw: (() => void) | null = null;
    let underWay: Promise<void> = Promise.resolve();
    /** Number of pieces when the last one was refused. */
    let refusedAt = 0;

    // The page knows best which pieces stand in it: a worker that took over may have it as delivered only.
    const stepTo = ({ texts }: Pick<Pieces, 'texts'>): PieceStep =>
      nextStep(insertions, new Map([...texts, ...said]));

    function conclude({ chunks, texts }: Pieces, step: PieceStep, verdict: DeliveryVerdict): void {
      // Another step may have done it since, where the answer came late.
      if (verdict === false || step.from !== insertions) return;
      insertions = step.after;
      if (step.surplus > 0) return;
      const why = verdict === 'altered' ? verdict : null;
      for (const [number, needsReview] of chunks) delivered.set(number, needsReview ?? why);
      for (const [number, text] of texts) said.set(number, text);
      void markDelivered({ dictationId, chunks }, verdict);
    }

    async function take(pieces: Pieces, step: PieceStep): Promise<boolean> {
      const { surplus } = step;
      const text = surplus > 0 ? '' : step.text;
      const insertion = insertInTime(
        (withdrawn) => (text === '' && surplus === 0) || deliverPiece(text, withdrawn, surplus),
        {
          clock,
          log,
          onOverdue: () => log.warn('A piece was not inserted in time; it comes again'),
          onLate: (late) => conclude(pieces, step, late),
        },
      );
      withdraw = insertion.withdraw;
      const verdict = await insertion.verdict;
      withdraw = null;
      conclude(pieces, step, verdict);
      return verdict !== false;
    }

    async function deliver(pieces: Pieces): Promise<void> {
      const isIn = await take(pieces, stepTo(pieces));
      if (!isIn) refusedAt = delivered.size + pieces.chunks.size;
      if (watchers.has(look)) look(store.getSnapshot());
    }

    function look(snapshot: Snapshot): void {
      if (withdraw) return;
      const ready = piecesFrom(delivered.size, dictationId, snapshot);
      const known = delivered.size + ready.chunks.size;
      if (ready.chunks.size > 0 && known > refusedAt) underWay = deliver(ready);
    }

    watchers.add(look);
    return {
      delivered,
      async close() {
        watchers.delete(look);
        withdraw?.();
        await underWay;
      },
      async restOf(given) {
        // The worker has put the text together where nothing has been in the page.
        if (said.size === 0) return NO_PIECES.restOf(given);
        const step = stepTo(given);
        if (step.surplus > 0) await take(given, step);
        return restOf(insertions, elsewhere, said, given.texts);
      },
      settle({ texts }, { numbers }) {
        if (said.size === 0) return;
        // A text that was delivered here wins over the one given: it is the one in the page.
        for (const [number, text] of [...texts, ...said]) said.set(number, text);
        elsewhere.push(...numbers);
      },
    };
  }

  return {
    insertRest,
    take,
    awaitLate,
    insertPieces,
    markDelivered,
    close,
    isOnItsWay: (dictationId: string) => onTheirWay.has(dictationId),
    /** Has other tabs spare a waiting session: its text will be brought to its place here. */
    holdPlace(dictationId: string): PlaceHold {
      const place = { dictationId, lock: holdPlace(dictationId) };
      places.add(place);
      const release = (): Promise<void> => {
        places.delete(place);
        return place.lock.release();
      };
      return { held: place.lock.held, release };
    },
    /** Other tabs, and the worker, need not spare any of them any more. */
    async letPlacesGo(): Promise<void> {
      const all = [...places];
      places.clear();
      await Promise.all(all.map(({ lock }) => lock.release()));
    },
    /**
     * The page is left, and may be kept: it holds no place until `comeBack`, and texts on their way
     * are not to go in any more, since they are about to be offered elsewhere.
     */
    leave(): void {
      for (const withdraw of onTheirWay.values()) withdraw();
      for (const { lock } of places) void lock.release();
    },
    /** Places not let go meanwhile are held anew. */
    comeBack(): void {
      for (const place of places) place.lock = holdPlace(place.dictationId);
    },
    dispose(): void {
      stop();
      watchers.clear();
      undelivered.clear();
    },
  };
}

/**
 * Tells whoever has kept a place for a text that none comes there; `withdrawn` is aborted where it
 * was thrown away. Never rejects.
 */
export async function deliverNothing(
  deliver: Deliver,
  chunksToReview = 0,
  withdrawn = new AbortController().signal,
): Promise<void> {
  const nothing = { text: '', failedChunks: 0, chunksToReview };
  try {
    await deliver(nothing, withdrawn);
  } catch {
    // Nothing is lost.
  }
}

/** Brings a text to its place: nothing is nowhere refused, since nothing of it could wait. */
export async function deliverRest(
  deliver: Deliver,
  result: Parameters<Deliver>[0],
  withdrawn: AbortSignal,
): Promise<DeliveryVerdict> {
  if (!isNothing(result.text)) return deliver(result, withdrawn);
  await deliverNothing(deliver, result.chunksToReview);
  return true;
}

/** A text on its way into the page. */
type Insertion = {
  /** False too if it failed, or took too long. Never rejects. */
  readonly verdict: Promise<DeliveryVerdict>;
  /** It is not to go in any more: what is not in within a second is not in. */
  withdraw(): void;
};

/**
 * Begins an insertion, which ends within 30 s: `onOverdue` is told if it did not end by itself, and
 * `onLate` if it went in all the same, after it had counted as not in.
 */
function insertInTime(
  insert: Insert,
  ports: {
    readonly clock: Clock;
    readonly log: Logger;
    readonly onOverdue: () => void;
    readonly onLate: (verdict: DeliveredChunks['verdict']) => void;
  },
): Insertion {
  const { clock, log, onOverdue, onLate } = ports;
  const withdrawing = new AbortController();
  const conclusion = createDeferred<DeliveryVerdict>();
  let isOver = false;

  function conclude(verdict: DeliveryVerdict): void {
    isOver = true;
    cancel();
    conclusion.resolve(verdict);
  }

  function withdraw(): void {
    if (isOver || withdrawing.signal.aborted) return;
    cancel();
    cancel = clock.after(LAST_ANSWER_MS, () => {
      onOverdue();
      conclude(false);
    });
    withdrawing.abort();
  }

  async function ask(): Promise<DeliveryVerdict> {
    try {
      return await insert(withdrawing.signal);
    } catch (error) {
      log.error('A text could not be inserted and waits in the queue', error);
      return false;
    }
  }

  let cancel = clock.after(WITHDRAWN_AFTER_MS, withdraw);
  void ask().then((given) => {
    if (!isOver) conclude(given);
    else if (given !== false) onLate(given);
  });
  return { verdict: conclusion.promise, withdraw };
}
