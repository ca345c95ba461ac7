import { createDeferred } from '../../src/core/async.ts';
import type { AudioEncoderPort } from '../../src/core/audio/audio-types.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import type { Journal } from '../../src/core/session/journal.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import type { SpeechChunk } from '../../src/core/speech/speech-chunk.ts';
import type { ChunkOutcome } from '../delivery/chunk-outcome.ts';
import type { ResumedChunk, UploadQueue } from '../delivery/upload-queue-port.ts';
import type { SampleAccounts } from './sample-accounts.ts';

export type ChunkSenderPorts = {
  readonly sessionId: string;
  readonly options: SessionOptions;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  readonly encoder: AudioEncoderPort;
  readonly queue: UploadQueue;
  readonly journal: Journal;
  readonly accounts: SampleAccounts;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
  /** `now` gives each chunk its round and waits for it; `later` leaves it to the backlog. */
  readonly upload: 'now' | 'later';
};

/** What became of the chunks sent. */
export type SendOutcome = {
  /** Chunks whose text may not be all that was said. */
  readonly doubtfulChunks: number;
  /** All were kept in the queue's store: the journal is not needed any more. */
  readonly isAllKept: boolean;
  /**
   * The speech that is in the journal alone, since a chunk could not be encoded; null if all could.
   */
  readonly unqueued: { readonly durationSamples: number; readonly error: ErrorInfo } | null;
};

/** What of a session is text, and what is not yet, or not any more. */
export type ReceivedTexts = {
  /** By chunk number. */
  readonly texts: ReadonlyMap<number, string>;
  /** Chunks that have left the session: their text comes later, if it comes. */
  readonly leftChunks: number;
  /** Chunks that are still on their way. */
  readonly pendingChunks: number;
};

/** A chunk's trip: encoded, kept, uploaded, its transcript noted. */
export type ChunkSender = {
  send(chunk: SpeechChunk): void;
  /**
   * Chunks that were sent before the session came to this worker: their transcripts are waited for.
   */
  resume(chunks: readonly ResumedChunk[]): void;
  /** What has come so far, of chunks sent and resumed. */
  received(): ReceivedTexts;
  /** Fulfilled when every chunk sent so far has its transcript or has left the session. */
  settled(): Promise<SendOutcome>;
};

export function createChunkSender(ports: ChunkSenderPorts): ChunkSender {
  const { sessionId, options, startedAtMs, encoder, queue, journal, accounts, log, dispatch } =
    ports;
  const underWay = new Set<Promise<void>>();
  /** Chunks are kept one after the other, in the order of speech. */
  let lastKept: Promise<void> = Promise.resolve();
  /** Chunks that the queue's store has not taken yet, or did not take at once. */
  const unkept = new Set<string>();
  const doubtful = new Set<number>();
  const texts = new Map<number, string>();
  let leftChunks = 0;
  let unqueued: SendOutcome['unqueued'] = null;

  async function toItem({ number, samples, speechSamples }: SpeechChunk): Promise<QueueItem> {
    const audio = await encoder.encode(samples);
    const { removePii, fixSpelling, fast, language } = options;
    return {
      // Made of what a recovery would make it of: cut again, the chunk replaces itself.
      id: `${sessionId}:${number}`,
      sessionId,
      number,
      part: '',
      options: { removePii, fixSpelling, fast, language },
      createdAtMs: startedAtMs,
      durationSamples: audio.durationSamples,
      speechSamples,
      rounds: 0,
      asks: 0,
      state: { kind: 'waiting', nextAttemptAtMs: 0, lastError: null },
      audio,
    };
  }

  /**
   * The journal's cut must not pass a chunk that is not in the queue's store, at first or by now.
   */
  function areAllKept(): boolean {
    return unqueued === null && ![...unkept].some((id) => queue.cache.isUnstored(id));
  }

  async function moveCut({ number, ranges, endsInSpeech }: SpeechChunk): Promise<void> {
    const cutUpToSample = ranges.at(-1)?.endSample ?? 0;
    const cut = { nextChunkNumber: number + 1, cutUpToSample, isInSpeech: endsInSpeech };
    // A failure is told by the journal; the cost is a word twice after a crash, never one lost.
    await journal.setCut(sessionId, cut).catch(() => {});
  }

  async function deliver(chunk: SpeechChunk, before: Promise<void>): Promise<void> {
    const { number } = chunk;
    // Not with its trip: a session that waits no longer has that end before the chunk is kept.
    const kept = createDeferred();
    lastKept = kept.promise;
    try {
      const [item] = await Promise.all([toItem(chunk), before]);
      if (unqueued) throw new DikteraError(unqueued.error.code, unqueued.error.message);
      accounts.enqueued(item);
      // Marked before: who stops waiting for it must not take it for kept.
      unkept.add(item.id);
      const outcome = await hand(item, async (isKept) => {
        if (isKept) unkept.delete(item.id);
        if (areAllKept()) await moveCut(chunk);
        kept.resolve();
      });
      if (outcome !== null) tell(number, outcome);
    } catch (thrown) {
      await before; // Those before it may be on their way still.
      leaveInJournal(chunk, toErrorInfo(thrown, 'encoding-failed'));
      tellLeft(number);
      kept.resolve();
    }
  }

  /** Why a chunk left is told by the queue, for as long as it is so. */
  function tell(number: number, outcome: ChunkOutcome): void {
    if (outcome.kind === 'left') tellLeft(number);
    else {
      if (outcome.doubt) doubtful.add(number);
      texts.set(number, outcome.text);
      dispatch({ kind: 'chunk-transcribed', number, text: outcome.text });
    }
  }

  function tellLeft(number: number): void {
    leftChunks += 1;
    dispatch({ kind: 'chunk-left', number });
  }

  function track(trip: Promise<void>): void {
    const tracked = trip.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  }

  /**
   * The cut stays before it, so the rest of the session stays too: what is cut anew there later
   * must not be asked for under a name that the server has heard already.
   */
  function leaveInJournal({ samples }: SpeechChunk, error: ErrorInfo): void {
    log.error('Speech could not be encoded and stays in the journal', error);
    const durationSamples = (unqueued?.durationSamples ?? 0) + samples.length;
    unqueued = { durationSamples, error };
  }

  /** Null if nobody waits for its text. */
  async function hand(
    item: QueueItem,
    onKept: (isKept: boolean) => Promise<void>,
  ): Promise<ChunkOutcome | null> {
    if (ports.upload === 'now') return queue.submit(item, onKept);
    await queue.enqueue(item, onKept);
    return null;
  }

  return {
    send(chunk) {
      dispatch({ kind: 'chunk-cut', number: chunk.number });
      track(deliver(chunk, lastKept));
    },
    resume(chunks) {
      for (const { number, items, outcome } of chunks) {
        for (const item of items) accounts.enqueued(item);
        track(Promise.resolve(outcome).then((ended) => tell(number, ended)));
      }
    },
    received: () => ({ texts, leftChunks, pendingChunks: underWay.size }),
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
      return { isAllKept: areAllKept(), unqueued, doubtfulChunks: doubtful.size };
    },
  };
}
