import type { AudioEncoderPort, EncodedAudio } from '../../src/core/audio/audio-types.ts';
import type { DeliveredChunks, TextChunks } from '../../src/core/contracts/worker-api.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import type { JournalCut, QueueItem, ReviewReason } from '../../src/core/queue/queue-item.ts';
import { SPOKEN_CONTROL } from '../../src/core/queue/taken-back.ts';
import { unknownCut } from '../../src/core/session/journal.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { SpeechChunk } from '../../src/core/speech/chunk-cutter.ts';
import type { ResumedChunk } from '../upload/dictation-delivery.ts';
import type { ChunkOutcome } from '../upload/dictation-entry.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import type { SampleAccounts } from './sample-accounts.ts';

export type ChunkSenderPorts = {
  readonly dictationId: string;
  readonly options: SessionOptions;
  /** True if chunks are live pieces. @default as the option `live` says */
  readonly isInPieces?: () => boolean;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  readonly encoder: AudioEncoderPort;
  /** A chunk's file, where it has been made already; it may reject. */
  readonly audioOf?: (chunk: SpeechChunk) => Promise<EncodedAudio> | undefined;
  readonly queue: UploadQueue;
  /** The journal is cut behind each chunk that is stored. */
  readonly isJournalCut: boolean;
  /** Samples in the chunks before; not known where an older version has cut them. */
  readonly spokenSamples: number | undefined;
  /** Where chunks ended that a dead worker had told the page of. @default none had */
  readonly endsTold?: ReadonlyMap<number, number>;
  readonly accounts: SampleAccounts;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
  /** `now` gives each chunk its round and waits for it; `later` leaves it to the backlog. */
  readonly upload: 'now' | 'later';
};

/** The outcome of the chunks sent. */
export type SendOutcome = {
  /** Chunks whose text may not be all that was said. */
  readonly chunksToReview: number;
  /**
   * The speech that is in the journal alone, since a chunk could not be encoded; null if all could.
   */
  readonly unqueued: { readonly durationSamples: number; readonly error: ErrorInfo } | null;
};

/** Transcripts so far; counts of pending and of left chunks. */
type ReceivedTexts = {
  /** By chunk number. */
  readonly texts: ReadonlyMap<number, string>;
  /** Why each text may not be all that was said. */
  readonly needsReview: TextChunks;
  /** Chunks that have left the session: their text comes later, if it comes. */
  readonly leftChunks: number;
  /** Chunks that are still on their way. */
  readonly pendingChunks: number;
};

/** A chunk's trip: encoded, kept, uploaded, its transcript noted. */
export type ChunkSender = ReturnType<typeof createChunkSender>;

export function createChunkSender(ports: ChunkSenderPorts) {
  const { isInPieces = () => ports.options.live === true } = ports;
  const { dictationId, options, startedAtMs, encoder, queue, accounts, log, dispatch } = ports;
  const underWay = new Set<Promise<void>>();
  /** Chunks are handed over one after the other, in the order of speech. */
  let lastHanded: Promise<unknown> = Promise.resolve();
  const texts = new Map<number, string>();
  const reasons = new Map<number, ReviewReason | null>();
  const inPage = new Map<number, ReviewReason | null>();
  let leftChunks = 0;
  let latest = -1;
  let { spokenSamples } = ports;
  let unqueued: SendOutcome['unqueued'] = null;

  async function toItem(chunk: SpeechChunk): Promise<QueueItem> {
    const { number, samples, speechSamples } = chunk;
    const made = await ports.audioOf?.(chunk)?.catch(() => undefined);
    const audio = made ?? (await encoder.encode(samples));
    const { removePii, fixSpelling, fast, language, likelyLanguages } = options;
    return {
      // Made of what a recovery would make it of: cut again, the chunk replaces itself.
      id: `${dictationId}:${number}`,
      dictationId,
      number,
      ...(isInPieces() ? { isLive: true } : {}),
      options: { removePii, fixSpelling, fast, language, likelyLanguages },
      createdAtMs: startedAtMs,
      durationSamples: audio.durationSamples,
      ranges: chunk.ranges,
      speechSamples,
      rounds: 0,
      asks: 0,
      state: { kind: 'pending', nextAttemptAtMs: 0, lastError: null },
      audio,
    };
  }

  function cutBehind({ number, ranges, endsInSpeech, samples }: SpeechChunk): JournalCut | null {
    if (spokenSamples !== undefined) spokenSamples += samples.length;
    if (!ports.isJournalCut) return { ...unknownCut(), taken: ranges };
    const cutUpToSample = ranges.at(-1)?.endSample ?? 0;
    const cut = { nextChunkNumber: number + 1, cutUpToSample, isInSpeech: endsInSpeech };
    return spokenSamples === undefined ? cut : { ...cut, spokenSamples };
  }

  /** Null where an earlier one could not be encoded: the cut must not pass that. */
  async function encode(chunk: SpeechChunk, before: Promise<unknown>): Promise<QueueItem | null> {
    try {
      const [item] = await Promise.all([toItem(chunk), before]);
      if (unqueued) throw new DikteraError(unqueued.error.code, unqueued.error.message);
      return item;
    } catch (thrown) {
      await before;
      leaveInJournal(chunk, toErrorInfo(thrown, 'encoding-failed'));
      return null;
    }
  }

  async function deliver(
    number: number,
    cut: JournalCut | null,
    encoding: Promise<QueueItem | null>,
  ): Promise<void> {
    const item = await encoding;
    if (!item) return tellLeft(number);
    accounts.enqueued(item);
    const outcome = await hand(item, cut);
    if (outcome !== null) tell(number, outcome);
    // The page told of it before it was here: cut anew as it was, it is not offered once more.
    const told = inPage.get(number);
    const isSame = ports.endsTold?.get(number) === item.ranges?.at(-1)?.endSample;
    if (told !== undefined && isSame) {
      await queue.markDelivered(dictationId, true, new Map([[number, told]]));
    }
  }

  /** Why a chunk left is told by the queue, for as long as it is so. */
  function tell(number: number, outcome: ChunkOutcome): void {
    if (outcome.kind === 'left') tellLeft(number);
    else {
      texts.set(number, outcome.text);
      const { text, needsReview, snippets } = outcome;
      reasons.set(number, needsReview);
      dispatch({ kind: 'chunk-transcribed', number, text, needsReview, snippets });
      // Whoever has gone on speaking since would be cut off.
      if (text === SPOKEN_CONTROL.stop && number === latest)
        dispatch({ kind: 'end-wanted', cause: 'spoken' });
    }
  }

  function tellLeft(number: number): void {
    leftChunks += 1;
    dispatch({ kind: 'chunk-left', number });
  }

  function withoutDelivered<Value>(all: ReadonlyMap<number, Value>): ReadonlyMap<number, Value> {
    return new Map([...all].filter(([number]) => !inPage.has(number)));
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
  async function hand(item: QueueItem, cut: JournalCut | null): Promise<ChunkOutcome | null> {
    if (ports.upload === 'now') return queue.submit(item, cut);
    await queue.enqueue(item, cut);
    return null;
  }

  return {
    send(chunk: SpeechChunk) {
      latest = chunk.number;
      const endSample = chunk.ranges.at(-1)?.endSample ?? 0;
      dispatch({ kind: 'chunk-cut', number: chunk.number, endSample });
      const encoding = encode(chunk, lastHanded);
      lastHanded = encoding;
      track(deliver(chunk.number, cutBehind(chunk), encoding));
    },
    /**
     * Chunks that were sent before the session came to this worker: their transcripts are waited
     * for.
     */
    resume(chunks: readonly ResumedChunk[]) {
      for (const { number, item, outcome } of chunks) {
        accounts.enqueued(item);
        track(Promise.resolve(outcome).then((ended) => tell(number, ended)));
      }
    },
    /** These stand in the page already. */
    delivered({ verdict, chunks }: DeliveredChunks) {
      for (const [number, needsReview] of chunks) {
        inPage.set(number, verdict === 'altered' ? 'altered' : needsReview);
      }
    },
    /**
     * Transcripts so far, of chunks sent and resumed, without those that stand in the page already.
     */
    received: (): ReceivedTexts => ({
      texts: withoutDelivered(texts),
      needsReview: withoutDelivered(reasons),
      leftChunks,
      pendingChunks: underWay.size,
    }),
    /** Fulfilled when every chunk sent so far has its transcript or has left the session. */
    async settled(): Promise<SendOutcome> {
      while (underWay.size > 0) await Promise.all(underWay);
      const chunksToReview = [...reasons.values()].filter((reason) => reason !== null).length;
      return { unqueued, chunksToReview };
    },
    /** Fulfilled when every chunk sent so far is on its way into the queue, or never will be. */
    async allHanded(): Promise<void> {
      for (let seen: unknown = null; seen !== lastHanded; await seen) seen = lastHanded;
    },
  };
}
