import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import { askUpstream, maxAnswerBytesFor, type UpstreamPorts, waveBytes } from './ask-upstream.ts';
import { promptFor, type TranscriptionEngine, vocabularyCharacters } from './engine-port.ts';
import { createUpstreamWatch, probeUrl } from './upstream-watch.ts';

/** Where whisper.cpp's own server is and how it is asked. */
export type WhisperCppSettings = {
  /** Without a slash at the end, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** For people: the server itself does not say which model it has. */
  readonly model: string;
  /** Never empty. */
  readonly languages: readonly string[];
  /** The language that an empty one stands for; null lets the model find out. */
  readonly defaultLanguage: string | null;
  /** Words and names to expect; '' for none. */
  readonly prompt: string;
  /** For one transcription with its retries, in ms. */
  readonly timeoutMs: number;
};

/** Greedy when `fast`, else a search as wide as that of whisper.cpp's command line. */
const BEAM_SIZE = { fast: '1', thorough: '5' } as const;

/**
 * whisper.cpp's `POST /inference`. It works on one request at a time, so `CONCURRENCY` 1 suits it;
 * it does not listen before its model is loaded, and `GET /health` is 503 while it changes models.
 */
export function createWhisperCppEngine(
  settings: WhisperCppSettings,
  ports: UpstreamPorts,
): TranscriptionEngine {
  const { url, model, languages, defaultLanguage } = settings;
  const watch = createUpstreamWatch(
    () =>
      probeUrl(ports.fetch, `${url}/health`, {}, (status) =>
        status === 503 ? { kind: 'loading' } : { kind: 'ready' },
      ),
    ports.clock,
  );

  return {
    description: {
      engine: 'whisper.cpp',
      model,
      languages,
      defaultLanguage,
      vocabularyCharacters: vocabularyCharacters(settings.prompt),
    },
    state: watch.state,
    start: watch.start,
    async transcribe(samples, wish, signal) {
      const beamSize = wish.fast ? BEAM_SIZE.fast : BEAM_SIZE.thorough;
      const form = new FormData();
      form.set('file', new File([waveBytes(samples)], 'audio.wav', { type: 'audio/wav' }));
      // Only the long answer tells the language and how sure the model is; how likely other
      // languages are costs another encoding.
      form.set('response_format', 'verbose_json');
      form.set('no_language_probabilities', 'true');
      form.set('temperature', '0.0');
      form.set('language', spokenLanguage(wish.language));
      // Its segments of 60 characters would end in the middle of words, each with a line break.
      form.set('split_on_word', 'true');
      form.set('beam_size', beamSize);
      form.set('best_of', beamSize);
      const prompt = promptFor(wish, settings);
      if (prompt !== '') form.set('prompt', prompt);
      try {
        const request = {
          url: `${url}/inference`,
          headers: {},
          form,
          timeoutMs: settings.timeoutMs,
          maxAnswerBytes: maxAnswerBytesFor(samplesToMs(samples.length)),
        };
        const heard = await askUpstream(ports, request, signal);
        return { ...heard, language: wish.language || heard.language, prompt };
      } catch (error) {
        watch.note(error);
        throw error;
      }
    },
    dispose: async () => watch.end(),
  };
}

/** Its name for a language: it tells by itself with `auto`, and knows Javanese by an older code. */
function spokenLanguage(language: string): string {
  if (language === '') return 'auto';
  return language === 'jv' ? 'jw' : language;
}
