import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import { judgeAnswer } from '../../src/core/text/judge-answer.ts';
import type { AudioDecoder } from '../audio/audio-decoder.ts';
import { ApiError, clientClosed } from '../core/api-error.ts';
import type { ServerLimits } from '../core/limits.ts';
import type { EngineWish, Transcript, TranscriptionEngine } from '../engine/engine-port.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { hasSound, outstandingMs } from '../engine/has-sound.ts';
import type { AudioShare } from '../scheduling/audio-share.ts';
import type { Turn } from '../scheduling/turn.ts';
import { inSpan } from '../telemetry/in-span.ts';
import type { TextRules } from '../text/text-rules.ts';
import type { TranscriptionAnswer, TranscriptionJob } from './transcription.ts';

/** What the steps work with. */
export type StepPorts = {
  readonly engines: EngineSet;
  readonly decoder: AudioDecoder;
  readonly textRules: TextRules;
  /** Holds each client to its share of the audio worked on at once. */
  readonly share: AudioShare;
  readonly limits: Pick<ServerLimits, 'maxAudioMs' | 'maxPreviewAudioMs'>;
};

/** The steps of one transcription: decode, recognise, apply the text rules. */
export type TranscriptionSteps = ReturnType<typeof createTranscriptionSteps>;

/**
 * What a second of audio costs to recognise, in ms of one core: Moonshine's here, a measure
 * elsewhere.
 */
const COST_MS_PER_AUDIO_S = 25;

/** Makes the steps of a server. */
export function createTranscriptionSteps(ports: StepPorts) {
  const { engines, decoder, textRules, share, limits } = ports;

  const engineFor = (job: TranscriptionJob) => engines.engineFor(job.language);

  async function recognise(
    samples: Float32Array,
    job: TranscriptionJob,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<Heard> {
    // A model makes words of nothing, too.
    if (!hasSound(samples)) return { text: '', language: job.language, isComplete: true };
    const ask = (wish: EngineWish) => engineFor(job).transcribe(samples, wish, signal, turn);
    try {
      const heard = judged(await ask(job), samples);
      if (!heard.isPromptBack) return heard;
      return await ask({ ...job, withoutPrompt: true }).then(
        (again) => judged(again, samples),
        // What is left of the first answer is marked as not all.
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
    const chosen = engineFor(job);
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
    const { text, language, isComplete } = await turn
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
      complete: audio.complete && isComplete,
      engine: chosen.description.engine,
      model: chosen.description.model,
      textRules: ruled.outcomes,
    };
  }

  return {
    /** Throws 503 while the engine that writes the job's language cannot be asked. */
    requireReady: (job: TranscriptionJob) =>
      requireReady(
        engineFor(job),
      ) /** Takes them in order, on `turn`. Rejects with an ApiError or with `signal`'s reason. */,
    take,
  };
}

/** What an engine heard, and whether it is all that was said. */
type Heard = Pick<Transcript, 'text' | 'language'> & { readonly isComplete: boolean };

/** Without what the engine invented, whichever it is. */
function judged({ text, language, segments = [], prompt = '' }: Transcript, samples: Float32Array) {
  const durationMs = samplesToMs(samples.length);
  const speechMs = outstandingMs(samples);
  return { ...judgeAnswer(text, { segments, prompt, durationMs, speechMs }), language };
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
