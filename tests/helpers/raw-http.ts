import { connect, type Socket } from 'node:net';

/** A connection on which a test writes what it likes, and which it never ends by itself. */
export type RawConnection = {
  readonly socket: Socket;
  /** All that has come. */
  text(): string;
  /** The status of the first answer; null before it. */
  status(): number | null;
  /** Fulfilled, with the ms since it was opened, when the server has let the socket go. */
  cutOff(): Promise<number>;
};

const PROBE_EVERY_MS = 50;

/**
 * Opens a connection to a server and writes `bytes`; the other side's end is not answered. It comes
 * from `localAddress`, on Linux any of 127.0.0.0/8.
 */
export async function rawConnection(
  url: string,
  bytes: string | Uint8Array = '',
  localAddress?: string,
): Promise<RawConnection> {
  const { hostname: host, port } = new URL(url);
  const from = localAddress === undefined ? {} : { localAddress };
  const socket = connect({ host, port: Number(port), allowHalfOpen: true, ...from });
  let text = '';
  let isClosed = false;
  const openedMs = performance.now();
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  await new Promise((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', resolve);
  });
  if (bytes.length > 0) socket.write(bytes);
  const connection: RawConnection = {
    socket,
    text: () => text,
    status: () => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0) || null,
    cutOff: () =>
      new Promise((resolve) => {
        // Only a socket that was destroyed answers what is written with a reset.
        const probe = setInterval(() => {
          if (!isClosed && socket.readableEnded) socket.write('x');
          if (!isClosed) return;
          clearInterval(probe);
          resolve(performance.now() - openedMs);
        }, PROBE_EVERY_MS);
      }),
  };
  return connection;
}

const BOUNDARY = 'boundary-of-the-test';

/** The multipart body of a recording, as raw bytes. */
export function formBody(file: Uint8Array): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="audioFile"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

/** The head of a request for a transcription that announces `announcedBytes`. */
export function postHead(
  announcedBytes: number,
  { path = '/api/asr/vad', host = 'localhost', headers = {} as Record<string, string> } = {},
): string {
  const all = {
    Host: host,
    'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    'Content-Length': String(announcedBytes),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
