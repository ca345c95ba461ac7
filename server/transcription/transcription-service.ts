import { setMaxListeners } from 'node:events';
import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import { judgeAnswer } from '../../src/core/text/judge-answer.ts';
import { type TimedPart, timeText } from '../../src/core/text/time-text.ts';
import type { AudioDecoder } from '../audio/decoder-pool.ts';
import { ApiError, clientClosed } from '../core/api-error.ts';
import type { ServerLimits } from '../core/limits.ts';
import type { EngineWish, Transcript, TranscriptionEngine } from '../engine/engine-port.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { hasSound, outstandingMs } from '../engine/pieces.ts';
import { type AudioShare, createAudioShare } from '../scheduling/admission.ts';
import { createWorkQueue, type Rank, type Turn } from '../scheduling/work-queue.ts';
import { inSpan } from '../telemetry/telemetry.ts';
import type { RuleOutcomes, TextRules } from '../text/text-rules.ts';

/** One file to transcribe, with everything already validated. */
export type TranscriptionJob = {
  readonly file: Uint8Array;
  readonly removePii: boolean;
  readonly fixSpelling: boolean;
  /** One of the engine's languages; '' where it finds out by itself. */
  readonly language: string;
  readonly fast: boolean;
  /** Names and terms to expect, the likeliest first. @default none */
  readonly vocabulary?: string;
  /** A `preview` is for showing only: it is worked on after all finals. */
  readonly rank: Rank;
};

/** The body of a 200 answer. */
export type TranscriptionAnswer = {
  /** The words; '' when nobody speaks. */
  readonly transcription: string;
  /** The language it was asked to write or else found; '' when the engine does not tell. */
  readonly language: string;
  /** Length of the audio that was read. */
  readonly durationMs: number;
  /**
   * False when a part of the file could not be read, or the engine lost the thread: keep the audio.
   */
  readonly complete: boolean;
  readonly engine: string;
  readonly model: string;
  readonly textRules: RuleOutcomes;
  /**
   * Where in the audio `transcription` was said, in order; with words where the engine tells the
   * times of words. Absent where it tells nothing.
   */
  readonly parts?: readonly TimedPart[];
};

/** The parts that the steps work with. */
type StepPorts = {
  readonly engines: EngineSet;
  readonly decoder: AudioDecoder;
  readonly textRules: TextRules;
  /** Holds each client to its share of the audio worked on at once. */
  readonly share: AudioShare;
  readonly limits: Pick<ServerLimits, 'maxAudioMs' | 'maxPreviewAudioMs'>;
};

/**
 * The cost of a second of audio to recognise, in ms of one core: Moonshine's here, a measure
 * elsewhere.
 */
const COST_MS_PER_AUDIO_S = 25;

/** Makes the steps of a server. */
function createTranscriptionSteps(ports: StepPorts) {
  const { engines, decoder, textRules, share, limits } = ports;

  async function recognise(
    engine: TranscriptionEngine,
    samples: Float32Array,
    job: TranscriptionJob,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<Heard> {
    // A model makes words of nothing, too.
    if (!hasSound(samples)) {
      return { text: '', language: job.language, parts: [], isComplete: true };
    }
    const ask = (wish: EngineWish) => engine.transcribe(samples, wish, signal, turn);
    try {
      const heard = judged(await ask(job), samples);
      if (!heard.isPromptBack) return heard;
      return await ask({ ...job, withoutPrompt: true }).then(
        (again) => judged(again, samples),
        // The rest of the first answer is marked as not all.
        (error: unknown) => {
          if (signal.aborted) throw error;
          return heard;
        },
      );
    } catch (error) {
      if (signal.aborted) throw clientClosed();
      if (error instanceof ApiError) throw error;
      const message = 'The speech could not be recognised; try again.';
      throw new ApiError(500, 'engine_failed', message, { cause: error });
    }
  }

  async function take(
    job: TranscriptionJob,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<TranscriptionAnswer> {
    const chosen = engines.engineFor(job.language);
    requireReady(chosen);
    const maxAudioMs = job.rank === 'preview' ? limits.maxPreviewAudioMs : limits.maxAudioMs;
    const audio = await inSpan(
      'decode',
      () => decoder.decode(job.file, maxAudioMs, signal, turn),
      ({ samples, complete }) => ({
        'diktera.audio_ms': Math.round(samplesToMs(samples.length)),
        'diktera.complete': complete,
      }),
    );
    const audioMs = samplesToMs(audio.samples.length);
    turn.charge((COST_MS_PER_AUDIO_S * audioMs) / 1_000);
    const giveBack = share.take(turn.client, audioMs);
    const { text, language, parts, isComplete } = await turn
      .pause()
      .then(() =>
        inSpan(
          'recognise',
          () => recognise(chosen, audio.samples, job, signal, turn),
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
      complete: audio.complete && isComplete,
      engine: chosen.description.engine,
      model: chosen.description.model,
      textRules: ruled.outcomes,
      ...(parts.length > 0 && { parts: timeText(ruled.text, parts) }),
    };
  }

  return {
    /** Takes them in order, on `turn`. Rejects with an ApiError or with `signal`'s reason. */
    take,
  };
}

/** The words that an engine heard, and whether they are all that was said. */
type Heard = Pick<Transcript, 'text' | 'language'> & {
  readonly parts: readonly TimedPart[];
  readonly isComplete: boolean;
};

/**
 * Without what the engine invented, and in one line, whichever it is: some end each segment with a
 * line break, and a number that goes on behind one would be no number to the text rules.
 */
function judged(transcript: Transcript, samples: Float32Array) {
  const { text, language, segments = [], parts = [], prompt = '' } = transcript;
  const durationMs = samplesToMs(samples.length);
  const speechMs = outstandingMs(samples);
  const answer = judgeAnswer(text, { segments, prompt, durationMs, speechMs });
  return { ...answer, text: answer.text.replaceAll(/\s+/g, ' ').trim(), language, parts };
}

function requireReady(engine: TranscriptionEngine): void {
  const state = engine.state();
  if (state.kind === 'ready') return;
  if (state.kind === 'loading') {
    const { share } = state;
    if (share === undefined) {
      const message = 'The speech engine is loading; try again shortly.';
      throw new ApiError(503, 'engine_loading', message, { retryAfterS: 1 });
    }
    const percent = Math.floor(100 * share);
    const message = `The model for this language is being made ready (${percent} %); try again later.`;
    throw new ApiError(503, 'engine_loading', message, { retryAfterS: 10, share });
  }
  throw new ApiError(503, 'engine_failed', `The speech engine is out of order: ${state.reason}.`, {
    retryAfterS: 30,
  });
}

/** The end of a job for which nobody waits any more: see `transcribe`. */
type WhenAbandoned = 'stop' | 'finish';

/** Decodes, recognises and applies the text rules, a bounded number at a time. */
export type TranscriptionService = ReturnType<typeof createTranscriptionService>;

/** The parts that the service works with. */
type TranscriptionPorts = {
  readonly engines: EngineSet;
  readonly decoder: AudioDecoder;
  readonly textRules: TextRules;
  readonly limits: ServerLimits;
  readonly clock: Clock;
};

/** Never aborts: for jobs whose answer is kept. */
const KEEP_GOING = new AbortController().signal;
// As many listen as jobs run.
setMaxListeners(0, KEEP_GOING);

/**
 * A chunk of the page's, 90 s of Opus, is 388 kB. A file that holds more than it looks is charged to
 * its sender's account all the same.
 */
const SHORT_FILE_BYTES = 400_000;

/** Makes the one service of a server. */
export function createTranscriptionService(ports: TranscriptionPorts) {
  const { limits } = ports;
  const { concurrency, maxWaiting } = limits;
  const queue = createWorkQueue({ clock: ports.clock, concurrency, maxWaiting });

  const share = createAudioShare(limits.maxAudioMsPerClient);
  const steps = createTranscriptionSteps({ ...ports, share, limits });

  return {
    /**
     * Transcribes one file at the cost of `client`. When `signal` aborts, a waiting job is dropped. A
     * running one goes on if `whenAbandoned` is `finish` (its answer may yet be asked for), and ends
     * at the next pause if it is `stop`. Rejects with an ApiError.
     */
    async transcribe(
      client: string,
      job: TranscriptionJob,
      signal: AbortSignal,
      whenAbandoned: WhenAbandoned,
    ): Promise<TranscriptionAnswer> {
      const workSignal = whenAbandoned === 'finish' ? KEEP_GOING : signal;
      try {
        return await queue.run(
          client,
          (turn) => steps.take(job, workSignal, turn),
          signal,
          job.rank === 'final' && job.file.length <= SHORT_FILE_BYTES ? 'short' : job.rank,
        );
      } catch (error) {
        if (workSignal.aborted && !(error instanceof ApiError)) throw clientClosed();
        throw error;
      }
    },
    /** Throws what a new job of `client` would get at once, so that its body need not be read. */
    requireRoom(client: string) {
      share.requireRoom(client);
      queue.requireRoom(client);
    },
    load: queue.load,
    /** Refuses waiting and new jobs; running ones may finish. */
    close: queue.close,
  };
}
