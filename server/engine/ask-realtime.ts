import { WebSocket } from 'ws';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import { createResampler, type Resampler } from '../audio/resample.ts';
import { ApiError } from '../core/api-error.ts';
import { createRealtimeItems, type RealtimeItems } from './realtime-items.ts';
import {
  retryAfterMsOf,
  upstreamAnswerWrong,
  upstreamError,
  upstreamTimeout,
  upstreamUnreachable,
} from './upstream-errors.ts';

/** One recording for a server that speaks OpenAI's Realtime transcription protocol. */
export type RealtimeRequest = {
  /** `ws://` or `wss://`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  /** '' lets the model find out. */
  readonly language: string;
  /** '' for none. */
  readonly prompt: string;
  /** For all of it, in ms. */
  readonly timeoutMs: number;
  /** All events together, in bytes. */
  readonly maxAnswerBytes: number;
};

/** What OpenAI takes; others take it, too. */
const RATE_HZ = 24_000;

/** One event holds this much: the loop is free between two. */
const BLOCK_SAMPLES = SAMPLE_RATE_HZ;

/** Events of the protocol that say nothing of the text. */
const SPARE_ANSWER_BYTES = 64 * 1024;

/**
 * Sends `samples` (16 kHz mono) over a connection of its own, and gives the text. Rejects with an
 * ApiError, or with `signal`'s reason. It does not try again: whoever asked keeps the audio, and
 * a preview is not worth it.
 */
export async function askRealtime(
  clock: Clock,
  request: RealtimeRequest,
  samples: Float32Array,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const socket = new WebSocket(request.url, {
    headers: { ...request.headers },
    maxPayload: request.maxAnswerBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const items = createRealtimeItems();
  const cancels: (() => void)[] = [];
  try {
    return await new Promise<string>((resolve, reject) => {
      cancels.push(
        clock.after(request.timeoutMs, () => reject(upstreamTimeout(request.timeoutMs))),
        listenTo(signal, () => reject(signal.reason)),
      );
      listen(socket, items, request.maxAnswerBytes + SPARE_ANSWER_BYTES, clock, resolve, reject);
      socket.once('open', () => {
        send(socket, items, request, samples).catch((cause: unknown) => {
          // A connection that ended says so itself.
          if (socket.readyState === WebSocket.OPEN) reject(upstreamUnreachable(cause));
        });
      });
    });
  } finally {
    for (const cancel of cancels) cancel();
    // What is sent from here on fails, and so ends.
    socket.terminate();
  }
}

function listen(
  socket: WebSocket,
  items: RealtimeItems,
  maxBytes: number,
  clock: Clock,
  resolve: (text: string) => void,
  reject: (error: unknown) => void,
): void {
  let bytes = 0;
  socket.on('message', (data, isBinary) => {
    try {
      const event = isBinary ? '' : String(data);
      bytes += event.length;
      if (bytes > maxBytes) throw upstreamAnswerWrong();
      const text = items.take(event);
      if (text !== null) resolve(text);
    } catch (error) {
      reject(error instanceof ApiError ? error : upstreamAnswerWrong());
    }
  });
  socket.on('unexpected-response', (asked, response) => {
    const headers = new Headers();
    const retryAfter = response.headers['retry-after'];
    if (retryAfter !== undefined) headers.set('retry-after', retryAfter);
    const status = response.statusCode ?? 500;
    asked.destroy();
    // It answered a WebSocket with a page: it has none.
    const refusal = status < 400 ? 400 : status;
    reject(upstreamError(refusal, retryAfterMsOf(headers, clock.nowMs())));
  });
  socket.on('error', (cause) => {
    // One event alone was too long, or was no text.
    const isWrong = 'code' in cause && String(cause.code).startsWith('WS_ERR_');
    reject(isWrong ? upstreamAnswerWrong() : upstreamUnreachable(cause));
  });
  socket.on('close', (code) => reject(upstreamUnreachable(new Error(`it closed with ${code}`))));
}

async function send(
  socket: WebSocket,
  items: RealtimeItems,
  { model, language, prompt }: RealtimeRequest,
  samples: Float32Array,
): Promise<void> {
  const transcription = {
    model,
    ...(language === '' ? {} : { language }),
    ...(prompt === '' ? {} : { prompt }),
  };
  const format = { type: 'audio/pcm', rate: RATE_HZ };
  const input = { format, transcription, turn_detection: null };
  await sendEvent(socket, {
    type: 'session.update',
    session: { type: 'transcription', audio: { input } },
  });
  const resampler = await createResampler(SAMPLE_RATE_HZ, RATE_HZ);
  try {
    await sendAudio(socket, resampler, samples);
  } finally {
    resampler.dispose();
  }
  items.noteCommit();
  await sendEvent(socket, { type: 'input_audio_buffer.commit' });
}

async function sendAudio(
  socket: WebSocket,
  resampler: Resampler,
  samples: Float32Array,
): Promise<void> {
  const type = 'input_audio_buffer.append';
  for (let start = 0; start < samples.length; start += BLOCK_SAMPLES) {
    const block = resampler.process(samples.subarray(start, start + BLOCK_SAMPLES));
    await sendEvent(socket, { type, audio: base64Of(block) });
  }
  await sendEvent(socket, { type, audio: base64Of(resampler.flush()) });
}

/** Fulfilled when it has left this process: no more is held than one event. */
function sendEvent(socket: WebSocket, event: object): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(JSON.stringify(event), (error) => (error ? reject(error) : resolve()));
  });
}

function base64Of(samples: Float32Array): string {
  const bytes = Buffer.alloc(2 * samples.length);
  samples.forEach((sample, index) => {
    const value = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767);
    bytes.writeInt16LE(value, 2 * index);
  });
  return bytes.toString('base64');
}

function listenTo(signal: AbortSignal, act: () => void): () => void {
  signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}
