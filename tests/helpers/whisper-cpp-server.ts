import { spawn } from 'node:child_process';
import { TEST_MODEL_SAYS } from '../../tools/whisper-cpp/test-model.ts';
import { freePort } from '../drivers/processes.ts';
import { json, startUpstreamStub, type UpstreamCall, type UpstreamReply } from './upstream-stub.ts';

/** whisper.cpp's server for tests. */
export type WhisperCppServer = {
  readonly url: string;
  close(): Promise<void>;
};

/**
 * The real whisper.cpp, where tests run against it; `npx tsx tools/whisper-cpp/main.ts` sets both
 * variables.
 */
export const WHISPER_CPP = {
  program: process.env.WHISPER_SERVER,
  model: process.env.WHISPER_MODEL ?? '',
};

/** The start options: its own defaults, or those for clients of OpenAI's address. */
export type WhisperCppStart = 'plain' | 'for-openai';

/** The options that `server/README.md` recommends to operators. */
const ARGUMENTS: Readonly<Record<WhisperCppStart, readonly string[]>> = {
  plain: [],
  'for-openai': [
    ...['--inference-path', '/v1/audio/transcriptions'],
    ...['--language', 'auto', '--split-on-word'],
  ],
};

/** Starts the program `WHISPER_SERVER` names, else a stub that answers as it was seen to do. */
export function startWhisperCpp(start: WhisperCppStart = 'plain'): Promise<WhisperCppServer> {
  const { program, model } = WHISPER_CPP;
  return program === undefined ? startStub(start) : startReal(program, model, ARGUMENTS[start]);
}

async function startReal(
  program: string,
  model: string,
  extra: readonly string[],
): Promise<WhisperCppServer> {
  const port = await freePort();
  const args = ['--model', model, '--port', String(port), '--threads', '2', ...extra];
  const child = spawn(program, args, { stdio: 'ignore' });
  let hasEnded = false;
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  }).finally(() => {
    hasEnded = true;
  });
  const url = `http://127.0.0.1:${port}`;
  // It listens only when its model is loaded.
  while (!(await fetch(`${url}/health`).catch(() => null))?.ok) {
    if (hasEnded) throw new Error(`${program} ended`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function startStub(start: WhisperCppStart): Promise<WhisperCppServer> {
  const stub = await startUpstreamStub();
  stub.health.body = '{"status":"ok"}';
  stub.reply((call) => answer(call, start));
  return stub;
}

const WAVE_HEADER_BYTES = 44;
const SHORTEST_SAMPLES = 1_600;
const WINDOW_SAMPLES = 480_000;

const plainText = (status: number, body: string): UpstreamReply => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});

/** The answer of version 1.9.1 with the test model, for 16 kHz wave files of 16 bits. */
function answer({ path, fields }: UpstreamCall, start: WhisperCppStart): UpstreamReply {
  const isForOpenAi = start === 'for-openai';
  if (path !== (isForOpenAi ? '/v1/audio/transcriptions' : '/inference'))
    return plainText(404, `File Not Found (${path})`);
  const { file } = fields;
  const isWave = file instanceof Uint8Array && Buffer.from(file.subarray(0, 4)).equals(RIFF);
  if (!isWave) return plainText(400, 'Invalid request');
  if (Number.isNaN(Number(fields.temperature ?? 0))) {
    return plainText(500, '500 Internal Server Error\nstof');
  }
  const samples = (file.length - WAVE_HEADER_BYTES) / 2;
  const windows = samples < SHORTEST_SAMPLES ? 0 : Math.ceil(samples / WINDOW_SAMPLES);
  const splitsOnWord = isForOpenAi || fields.split_on_word === 'true';
  const text = `${segment(splitsOnWord)}\n`.repeat(windows);
  if (fields.response_format !== 'verbose_json') return json(200, { text });
  const asked = fields.language ?? (isForOpenAi ? 'auto' : 'en');
  const language = asked === 'en' ? 'english' : 'swedish';
  return json(200, { task: 'transcribe', language, text, segments: [] });
}

const RIFF = Buffer.from('RIFF');

/** A line of more than 60 characters goes on in the next one, in the middle of a word if it may. */
function segment(splitsOnWord: boolean): string {
  const { text } = TEST_MODEL_SAYS;
  return ` ${splitsOnWord ? text : text.replace('sjukhusb', 'sjukhus\nb')}`;
}
