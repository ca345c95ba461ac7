import { askUpstream, type UpstreamPorts } from './ask-upstream.ts';
import type { TranscriptionEngine } from './engine-port.ts';
import { createUpstreamWatch, probeUrl } from './upstream-watch.ts';
import { waveBytes } from './wave-bytes.ts';

/** Where whisper.cpp's own server is and how it is asked. */
export type WhisperCppSettings = {
  /** Without a slash at the end, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** For people: the server itself does not say which model it has. */
  readonly model: string;
  /** Never empty. */
  readonly languages: readonly string[];
  /** What an empty `language` means; null lets the model find out. */
  readonly defaultLanguage: string | null;
  /** Words and names to expect; '' for none. */
  readonly prompt: string;
  /** For one transcription with its retries, in ms. */
  readonly timeoutMs: number;
};

/** Greedy when `fast`, else a search as wide as whisper.cpp's own default. */
const BEAM_SIZE = { fast: '1', thorough: '5' } as const;

/**
 * whisper.cpp's `POST /inference`. It works on one request at a time, so `CONCURRENCY` 1 suits it;
 * `GET /health` is 503 while its model loads.
 */
export function createWhisperCppEngine(
  settings: WhisperCppSettings,
  ports: UpstreamPorts,
): TranscriptionEngine {
  const { url, model, languages, defaultLanguage } = settings;
  const watch = createUpstreamWatch(
    () =>
      probeUrl(ports.fetch, `${url}/health`, {}, (status) =>
        status === 503 ? { status: 'loading' } : { status: 'ready' },
      ),
    ports.clock,
  );

  return {
    description: { engine: 'whisper.cpp', model, languages, defaultLanguage },
    state: watch.state,
    start: watch.start,
    async transcribe(samples, wish, signal) {
      const beamSize = wish.fast ? BEAM_SIZE.fast : BEAM_SIZE.thorough;
      const form = new FormData();
      form.set('file', new File([waveBytes(samples)], 'audio.wav', { type: 'audio/wav' }));
      form.set('response_format', 'json');
      form.set('temperature', '0.0');
      form.set('language', wish.language === '' ? 'auto' : wish.language);
      form.set('beam_size', beamSize);
      form.set('best_of', beamSize);
      if (settings.prompt !== '') form.set('prompt', settings.prompt);
      try {
        const request = {
          url: `${url}/inference`,
          headers: {},
          form,
          timeoutMs: settings.timeoutMs,
        };
        return cleaned(await askUpstream(ports, request, signal));
      } catch (error) {
        watch.note(error);
        throw error;
      }
    },
  };
}

/** It ends each segment with a line break and writes a mark for silence. */
function cleaned(text: string): string {
  return text.replaceAll('[BLANK_AUDIO]', ' ').replaceAll(/\s+/g, ' ').trim();
}
