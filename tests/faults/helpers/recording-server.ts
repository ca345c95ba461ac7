import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import { freePort } from '../../drivers/processes.ts';
import { hearNumbers } from '../../helpers/numbered-words.ts';
import { PAGE_FOLDER } from './build-page.ts';

/** A fault of the server in one request, before or after its work. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> }
  /** Does the work; the answer is lost on its way. */
  | { readonly kind: 'answer-lost' }
  /** Nothing ever comes. */
  | { readonly kind: 'hang' }
  /** Answers after a while. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'none' };

/** Serves the bench page and hears numbered words; fails as it is told. */
export type RecordingServer = {
  readonly url: string;
  /** Transcriptions made for each key: a kept answer is given again without one. */
  readonly worked: ReadonlyMap<string, number>;
  /** The latest audio heard under each key. */
  readonly audios: ReadonlyMap<string, Uint8Array>;
  /** Requests in all. */
  readonly requests: number;
  /** Audio that came under a key whose answer, to other audio, was kept already. */
  readonly changedKeys: readonly string[];
  /** Faults for the next requests, one each; afterwards all is well. */
  fail(...faults: readonly Fault[]): void;
  /** A fault for every request until told otherwise. */
  failAlways(fault: Fault): void;
  /** Has every dictation worker that is loaded from now on run this code first. */
  beginWorkersWith(code: string): void;
  /** Off the network, and back at the same address. The page stays reachable in neither. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
};

const MAX_AUDIO_MS = 120_000;

export async function startRecordingServer(): Promise<RecordingServer> {
  const worked = new Map<string, number>();
  const answers = new Map<string, { readonly text: string; readonly bytes: number }>();
  const audios = new Map<string, Uint8Array>();
  const changedKeys: string[] = [];
  const speech = readFileSync('tests/fixtures/speech-en.wav');
  let next: Fault[] = [];
  let always: Fault = { kind: 'none' };
  let requests = 0;
  let workerBeginning = '';
  let server: Server = createServer();
  const port = await freePort();

  async function hear(key: string, audio: Uint8Array): Promise<string> {
    const kept = answers.get(key);
    audios.set(key, audio);
    if (kept) {
      if (kept.bytes !== audio.byteLength) changedKeys.push(key);
      return kept.text;
    }
    const text = await numbersIn(audio);
    worked.set(key, (worked.get(key) ?? 0) + 1);
    answers.set(key, { text, bytes: audio.byteLength });
    return text;
  }

  async function transcribe(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const fault = next.shift() ?? always;
    if (fault.kind === 'hang') return;
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    if (fault.kind === 'status') {
      const error = { code: 'told_so', message: 'As the test says' };
      response.writeHead(fault.status, fault.headers).end(JSON.stringify({ error }));
      return;
    }
    // Without the fingerprint of its audio: a chunk that is sent with other audio is to be seen.
    const key = String(request.headers['idempotency-key']).replace(/@[0-9a-z]+/, '');
    const transcription = await hear(key, await audioIn(request, body));
    if (fault.kind === 'answer-lost') {
      request.socket.destroy();
      return;
    }
    if (fault.kind === 'slow') {
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    }
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ transcription }));
  }

  /** Live words before their pause, without a key: a fault that is meant for a chunk is not theirs. */
  async function transcribeEarly(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    if (next.length > 0 || always.kind !== 'none') {
      response.writeHead(503).end();
      return;
    }
    const transcription = await numbersIn(await audioIn(request, body));
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ transcription }));
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(request.url ?? '/', 'http://host').pathname;
    if (path === '/api/asr/vad') {
      const isEarly = request.headers['idempotency-key'] === undefined;
      (isEarly ? transcribeEarly : transcribe)(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
      return;
    }
    if (path === '/api/health') {
      const health = { status: 'ready', engine: 'numbers', model: 'none', languages: ['sv'] };
      response.end(JSON.stringify(health));
      return;
    }
    try {
      const file = path === '/' ? '/index.html' : normalize(path);
      const content = path === '/speech.wav' ? speech : readFileSync(join(PAGE_FOLDER, file));
      response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      if (path.includes('dictation.worker')) response.write(`${workerBeginning};`);
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  }

  async function listen(): Promise<void> {
    server = createServer(serve);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  }

  function down(): Promise<void> {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  }

  await listen();
  return {
    url: `http://127.0.0.1:${port}/`,
    worked,
    audios,
    changedKeys,
    get requests() {
      return requests;
    },
    fail(...faults) {
      next = [...faults];
    },
    failAlways(fault) {
      always = fault;
    },
    beginWorkersWith(code) {
      workerBeginning = code;
    },
    goDown: down,
    comeBack: listen,
    close: down,
  };
}

async function numbersIn(audio: Uint8Array): Promise<string> {
  const { samples } = await decodeAudio(audio, MAX_AUDIO_MS);
  return hearNumbers(samples)
    .map((number) => `w${number}`)
    .join(' ');
}

async function audioIn(request: IncomingMessage, body: readonly Buffer[]): Promise<Uint8Array> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(Buffer.concat(body), { headers }).formData();
  return new Uint8Array(await (form.get('audioFile') as File).arrayBuffer());
}
