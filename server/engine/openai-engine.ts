import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import { ApiError } from '../core/api-error.ts';
import {
  askUpstream,
  maxAnswerBytesFor,
  UpstreamAnswered,
  type UpstreamPorts,
  waveBytes,
} from './ask-upstream.ts';
import {
  type EngineWish,
  promptFor,
  type TranscriptionEngine,
  vocabularyCharacters,
} from './engine-port.ts';
import { createUpstreamWatch, probeUrl } from './upstream-watch.ts';

/** Where an OpenAI-compatible server is and how it is asked. */
export type OpenAiSettings = {
  /** Up to and with `/v1`, without a slash at the end. */
  readonly baseUrl: string;
  /** Sent as a bearer token; null for servers that want none. */
  readonly apiKey: string | null;
  readonly model: string;
  /** Used in place of `model` when a client wants `fast`; null: the same. */
  readonly fastModel: string | null;
  /** Never empty. */
  readonly languages: readonly string[];
  /** The language that an empty one stands for; null lets the model find out. */
  readonly defaultLanguage: string | null;
  /** Words and names to expect; '' for none. */
  readonly prompt: string;
  /** For one transcription with its retries, in ms. */
  readonly timeoutMs: number;
};

/**
 * Any server with OpenAI's `POST /v1/audio/transcriptions`: OpenAI, speaches, vLLM, LocalAI. It
 * gets 16 kHz wave files, which all of them take. `GET /v1/models` says whether it is there.
 */
export function createOpenAiEngine(
  settings: OpenAiSettings,
  ports: UpstreamPorts,
): TranscriptionEngine {
  const { baseUrl, apiKey, languages, defaultLanguage } = settings;
  const headers: Record<string, string> =
    apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };

  const watch = createUpstreamWatch(
    () =>
      probeUrl(ports.fetch, `${baseUrl}/models`, headers, (status) => {
        if (status === 401 || status === 403) {
          return { kind: 'failed', reason: 'the speech server refuses the key' };
        }
        // Not every server has this address; that it answers is enough.
        if (status >= 500) return { kind: 'failed', reason: 'the speech server is out of order' };
        return { kind: 'ready' };
      }),
    ports.clock,
  );

  /** The models that refused the long answer, and until when they are not asked for it again. */
  const shortUntilMs = new Map<string, number>();

  return {
    description: {
      engine: 'openai',
      model: settings.model,
      languages,
      defaultLanguage,
      vocabularyCharacters: vocabularyCharacters(settings.prompt),
    },
    state: watch.state,
    start: watch.start,
    async transcribe(samples, wish, signal) {
      const maxAnswerBytes = maxAnswerBytesFor(samplesToMs(samples.length));
      const ask = (responseFormat: string) => {
        const form = formOf(samples, wish, responseFormat, settings);
        const url = `${baseUrl}/audio/transcriptions`;
        const { timeoutMs } = settings;
        const request = { url, headers, form, timeoutMs, maxAnswerBytes };
        return askUpstream(ports, request, signal);
      };
      const model = modelFor(wish, settings);
      const isLong = ports.clock.nowMs() >= (shortUntilMs.get(model) ?? 0);
      try {
        const heard = await ask(isLong ? LONG_ANSWER : 'json').catch(async (error: unknown) => {
          const forMs = isLong ? shortForMs(error) : 0;
          if (forMs === 0) throw error;
          const short = await ask('json');
          shortUntilMs.set(model, ports.clock.nowMs() + forMs);
          return short;
        });
        return {
          ...heard,
          language: wish.language || heard.language,
          prompt: promptFor(wish, settings),
        };
      } catch (error) {
        watch.note(error);
        throw error;
      }
    },
    dispose: async () => watch.end(),
  };
}

/** The only answer with the language that was found, and with how sure the model is. */
const LONG_ANSWER = 'verbose_json';

/** The statuses with which servers refuse a form they do not know, as newer models of OpenAI do. */
const FORM_REFUSALS: ReadonlySet<number> = new Set([400, 406, 422]);
/** Some fall over it, and others had a bad moment. */
const FALLS: ReadonlySet<number> = new Set([500, 501]);
const FALLEN_MS = 600_000;

/** The time for which a model is asked for the short answer after this; 0 where it is not about that. */
function shortForMs(error: unknown): number {
  const cause = error instanceof ApiError ? error.cause : null;
  if (!(cause instanceof UpstreamAnswered)) return 0;
  if (FORM_REFUSALS.has(cause.status)) return Number.POSITIVE_INFINITY;
  return FALLS.has(cause.status) ? FALLEN_MS : 0;
}

function modelFor(wish: EngineWish, { model, fastModel }: OpenAiSettings): string {
  return (wish.fast ? fastModel : null) ?? model;
}

function formOf(
  samples: Float32Array,
  wish: EngineWish,
  responseFormat: string,
  settings: OpenAiSettings,
): FormData {
  const form = new FormData();
  form.set('file', new File([waveBytes(samples)], 'audio.wav', { type: 'audio/wav' }));
  form.set('model', modelFor(wish, settings));
  form.set('response_format', responseFormat);
  form.set('temperature', '0');
  if (wish.language !== '') form.set('language', wish.language);
  const prompt = promptFor(wish, settings);
  if (prompt !== '') form.set('prompt', prompt);
  return form;
}
