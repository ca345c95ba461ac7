import { assertNever } from '../src/core/assert-never.ts';
import type { Clock } from '../src/core/clock.ts';
import type {
  DeliveredChunks,
  DictationText,
  DictationWorkerApi,
  PageEvent,
} from '../src/core/contracts/worker-api.ts';
import type { Logger } from '../src/core/logger.ts';
import type { SnapshotEvent } from '../src/core/session/snapshot.ts';
import type { WorkerParts } from './assemble-worker.ts';
import { createSessionLife } from './session/session-life.ts';
import { createLevelMeters, type SnapshotPublisher } from './snapshot-publisher.ts';
import type { Recovered } from './upload/dictation-entry.ts';

type DictationWorkerPorts = {
  readonly publisher: SnapshotPublisher;
  readonly clock: Clock;
  readonly log: Logger;
  /** Takes a Web Lock and keeps it as long as the worker lives. */
  readonly holdLock: (name: string) => Promise<void>;
  readonly parts: WorkerParts;
  /** Takes what gives the heads of requests. @default nobody signs */
  readonly sign?: (ask: () => Promise<Readonly<Record<string, string>>>) => void;
};

/** One frame in so many brings the account of the samples along: about one a second. */
const FRAMES_PER_LEDGER = 10;

/** The texts of a session whose worker died are waited for as those of a stop. */
const RECOVERED_TEXT_WAIT_MS = 19_000;

const EMPTY_TEXT: DictationText = {
  text: '',
  chunks: new Map(),
  texts: new Map(),
  failedChunks: 0,
  chunksToReview: 0,
};

/** The dictation worker's calls: each to the part whose it is. */
export function createDictationWorker(
  ports: DictationWorkerPorts,
): DictationWorkerApi<MessagePort> {
  const { publisher, clock, log, parts } = ports;
  const meters = createLevelMeters();
  let framesUntold = 0;
  /** Deletions under way: what each spares. */
  const deletions = new Set<Set<string>>();
  const life = createSessionLife({
    parts,
    clock,
    log,
    dispatch,
  });

  function dispatch(event: SnapshotEvent): void {
    publisher.dispatch(event);
    if (event.kind !== 'frame-processed') return;
    meters.tell(event);
    framesUntold += 1;
    if (framesUntold < FRAMES_PER_LEDGER) return;
    framesUntold = 0;
    parts.publishLedger();
  }

  /**
   * Brings the rest of a dead session into the queue. Delivered chunks that only memory had would
   * be cut again and offered: they are marked as delivered before that, and again if it failed.
   */
  async function recover(dictationId: string, delivered: DeliveredChunks): Promise<Recovered> {
    const { verdict, chunks } = delivered;
    const deliver = async (): Promise<void> => {
      await parts.queue.markDelivered(dictationId, verdict, chunks, 'waits');
    };
    if (chunks.size === 0) return parts.recovery.recover(dictationId);
    try {
      return await parts.recovery.recover(dictationId, deliver);
    } finally {
      await deliver();
    }
  }

  /** Chunks of a session that is not running here are in the user's hands. */
  async function deliver(dictationId: string, delivered: DeliveredChunks): Promise<void> {
    if (parts.entries.of(dictationId).isTextGiven) {
      const { verdict, chunks } = delivered;
      await parts.queue.markDelivered(dictationId, verdict, chunks, 'waits');
    } else {
      const recovering = recover(dictationId, delivered);
      const isRecovered = await recovering.then(
        () => true,
        (error: unknown) => {
          log.error('What is left of a delivered recording could not be looked for', error);
          return false;
        },
      );
      if (!isRecovered) return;
    }
    // The page that has it open is ours.
    await parts.lettingGo.forgetIfSettled(dictationId, parts.locks.take);
  }

  async function forget(dictationId: string): Promise<void> {
    if (life.runningId !== dictationId) await parts.lettingGo.forgetIfSettled(dictationId);
  }

  /** Spares dictations begun while a deletion is under way: these were not meant by it. */
  async function deleteAll(
    openIds: readonly string[],
    askedAtMs: number,
    what: 'everything' | 'recordings',
  ): Promise<void> {
    const spared = new Set(openIds);
    if (life.runningId !== null) spared.add(life.runningId);
    deletions.add(spared);
    const deleting = parts.lettingGo.deleteAll(spared, askedAtMs, what);
    await deleting.finally(() => deletions.delete(spared));
  }

  /** Sending may work again: whichever tab sends. */
  function wake(): void {
    parts.server.ask();
    parts.queue.wake();
  }

  function handleEvent(event: PageEvent): void {
    switch (event.kind) {
      case 'online':
        wake();
        break;
      case 'visible':
        parts.visibleTabs.set(true);
        wake();
        break;
      case 'hidden':
        parts.visibleTabs.set(false);
        break;
      case 'microphone-switched':
        dispatch({ kind: 'device-changed', device: event.device });
        break;
      case 'notice':
        dispatch({ ...event, kind: 'notice-raised' });
        break;
      case 'notice-dismissed':
        dispatch({ kind: 'notice-cleared', notice: event.notice });
        break;
      default:
        assertNever(event);
    }
  }

  return {
    holdLifeLock: (name) => ports.holdLock(name),
    async subscribe(listener) {
      publisher.subscribe(listener);
    },
    async tellLevels(port, framesPerReading) {
      meters.add(port, framesPerReading);
    },
    begin(id, options) {
      for (const spared of deletions) spared.add(id);
      return life.begin(id, options);
    },
    connect: life.connect,
    async reconnect(id, framePort) {
      life.running(id)?.reconnect(framePort);
    },
    takeOver: life.takeOver,
    opened: life.opened,
    abandon: life.abandon,
    async finishSpeech(id) {
      await life.running(id)?.finishSpeech();
    },
    async endRecording(id) {
      return (await life.running(id)?.endRecording()) ?? false;
    },
    async finish(id) {
      parts.entries.of(id).isTextGiven = true;
      return (await life.finish(id)) ?? EMPTY_TEXT;
    },
    cancelled: (id, isCancelled) => parts.journal.cancelled(id, isCancelled),
    async stopWaiting(id) {
      life.running(id)?.stopWaiting();
      parts.queue.stopWaiting(id);
    },
    async recover(id, delivered) {
      const { queue } = parts;
      const recovered = await recover(id, { verdict: true, chunks: delivered });
      // The rest comes when its owner has closed it: nothing partial is inserted as whole.
      if (recovered === 'kept-by-another') return { ...EMPTY_TEXT, failedChunks: 1 };
      parts.entries.of(id).isTextGiven = true;
      const cancel = clock.after(RECOVERED_TEXT_WAIT_MS, () => queue.stopWaiting(id));
      const result = await queue.resultOf(id).finally(cancel);
      const lacking = recovered === 'in-part' ? 1 : 0;
      return { ...result, failedChunks: result.failedChunks + lacking };
    },
    async signRequests(ask) {
      ports.sign?.(ask);
      parts.server.ask();
      parts.queue.retry(null);
    },
    async ping() {},
    async report(event) {
      handleEvent(event);
    },
    async retry(itemId) {
      if (itemId === null) parts.server.look();
      await parts.queue.retry(itemId);
    },
    async discard(itemId) {
      const { queue, recordings } = parts;
      const dictationId = queue.cache.head(itemId)?.dictationId;
      await queue.discard(itemId);
      if (dictationId === undefined) return;
      await forget(dictationId);
      await recordings.discarded(dictationId);
    },
    // The running session's text comes by the ordinary way.
    async claim(id, isWhole) {
      if (life.runningId === id) return null;
      // A text whose deletion is under way must not be inserted meanwhile.
      if ([...deletions].some((spared) => !spared.has(id))) return null;
      parts.entries.of(id).isTextGiven = true;
      return parts.queue.claim(id, isWhole);
    },
    async markDelivered(id, verdict, chunks) {
      const delivered = { verdict, chunks };
      if (life.runningId === id) await life.markDelivered(id, delivered);
      // Its page brings it to the next worker: recovered, it could not be gone on with.
      else if (await parts.locks.isOpen(id)) {
        await parts.recordings.expected(id);
        await parts.queue.markDelivered(id, verdict, chunks, 'waits');
      } else await deliver(id, delivered);
    },
    offer: (id, texts) => parts.queue.offer(id, texts),
    async close(id, delivered) {
      if (await life.close(id, delivered)) return;
      if (delivered && delivered.chunks.size > 0) await deliver(id, delivered);
      await parts.queue.endClaim(id);
    },
    async retryKept(id) {
      await parts.recovery.recover(id);
      parts.publishLedger();
    },
    discardKept: (id) => parts.lettingGo.deleteJournal(id),
    audio: (id) => parts.audioOf(id),
    wipe: (openIds, askedAtMs) => deleteAll(openIds, askedAtMs, 'everything'),
    transcripts: (id) => parts.recordings.transcripts(id),
    recordingAudio: (id) => parts.recordings.audio(id),
    transcribeAgain: (id, options) => parts.recordings.transcribeAgain(id, options),
    deleteRecording: (id) => parts.lettingGo.deleteRecording(id),
    deleteRecordings: (openIds, askedAtMs) => deleteAll(openIds, askedAtMs, 'recordings'),
    undoDelete: (id) => parts.recordings.undoDelete(id),
    async emptyBin() {
      parts.recordings.emptyBin();
    },
    applyRules: (id) => parts.recordings.applyRules(id),
    async keep(keeping) {
      parts.recordings.keep(keeping);
    },
  };
}
