import { createServer, type Socket } from 'node:net';

/** A speech server that says, byte by byte, what a test wants it to. */
export type RawUpstream = {
  readonly url: string;
  /** Requests that came in whole. */
  readonly asked: () => number;
  /** Bytes that left for the client or wait in the system's buffers, over all connections. */
  readonly sentBytes: () => number;
  /** Connections that are open and had a request; fetch may keep a fresh one for the next. */
  readonly answering: () => number;
  close(): Promise<void>;
};

/** Starts one on a free port; `say` gets the socket and each request that has come in whole. */
export async function startRawUpstream(
  say: (socket: Socket, head: string, body: string) => unknown,
): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const answering = new Set<Socket>();
  let asked = 0;
  let sentBefore = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      answering.delete(socket);
      sentBefore += socket.bytesWritten;
    });
    let request = '';
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1');
      const bodyAt = request.indexOf('\r\n\r\n') + 4;
      // Fetch sends forms of known length.
      const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
      if (bodyAt < 4 || request.length < bodyAt + length) return;
      const [head, body] = [request.slice(0, bodyAt), request.slice(bodyAt)];
      request = '';
      asked++;
      answering.add(socket);
      say(socket, head, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1/audio/transcriptions`,
    asked: () => asked,
    sentBytes: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, sentBefore),
    answering: () => answering.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Writes `chunk` for as long as somebody reads. */
export function writeForEver(socket: Socket, chunk: Uint8Array): void {
  const go = () => {
    while (!socket.destroyed && socket.write(chunk)) {
      // Until the buffers are full.
    }
  };
  socket.on('drain', go);
  go();
}
