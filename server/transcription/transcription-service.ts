import { setMaxListeners } from 'node:events';
import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { AudioDecoder } from '../audio/audio-decoder.ts';
import { ApiError, clientClosed } from '../core/api-error.ts';
import type { ServerLimits } from '../core/limits.ts';
import type { Transcript, TranscriptionEngine } from '../engine/engine-port.ts';
import { createAudioShare } from '../scheduling/audio-share.ts';
import { createWorkQueue, type QueueLoad, type Turn } from '../scheduling/work-queue.ts';
import { inSpan } from '../telemetry/in-span.ts';
import type { RuleOutcomes, TextRules } from '../text/text-rules.ts';

/** One file to transcribe, with everything already validated. */
export type TranscriptionJob = {
  readonly file: Uint8Array;
  readonly removePii: boolean;
  readonly fixSpelling: boolean;
  /** One of the engine's languages; '' where it finds out by itself. */
  readonly language: string;
  readonly fast: boolean;
};

/** The body of a 200 answer. */
export type TranscriptionAnswer = {
  /** The words; '' when nobody speaks. */
  readonly transcription: string;
  /** The language it was asked to write or else found; '' when the engine does not tell. */
  readonly language: string;
  /** Length of the audio that was read. */
  readonly durationMs: number;
  /** False when a part of the file could not be read: keep the audio. */
  readonly complete: boolean;
  readonly engine: string;
  readonly model: string;
  readonly textRules: RuleOutcomes;
};

/** What a job does when nobody waits for it any more: see `transcribe`. */
export type WhenAbandoned = 'stop' | 'finish';

/** Decodes, recognises and applies the text rules, a bounded number at a time. */
export type TranscriptionService = {
  /**
   * Transcribes one file for `client`, with whom the others share out the work. When `signal` aborts, a waiting job is dropped; a running one goes on if
   * `whenAbandoned` is `finish` (its answer may yet be asked for) and ends at the next pause if `stop`.
   * Rejects with an ApiError.
   */
  transcribe(
    client: string,
    job: TranscriptionJob,
    signal: AbortSignal,
    whenAbandoned: WhenAbandoned,
  ): Promise<TranscriptionAnswer>;
  /** Throws the ApiError a new job of `client` would get right away, so that its body need not be read. */
  requireRoom(client: string): void;
  load(): QueueLoad;
  /** Refuses waiting and new jobs; running ones may finish. */
  close(): void;
};

/** What the service works with. */
export type TranscriptionPorts = {
  readonly engine: TranscriptionEngine;
  readonly decoder: AudioDecoder;
  readonly textRules: TextRules;
  readonly limits: ServerLimits;
  readonly clock: Clock;
};

/** Never aborts: for jobs whose answer is kept. */
const KEEP_GOING = new AbortController().signal;
// As many listen as jobs run.
setMaxListeners(0, KEEP_GOING);

/** What recognising costs, in ms of one core for a second of audio: Moonshine here; for engines elsewhere a measure. */
const COST_MS_PER_AUDIO_S = 25;

/** More work than this for each core is not done within the 120 s a client waits. */
const MAX_WAITING_WORK_MS = 100_000;

/** Makes the one service of a server. */
export function createTranscriptionService(ports: TranscriptionPorts): TranscriptionService {
  const { engine, decoder, textRules, limits } = ports;
  const { concurrency, maxWaiting } = limits;
  const maxWaitingWorkMs = MAX_WAITING_WORK_MS * concurrency;
  const queue = createWorkQueue({ clock: ports.clock, concurrency, maxWaiting, maxWaitingWorkMs });

  const share = createAudioShare(limits.maxAudioMsPerClient);

  const engineFor = (job: TranscriptionJob) => engine.route?.(job.language) ?? engine;

  async function recognise(
    samples: Float32Array,
    job: TranscriptionJob,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<Transcript> {
    if (samples.length === 0) return { text: '', language: job.language };
    try {
      return await engineFor(job).transcribe(samples, job, signal, turn);
    } catch (error) {
      if (signal.aborted) throw clientClosed();
      if (error instanceof ApiError) throw error;
      const message = 'The speech could not be recognised; try again.';
      throw new ApiError(500, 'engine_failed', message, { cause: error });
    }
  }

  async function work(
    job: TranscriptionJob,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<TranscriptionAnswer> {
    const chosen = engineFor(job);
    requireReady(chosen);
    const audio = await inSpan(
      'decode',
      () => decoder.decode(job.file, limits.maxAudioMs, signal, turn),
      ({ samples, complete }) => ({
        'diktera.audio_ms': Math.round(samplesToMs(samples.length)),
        'diktera.complete': complete,
      }),
    );
    const audioMs = samplesToMs(audio.samples.length);
    turn.charge((COST_MS_PER_AUDIO_S * audioMs) / 1_000);
    const giveBack = share.take(turn.client, audioMs);
    const { text, language } = await turn
      .pause()
      .then(() =>
        inSpan(
          'recognise',
          () => recognise(audio.samples, job, signal, turn),
          () => ({ 'diktera.engine': chosen.description.engine }),
        ),
      )
      .finally(giveBack);
    const { removePii, fixSpelling } = job;
    const ruled = await inSpan('text rules', () =>
      textRules.apply(text, { removePii, fixSpelling, language }),
    );
    return {
      transcription: ruled.text,
      language,
      durationMs: Math.round(audioMs),
      complete: audio.complete,
      engine: chosen.description.engine,
      model: chosen.description.model,
      textRules: ruled.outcomes,
    };
  }

  return {
    async transcribe(client, job, signal, whenAbandoned) {
      requireReady(engineFor(job));
      const workSignal = whenAbandoned === 'finish' ? KEEP_GOING : signal;
      try {
        return await queue.run(client, (turn) => work(job, workSignal, turn), signal);
      } catch (error) {
        if (workSignal.aborted && !(error instanceof ApiError)) throw clientClosed();
        throw error;
      }
    },
    requireRoom(client) {
      share.requireRoom(client);
      queue.requireRoom(client);
    },
    load: queue.load,
    close: queue.close,
  };
}

/** Throws 503 while the engine cannot be asked. */
export function requireReady(engine: TranscriptionEngine): void {
  const state = engine.state();
  if (state.status === 'ready') return;
  if (state.status === 'loading') {
    throw new ApiError(503, 'engine_loading', 'The speech engine is loading; try again shortly.', {
      retryAfterS: 1,
    });
  }
  throw new ApiError(503, 'engine_failed', `The speech engine is out of order: ${state.reason}.`, {
    retryAfterS: 30,
  });
}
