import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Random } from '../../src/core/clock.ts';
import type { Logger } from '../../src/core/logger.ts';
import { DICTATION_FIELD_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createHealthCheck, createServerWatch } from '../../workers/server-watch.ts';
import { createTranscribeRequest } from '../../workers/upload/transcribe-request.ts';
import { createUploadQueue } from '../../workers/upload/upload-queue.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';

/** The answer to a request. */
export type SeenAnswer = {
  /** 0: none came. */
  readonly status: number;
  /** The error's code: the API's, or the system's when nothing came; '' for a success. */
  readonly code: string;
  readonly hasRetryAfter: boolean;
};

/** Spare connections are let go before the balancer does. */
const IDLE_MS = 30_000;

/**
 * A `fetch` that goes out from `address`, one of this machine's own (127.0.0.0/8), and asks for the
 * name `host`, so that the servers see as many clients as there are. `onPosted` is told how each
 * POST ended.
 */
export function createSpeakerFetch(
  address: string,
  host: string,
  onPosted: (answer: SeenAnswer) => void,
): typeof fetch {
  const agent = new Agent({ keepAlive: true, localAddress: address, timeout: IDLE_MS });

  return async (url, init = {}) => {
    const isPost = init.method === 'POST';
    // Brings the form into bytes, with its boundary.
    const packed = new Request('http://form', { method: 'POST', body: init.body ?? '' });
    const body = isPost ? Buffer.from(await packed.arrayBuffer()) : null;
    const headers: Record<string, string | number> = { host };
    new Headers(init.headers).forEach((value, name) => {
      headers[name] = value;
    });
    if (body !== null) {
      headers['content-type'] = packed.headers.get('content-type') ?? '';
      headers['content-length'] = body.length;
    }
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const { method = 'GET', signal = null } = init;
        const options = { method, agent, headers, ...(signal === null ? {} : { signal }) };
        httpRequest(String(url), options, resolve).on('error', reject).end(body);
      });
      const response = await read(answer);
      if (isPost) onPosted(await seen(response.clone()));
      return response;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (isPost) onPosted({ status: 0, code, hasRetryAfter: false });
      throw error;
    }
  };
}

async function read(answer: IncomingMessage): Promise<Response> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
  return new Response(Buffer.concat(parts), { status, statusText, headers });
}

async function seen(response: Response): Promise<SeenAnswer> {
  const { status, headers } = response;
  const code = /"code":"(\w+)"/.exec(response.ok ? '' : await response.text())?.[1] ?? '';
  return { status, code, hasRetryAfter: headers.has('retry-after') };
}

/** Somebody who dictates: the page's queue, retries and look at the server, without the page. */
export type Speaker = {
  /** Hands in one chunk, whose speech has just ended. */
  say(chunk: SaidChunk): void;
  /** Stops all requests and timers. */
  leave(): void;
};

/** A chunk as it was cut. */
export type SaidChunk = {
  readonly id: string;
  readonly file: ArrayBuffer;
  readonly durationSamples: number;
};

/** The speaker's surroundings. */
export type SpeakerPorts = {
  /** The balancer, without a slash at the end. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly random: Random;
  /** Told once of each text. */
  readonly onText: (id: string, text: string) => void;
  /** Told of a chunk that only a person could have sent again. */
  readonly onRefused: (id: string, why: string) => void;
};

/** The page waits so long for a text after the stop; then it goes on in the background. */
const PATIENCE_MS = 20_000;

const SILENT: Logger = { error: () => {}, warn: () => {}, info: () => {} };

/** Makes a speaker, who has said nothing yet. Memory stands for the page's IndexedDB. */
export function createSpeaker(ports: SpeakerPorts): Speaker {
  const { url, fetch, random, onText, onRefused } = ports;
  const parts = { clock: browserClock, random, log: SILENT };

  const queue = createUploadQueue({
    ...parts,
    store: createMemoryQueueStore(),
    request: createTranscribeRequest({ url: `${url}/api/asr/vad`, clock: browserClock, fetch }),
    onServerNeeded: () => watch.need(),
    onChange({ items }) {
      for (const { id, state } of items) {
        if (state.kind === 'refused') onRefused(id, state.error.message);
        // Late: nobody's session waits for it any more.
        if (state.kind === 'answered' && late.delete(id)) hand(id, state.text);
      }
    },
  });
  const watch = createServerWatch({
    ...parts,
    look: createHealthCheck({ address: `${url}/api/health`, clock: browserClock, fetch }),
    dispatch: () => undefined,
    isNeeded: queue.needsServer,
    isSeen: async () => true,
    onLook: queue.serverSeen,
  });
  const late = new Set<string>();

  function hand(id: string, text: string): void {
    onText(id, text);
    void queue.cache.markDelivered(new Map([[id, true]]));
  }

  async function submit(item: QueueItem): Promise<void> {
    const { id } = item;
    const cancel = browserClock.after(PATIENCE_MS, () => queue.stopWaiting(id));
    const outcome = await queue.submit(item);
    cancel();
    if (outcome.kind === 'answered') hand(id, outcome.text);
    else late.add(id);
    // It may have come in the same moment.
    const { state } = queue.cache.head(id) ?? {};
    if (state?.kind === 'answered' && late.delete(id)) hand(id, state.text);
  }

  queue.start();
  return {
    say: ({ id, file: bytes, durationSamples }) =>
      void submit({
        id,
        dictationId: id,
        number: 0,
        options: { ...DICTATION_FIELD_OPTIONS, language: '' },
        createdAtMs: Date.now(),
        durationSamples,
        speechSamples: durationSamples,
        rounds: 0,
        asks: 0,
        state: { kind: 'pending', nextAttemptAtMs: 0, lastError: null },
        audio: { type: 'audio/webm', bytes, durationSamples },
      }),
    leave: queue.dispose,
  };
}
