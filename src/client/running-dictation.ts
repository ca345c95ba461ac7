import * as Comlink from 'comlink';
import { createDeferred, sleep } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import type { CaptureHandle, CapturePort, CaptureRequest } from '../core/contracts/capture-port.ts';
import type {
  DeliveryVerdict,
  DictationResult,
  StartOptions,
  StartResult,
} from '../core/contracts/dictation.ts';
import type {
  DeliveredChunks,
  DictationTakeover,
  DictationText,
} from '../core/contracts/worker-api.ts';
import { type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { SessionOptions } from '../core/options/dictation-options.ts';
import { IDLE_SESSION } from '../core/session/snapshot.ts';
import { holdOpen } from '../platform/locks.ts';
import { createCancel } from './cancel.ts';
import type { CaptureReports } from './capture-reports.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { deliverRest, NO_PIECES, type TextInbox } from './text-inbox.ts';
import {
  createSessionWorker,
  type WorkerClient,
  type WorkerConnection,
} from './worker-connection.ts';

/**
 * A worker that has to be started is not in the microphone's way: it loads while the first frame is
 * spoken. Unless the browser asks the person, which takes its time.
 */
const WORKER_AFTER_MS = 150;

/** In less than this nobody has said a word. */
const WORDLESS_MS = 1_000;

/**
 * Waits before another worker is asked to go on with a recording that none could. The microphone is
 * closed, so the worklet keeps its last minute as it is; workers that die together, for want of
 * memory say, come to rest.
 */
const RESCUE_PAUSES_MS = [1_000, 4_000, 10_000] as const;

/** Texts are waited for so long from the press on: the stop is to be over within 20 s. */
const TEXT_WAIT_MS = 19_000;

/** A stop is answered by then. */
const STOP_MS = 20_000;

/**
 * A stop waits 5 s at most for the end of a word, which the worker hears: one that is not there yet,
 * or hangs, does not keep the microphone open for longer.
 */
const DEAF_WITHIN_MS = 6_000;

const GONE: ErrorInfo = { code: 'wrong-phase', message: 'The recording is no longer wanted' };

const EMPTY_RESULT: DictationResult = { text: '', failedChunks: 0, chunksToReview: 0 };

const LATE_RESULT: DictationResult = { ...EMPTY_RESULT, failedChunks: 1 };

/** Stages of a dictation: passed in order, some may be left out, and never back. */
const STAGES = [
  /** It is being opened, or recorded. */
  'open',
  /** Its microphone is closed. */
  'quiet',
  /**
   * All that was said is in the journal, or has been brought, or is given up: a worker that dies
   * now is replaced by a recovery.
   */
  'written',
  /** Its text, or what of it came in time, is on its way to its place. */
  'answered',
  /** The worker may begin another. */
  'free',
] as const;

type Stage = (typeof STAGES)[number];

/** Ports of a dictation. */
type RunningPorts = {
  readonly id: string;
  readonly options: SessionOptions;
  readonly deliver: StartOptions['deliver'];
  /** Undefined if its text goes in when it ends. */
  readonly deliverPiece: StartOptions['deliverPiece'];
  readonly connection: Pick<WorkerConnection, 'worker' | 'hasWorker'>;
  readonly inbox: TextInbox;
  readonly reports: Pick<CaptureReports, 'raise'>;
  readonly store: Pick<SnapshotStore, 'getSnapshot' | 'tellLate'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called once, at its end. */
  readonly onOver: () => void;
};

/** Options of opening a dictation. */
export type Opening = {
  readonly capture: Pick<CapturePort<MessagePort>, 'open'>;
  readonly request: Omit<CaptureRequest<MessagePort>, 'framePort' | 'onRebuilt'>;
  /** Fulfilled when the worker has done with the session before; null if there is none. */
  readonly free: Promise<void> | null;
  /** Called once the microphone's frames flow, with or without a worker. */
  readonly onOpen: () => void;
};

/** A dictation from the press of the button to the delivery of its text. */
export type RunningDictation = ReturnType<typeof createRunningDictation>;

/** Makes a dictation that is not open yet; other tabs see that this page has it. */
export function createRunningDictation(ports: RunningPorts) {
  const { id, options, deliverPiece, connection, inbox, clock, log } = ports;
  const worker = createSessionWorker(connection.worker, (refusal) => {
    log.error('No worker can go on with the recording', refusal);
    void end(false);
  });
  const unlock = holdOpen(id);
  /** Its live pieces on their way into the page. */
  const pieces = deliverPiece ? inbox.insertPieces(id, deliverPiece) : NO_PIECES;
  let capture: CaptureHandle<MessagePort> | null = null;
  /** The text that its place was given in the end. */
  const placed = createDeferred<DictationResult>();
  let stage: Stage = 'open';
  const waiting: { readonly stage: Stage; readonly resolve: () => void }[] = [];
  /** The next recording was asked for: this one waits for nothing more. */
  const hurried = createDeferred();
  /** Nothing more is to be heard, be there a worker or not. */
  const heardAll = createDeferred();
  /** Aborted when the dictation is disposed of, or its page left. */
  const leaving = new AbortController();
  const gone = leaving.signal;
  const cancel = createCancel({ id, connection, gone, clock, log });
  const deliver = ports.deliver && noting(cancel.holdingBack(ports.deliver));
  /** Set by whatever ends it first; later ones wait for the same end. */
  let ending: Promise<DictationResult | null> | null = null;
  /** The same without a deadline. */
  let brought: Promise<DictationResult | null> = Promise.resolve(null);

  const isAt = (wanted: Stage): boolean => STAGES.indexOf(stage) >= STAGES.indexOf(wanted);

  function reach(next: Stage): void {
    if (isAt(next)) return;
    stage = next;
    for (const each of waiting) if (isAt(each.stage)) each.resolve();
  }

  /** Lets other tabs have what is left of it. */
  async function releaseLock(): Promise<void> {
    await cancel.settled();
    await unlock();
  }

  function noting(give: NonNullable<typeof ports.deliver>): typeof give {
    return async (result, withdrawn) => {
      try {
        return await give(result, withdrawn);
      } finally {
        placed.resolve(result);
      }
    };
  }

  /** It is over, whatever it has come to. */
  function over(): void {
    void pieces.close();
    reach('free');
  }

  const dictation = {
    id,
    deliver,
    worker,
    /** Fulfilled once the microphone is open, or did not open. */
    opened: Promise.resolve<StartResult>({ ok: true }),
    open,
    end,
    endWhole,
    stopWaiting,
    takeover,
    over,
    pause: () => capture?.pause(),
    resume: () => capture?.resume(),
    isAt,
    /** Fulfilled when it has come so far. */
    async until(wanted: Stage): Promise<void> {
      if (!isAt(wanted))
        await new Promise<void>((resolve) => waiting.push({ stage: wanted, resolve }));
    },
    isEnding: () => ending !== null,
    isCancelled: cancel.isBegun,
    /**
     * Ends it at once and holds its text back until that is told what to do: true has it delivered,
     * false throws it away.
     */
    cancel(): (isWanted: boolean) => void {
      const decide = cancel.begin();
      void pieces.close();
      void end(false);
      return decide;
    },
    /** The next one is wanted: this one waits for nothing more, and its text may come late. */
    hurry() {
      hurried.resolve();
      heardAll.resolve();
    },
    /**
     * Nobody brings it to its end here: what it has heard is for whoever looks into the journal
     * next. A microphone that is being opened, or open, is let go, and no worker is started any
     * more.
     */
    letGo(): void {
      leaving.abort();
      void pieces.close();
      void releaseLock();
    },
    /** It could not be opened. */
    async fail(error: ErrorInfo): Promise<void> {
      over();
      void releaseLock();
      if (error.code === 'worker-crashed') return;
      await worker.call((api) => api.abandon(id, error)).catch(() => {});
    },
  };

  /** The state that the next worker goes on with. */
  function takeover(): DictationTakeover {
    const { session: seen, notices } = ports.store.getSnapshot();
    // The dead one may not have told of it.
    const session = seen.id === id ? seen : { ...IDLE_SESSION, phase: 'starting' as const, id };
    // A copy: what goes in from now on is told the next worker by itself.
    const delivered = new Map(pieces.delivered);
    return { dictationId: id, options, session, notices, delivered };
  }

  /** Opens worker and microphone side by side. Null when both are, or why not; then nothing is. */
  async function open(opening: Opening): Promise<ErrorInfo | null> {
    if (gone.aborted) return GONE;
    const { port1, port2 } = new MessageChannel();
    const hasWorker = connection.hasWorker();
    // First, since everything waits for it.
    const listening = opening.capture.open({
      ...opening.request,
      onRebuilt: () => worker.reconnect(id),
      framePort: port2,
    });
    const left = new Promise<ErrorInfo>((resolve) => {
      gone.addEventListener('abort', () => {
        // A prompt may still be open.
        listening.then((microphone) => microphone.end()).catch(() => {});
        resolve(GONE);
      });
    });
    const heard = listening.catch(() => {});
    if (!hasWorker) await Promise.race([heard, sleep(clock, WORKER_AFTER_MS), left]);
    return gone.aborted ? left : Promise.race([left, begin(opening, listening, port1)]);
  }

  async function begin(
    { free, onOpen }: Opening,
    listening: Promise<CaptureHandle<MessagePort>>,
    port: MessagePort,
  ): Promise<ErrorInfo | null> {
    let heardFromMs = Number.POSITIVE_INFINITY;
    const heard = listening.then((microphone) => {
      heardFromMs = clock.nowMs();
      if (gone.aborted) return microphone;
      worker.attach(microphone);
      capture = microphone;
      void heardAll.promise.then(() => hush());
      onOpen();
      return microphone;
    });
    heard.catch(() => {}); // Told below.
    // The microphone does not wait: what is said meanwhile is in the port.
    if (free) await free;
    if (gone.aborted) return GONE;
    let framePort: MessagePort | null = port;
    const begun = worker.call((api) => {
      const answer = api.begin(id, options);
      // A worker that goes on with it instead gets a port of its own.
      if (framePort) void api.connect(id, Comlink.transfer(framePort, [framePort]));
      framePort = null;
      return answer;
    });
    const [worked, microphone] = await Promise.allSettled([begun, heard]);
    if (gone.aborted) return GONE;
    const isSpokenInto = clock.nowMs() - heardFromMs >= WORDLESS_MS;
    if (worked.status === 'rejected' && microphone.status === 'fulfilled' && isSpokenInto) {
      // The worklet has the words that may have been said, for a worker that can begin.
      void end(false);
      return null;
    }
    const refusal =
      worked.status === 'rejected' ? toErrorInfo(worked.reason, 'worker-crashed') : worked.value;
    if (microphone.status === 'rejected') {
      return refusal ?? toErrorInfo(microphone.reason, 'microphone-failed');
    }
    const { device } = microphone.value;
    // A crash is told elsewhere.
    const why = refusal ?? (await worker.call((api) => api.opened(id, device)).catch(() => null));
    if (why) await microphone.value.end();
    return why;
  }

  /** Has the worker wait no longer for what is not text yet, once one has begun it. */
  async function stopWaiting(): Promise<void> {
    // A worker that is gone has nothing to wait for.
    if ((await dictation.opened).ok)
      await worker.call((api) => api.stopWaiting(id)).catch(() => {});
  }

  /**
   * Brings it from the last word to its text, once, whatever asks for it and whatever dies on the
   * way. Null if nothing was recorded. Answers 20 s after the first call at most: what comes later
   * goes to its place. Never rejects.
   */
  function end(waitsForSpeech: boolean): Promise<DictationResult | null> {
    ending ??= endInTime(waitsForSpeech);
    return ending;
  }

  function endInTime(waitsForSpeech: boolean): Promise<DictationResult | null> {
    const cancelWait = clock.after(TEXT_WAIT_MS, () => void stopWaiting());
    void hurried.promise.then(() => stopWaiting());
    brought = bring(waitsForSpeech)
      .finally(cancelWait)
      .finally(() => {
        over();
        ports.onOver();
      });
    const late = sleep(clock, STOP_MS).then(() => {
      ports.store.tellLate(id);
      return isAt('answered') ? brought : LATE_RESULT;
    });
    return Promise.race([brought, late]);
  }

  /** As `end`, and answers when all of its text is in its place, or nothing more can come. */
  async function endWhole(): Promise<DictationResult | null> {
    void end(true);
    const result = await brought;
    return result && result.failedChunks > 0 && deliver ? placed.promise : result;
  }

  async function bring(waitsForSpeech: boolean): Promise<DictationResult | null> {
    if (waitsForSpeech) void sleep(clock, DEAF_WITHIN_MS, gone).then(heardAll.resolve);
    else heardAll.resolve();
    if (!(await dictation.opened).ok) return null;
    try {
      if (waitsForSpeech) {
        const silent = worker.call((api) => api.finishSpeech(id));
        await Promise.race([silent, hurried.promise]);
      }
      await hush();
      return await answer(await write());
    } catch (error) {
      await hush();
      const text = isAt('written') ? null : await rescue();
      if (text) return await answer(text);
      // Handed to a worker from now on, it would stay there: the page has done with it.
      reach('written');
      log.error(
        'The recording is recovered from the journal',
        toErrorInfo(error, 'worker-crashed'),
      );
      return await recover();
    } finally {
      void capture?.end();
    }
  }

  async function hush(): Promise<void> {
    await capture?.stop();
    reach('quiet');
  }

  /** The microphone is closed: what was said is written down, and becomes text. */
  async function write(): Promise<DictationText> {
    const text = await worker.call(async (api) => {
      if (await api.endRecording(id)) {
        reach('written');
        // On a full disk the worklet has it for the next worker, until this one has brought the
        // text.
        void capture?.end();
      }
      // Pieces that stand in the page are in no later text: the worker is told before it gives one.
      await pieces.close();
      return api.finish(id);
    });
    reach('written');
    return text;
  }

  /**
   * No worker goes on, and what the last one had not written is in the worklet alone, until the
   * context is closed.
   */
  async function rescue(): Promise<DictationText | null> {
    for (const pauseMs of RESCUE_PAUSES_MS) {
      await sleep(clock, pauseMs, gone);
      if (gone.aborted) return null;
      worker.moveTo(connection.worker(), takeover());
      try {
        return await write();
      } catch (error) {
        log.error('No worker can go on with the recording', error);
        if (isAt('written')) return null;
      }
    }
    const message = 'What no worker had written into the journal is given up';
    log.error(message);
    ports.reports.raise('speech-lost', { code: 'worker-crashed', message });
    return null;
  }

  /**
   * The worker died with the session in it: a new one makes text of what the journal holds. Never
   * rejects.
   */
  async function recover(): Promise<DictationResult> {
    await pieces.close();
    // Its page was left, or it is disposed of: somebody else may have it by now.
    if (gone.aborted) return EMPTY_RESULT;
    const { api, call } = connection.worker();
    const chunks = new Map(pieces.delivered);
    try {
      return await answer(await call(api.recover(id, chunks)));
    } catch (error) {
      log.error('The recording stays in the journal', toErrorInfo(error, 'worker-crashed'));
      // A later recovery would cut the delivered pieces again and offer text that the page has.
      if (chunks.size > 0) await inbox.close({ dictationId: id, chunks }, true);
      void releaseLock();
      return EMPTY_RESULT;
    }
  }

  /** Its text goes into the user's hands, then what was kept of it is deleted. Never rejects. */
  async function answer(given: DictationText): Promise<DictationResult> {
    reach('answered');
    const { chunks, texts, failedChunks, chunksToReview } = given;
    // In a text with a hole nobody knows yet what is taken back.
    const isWhole = failedChunks === 0;
    const rest = await (isWhole ? pieces : NO_PIECES).restOf(given);
    const result = { text: rest.text, failedChunks, chunksToReview };
    const worker = connection.worker();
    const text = { dictationId: id, chunks, texts };
    if (!deliver) {
      // Wanted after all, it is offered: the promise of a stop is nobody's then.
      const isStopped = !(await cancel.isUndone());
      await close(text, worker, isStopped);
      return result;
    }
    if (!isWhole) {
      // Not after the end: until then the session's own lock keeps other tabs from deleting it.
      const place = inbox.holdPlace(id);
      await place.held;
      await close(text, worker, false);
      // A text with a hole is no text: it is delivered, in order, when the last chunk has come.
      inbox.awaitLate(id, deliver, { place, pieces });
      return result;
    }
    const delivering = inbox.insertRest(text, pieces, rest, (_, withdrawn) =>
      deliverRest(deliver, result, withdrawn),
    );
    const verdict = await Promise.race([delivering, hurried.promise.then(() => null)]);
    if (verdict !== null) await close(text, worker, verdict);
    else await closeLater(text, worker, delivering);
    return result;
  }

  /** Has what was kept of it deleted, as far as its text is in the user's hands. */
  async function close(
    text: Parameters<TextInbox['close']>[0],
    worker: WorkerClient,
    verdict: DeliveryVerdict,
  ): Promise<void> {
    const { chunks } = text;
    // Nothing went in, and the worker calls the other tabs to look: they are to find it free.
    if (verdict === false) void releaseLock();
    const isTold = await free(worker, verdict === false ? null : { verdict, chunks });
    if (!isTold) await inbox.close(text, verdict);
    void releaseLock();
  }

  /**
   * The text takes its time, and the next recording is wanted: the worker is told later what became
   * of it.
   */
  async function closeLater(
    text: Parameters<TextInbox['close']>[0],
    worker: WorkerClient,
    delivering: Promise<DeliveryVerdict>,
  ): Promise<void> {
    const freed = free(worker, null);
    const verdict = await delivering;
    // At once, however long the worker takes: who takes the text out of the list asks after this.
    const told = inbox.close(text, verdict);
    // A worker whose storage hangs keeps no stop waiting.
    void Promise.all([freed, told]).then(releaseLock);
  }

  /** False if the worker is dead, and knows nothing of this one any more. */
  async function free(worker: WorkerClient, delivered: DeliveredChunks | null): Promise<boolean> {
    const isTold = await worker.call(worker.api.close(id, delivered)).then(
      () => true,
      () => false,
    );
    reach('free');
    return isTold;
  }

  return dictation;
}
