import { Agent } from 'node:https';
import { connect } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import type { RunningServer } from './running-server.ts';

/** Any event of the protocol, as far as tests look at it. */
export type RealtimeEvent = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly item_id?: string;
  readonly transcript?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly event_id?: string };
};

/** A connection in the hands of a test. */
export type RealtimeClient = {
  readonly socket: WebSocket;
  readonly events: readonly RealtimeEvent[];
  send(event: object | string | Buffer): void;
  /** Sends audio in one event; commits it when told so. */
  speak(samples: Float32Array, isCommitted?: boolean): void;
  /** Fulfilled with the next event of a type, or one that has come and nobody has asked for. */
  next(type: string): Promise<RealtimeEvent>;
  /** Fulfilled with WebSocket's code when it has closed. */
  readonly closed: Promise<number>;
};

/** 16-bit samples in base64. */
export function base64Of(samples: Float32Array): string {
  return Buffer.from(Int16Array.from(samples, (value) => value * 32_767).buffer).toString('base64');
}

/** Opens a connection; rejects when it is refused, with the status in the message. */
export async function openRealtime(
  server: Pick<RunningServer, 'url'>,
  options: ClientOptions & { readonly query?: string; readonly protocols?: string[] } = {},
): Promise<RealtimeClient> {
  const { query = '?intent=transcription', protocols = [], ...others } = options;
  const url = `${server.url.replace('http', 'ws')}/v1/realtime${query}`;
  const socket = new WebSocket(url, protocols, others);
  const events: RealtimeEvent[] = [];
  const unasked: RealtimeEvent[] = [];
  const waiting: { type: string; resolve: (event: RealtimeEvent) => void }[] = [];
  socket.on('message', (data) => {
    const event = JSON.parse(String(data)) as RealtimeEvent;
    events.push(event);
    const at = waiting.findIndex(({ type }) => type === event.type);
    if (at < 0) unasked.push(event);
    else waiting.splice(at, 1)[0]?.resolve(event);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  function send(event: object | string | Buffer): void {
    const isRaw = typeof event === 'string' || Buffer.isBuffer(event);
    socket.send(isRaw ? event : JSON.stringify(event));
  }
  return {
    socket,
    events,
    closed,
    send,
    speak(samples, isCommitted = false) {
      send({ type: 'input_audio_buffer.append', audio: base64Of(samples) });
      if (isCommitted) send({ type: 'input_audio_buffer.commit' });
    },
    next(type) {
      const at = unasked.findIndex((event) => event.type === type);
      if (at >= 0) return Promise.resolve(unasked.splice(at, 1)[0]!);
      return new Promise((resolve) => waiting.push({ type, resolve }));
    },
  };
}

/** The helper of OpenAI's client only speaks TLS; this takes the place of a proxy that ends it. */
export class WithoutTls extends Agent {
  override createConnection(options: { port: number; host: string }) {
    return connect(options.port, options.host);
  }
}
