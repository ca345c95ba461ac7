import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type AppOptions, createApps } from '../../server/app.ts';
import { decodeAudio } from '../../server/audio/decode-audio.ts';
import { decodableAudioTypes } from '../../server/audio/decoded-audio.ts';
import type { AudioDecoder } from '../../server/audio/decoder-pool.ts';
import type { ApiErrorBody } from '../../server/core/api-error.ts';
import type { TranscriptionEngine } from '../../server/engine/engine-port.ts';
import { createEngineSet, type EngineSet } from '../../server/engine/engine-set.ts';
import type { HealthAnswer } from '../../server/routes/health.ts';
import type { TranscriptionAnswer } from '../../server/transcription/transcription-service.ts';

/** A server on a free port. */
export type RunningServer = {
  /** Without a slash at the end. */
  readonly url: string;
  /** Where figures and probes are, without a slash at the end. */
  readonly adminUrl: string;
  close(): Promise<void>;
};

/** Decodes right here: fine for whole files, and without a thread to wait for. */
export const decoderInProcess: AudioDecoder = {
  audioTypes: decodableAudioTypes(false),
  decode: (file, maxAudioMs) => decodeAudio(file, maxAudioMs),
  dispose: async () => undefined,
};

/** Starts the app for real; close it in the end. */
export async function startServer(
  options: Omit<AppOptions, 'decoder' | 'engines'> &
    Partial<Pick<AppOptions, 'decoder'>> & { readonly engine: TranscriptionEngine | EngineSet },
): Promise<RunningServer> {
  const { engine, ...others } = options;
  const engines = 'engineFor' in engine ? engine : createEngineSet({ fallback: engine });
  const { app, adminApp } = await createApps({ decoder: decoderInProcess, ...others, engines });
  const anywhere = { port: 0, host: '127.0.0.1' };
  const url = await app.listen(anywhere);
  const adminUrl = await adminApp.listen(anywhere);
  return { url, adminUrl, close: () => app.close() };
}

/** A file of `tests/fixtures`. */
export function fixture(name: string): Uint8Array<ArrayBuffer> {
  const path = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
  return new Uint8Array(readFileSync(path));
}

/** The form the page sends: a file, and fields over its usual ones; null leaves one out. */
export function speechForm(
  file: Uint8Array,
  fields: Readonly<Record<string, string | null>> = {},
  fileName = 'chunk-0.wav',
): FormData {
  const form = new FormData();
  form.set('audioFile', new File([new Uint8Array(file)], fileName));
  const all = { removePii: 'false', fixSpelling: 'true', language: '', fast: 'true', ...fields };
  for (const [name, value] of Object.entries(all)) {
    if (value !== null) form.set(name, value);
  }
  return form;
}

/** Every answer of the API, success or error, as far as tests look at it. */
export type AnswerBody = Partial<TranscriptionAnswer & HealthAnswer & ApiErrorBody>;

/** An answer with its JSON parsed. */
export type JsonAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
};

/** Posts a form to the transcription endpoint. */
export async function postSpeech(
  server: RunningServer,
  form: BodyInit,
  init: RequestInit = {},
): Promise<JsonAnswer> {
  return readJson(fetch(`${server.url}/api/asr/vad`, { method: 'POST', body: form, ...init }));
}

/** Waits for an answer and reads its JSON. */
export async function readJson(pending: Promise<Response>): Promise<JsonAnswer> {
  const response = await pending;
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as AnswerBody,
  };
}
