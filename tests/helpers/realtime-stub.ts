import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** One event of a client. */
export type Sent = Readonly<Record<string, unknown>> & { readonly type: string };

/** What the stand-in does with one connection; `say` sends an event. */
export type Script = (connection: {
  readonly socket: WebSocket;
  /** Fulfilled with the next event of that type. */
  readonly next: (type: string) => Promise<Sent>;
  readonly say: (event: object | string) => void;
}) => Promise<void> | void;

/** A speech server that speaks the Realtime transcription protocol as it is published. */
export type RealtimeStub = {
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
  readonly requests: readonly IncomingMessage[];
  /** Everything clients sent, in order. */
  readonly sent: readonly Sent[];
  play(script: Script): void;
  /** Refuses the next connections with this status and head. */
  refuse(status: number, headers?: Record<string, string>): void;
  /** Connections that are open now. */
  open(): number;
  close(): Promise<void>;
};

/** Starts it; without a script it says nothing. `GET /v1/models` answers 200. */
export async function startRealtimeStub(): Promise<RealtimeStub> {
  const requests: IncomingMessage[] = [];
  const sent: Sent[] = [];
  let script: Script = () => undefined;
  let refusal: { status: number; headers: Record<string, string> } | null = null;
  const http = createServer((_request, response) => response.end('{"data":[]}'));
  const sockets = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    requests.push(request);
    if (refusal !== null) {
      const lines = Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${refusal.status} No\r\n${lines.join('')}content-length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => void serve(opened));
  });

  async function serve(socket: WebSocket): Promise<void> {
    const waiting: Sent[] = [];
    let wake = () => {};
    socket.on('message', (data) => {
      const event = JSON.parse(String(data)) as Sent;
      sent.push(event);
      waiting.push(event);
      wake();
    });
    socket.on('error', () => undefined);
    await script({
      socket,
      say: (event) => socket.send(typeof event === 'string' ? event : JSON.stringify(event)),
      async next(type) {
        for (;;) {
          const at = waiting.findIndex((event) => event.type === type);
          if (at >= 0) return waiting.splice(at, 1)[0]!;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
    });
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    sent,
    play(next) {
      script = next;
    },
    refuse(status, headers = {}) {
      refusal = { status, headers };
    },
    open: () => sockets.clients.size,
    async close() {
      for (const client of sockets.clients) client.terminate();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
