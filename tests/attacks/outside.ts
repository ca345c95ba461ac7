import { createServer, type Socket } from 'node:net';
import { type RawUpstream, startRawUpstream } from '../helpers/raw-upstream.ts';

/** The services around a server, under the attack's control. */
export type Outside = {
  readonly engineUrl: string;
  readonly storeUrl: string;
  /** Sets the speech server's behaviour for the next recordings; null: it writes `hello`. */
  engineSays(say: EngineBehaviour | null): void;
  /** Sets the store's behaviour for the next commands; null: a normal store. */
  storeSays(say: StoreBehaviour | null): void;
  close(): Promise<void>;
};

/** The same in the hands of one attack. */
export type OutsideHand = Pick<Outside, 'engineSays' | 'storeSays'> & {
  /** Puts right what this attack has made wrong. */
  letGo(): void;
};

/** Answers a recording of so many samples, or does something else to the connection. */
export type EngineBehaviour = (socket: Socket, samples: number) => unknown;

/** Answers one command, or does worse to the connection; false: what an honest store would say. */
export type StoreBehaviour = (socket: Socket, command: readonly string[]) => boolean;

/** Gives what is outside to an attack. */
export function takeInHand(outside: Outside): OutsideHand {
  const putRight = new Map<string, () => void>();
  return {
    engineSays(say) {
      putRight.set('engine', () => outside.engineSays(null));
      outside.engineSays(say);
    },
    storeSays(say) {
      putRight.set('store', () => outside.storeSays(null));
      outside.storeSays(say);
    },
    letGo() {
      for (const put of putRight.values()) put();
    },
  };
}

/** Starts a speech server (OpenAI's protocol) and a store (Redis's) that do as told. */
export async function startOutside(): Promise<Outside> {
  let say: EngineBehaviour | null = null;
  const engine = await startRawUpstream((socket, head, body) => {
    // Looks whether it is there are answered well: an engine that is away is asked nothing.
    if (head.startsWith('GET')) socket.write(jsonAnswer({ data: [] }));
    else if (say === null) socket.write(jsonAnswer({ text: 'hello' }));
    else say(socket, samplesIn(body));
  });
  const store = await startStore();
  return {
    engineUrl: baseOf(engine),
    storeUrl: store.url,
    engineSays(next) {
      say = next;
    },
    storeSays: store.says,
    async close() {
      await Promise.all([engine.close(), store.close()]);
    },
  };
}

/** The server sends 16-bit mono waves. */
function samplesIn(form: string): number {
  const wave = Buffer.from(form.slice(form.indexOf('RIFF')).slice(0, WAVE_HEAD_BYTES), 'latin1');
  return wave.readUInt32LE(WAVE_HEAD_BYTES - 4) / 2;
}

const WAVE_HEAD_BYTES = 44;

const baseOf = ({ url }: RawUpstream) => url.replace('/audio/transcriptions', '');

/** A whole answer of JSON, as bytes. */
export function jsonAnswer(body: unknown): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** As much of a store as a server needs of it; nothing is ever too old. */
async function startStore() {
  const values = new Map<string, string>();
  const sockets = new Set<Socket>();
  let behaviour: StoreBehaviour | null = null;
  const server = createServer((socket) => {
    sockets.add(socket);
    let waiting = '';
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      waiting += chunk;
      for (let read = readCommand(waiting); read !== null; read = readCommand(waiting)) {
        waiting = waiting.slice(read.bytes);
        if (behaviour?.(socket, read.words) === true) continue;
        socket.write(honest(values, read.words), 'latin1');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `redis://127.0.0.1:${port}`,
    says(next: StoreBehaviour | null) {
      behaviour = next;
      // Requests to the former behaviour must not be waited for.
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Text as the protocol writes it. */
export const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;

function honest(values: Map<string, string>, [name = '', key = '', ...rest]: readonly string[]) {
  switch (name.toLowerCase()) {
    case 'info':
      return bulk('redis_version:7.0.0\r\nloading:0\r\n');
    case 'get': {
      const value = values.get(key);
      return value === undefined ? '$-1\r\n' : bulk(value);
    }
    case 'set':
      if (values.has(key)) return '$-1\r\n';
      values.set(key, rest[0] ?? '');
      return '+OK\r\n';
    case 'eval':
      return runScript(values, key, rest);
    default:
      return '+OK\r\n';
  }
}

/** One of the scripts, each of which acts only when the value is the expected one. */
function runScript(values: Map<string, string>, script: string, rest: readonly string[]): string {
  const [, key = '', expected = '', value = ''] = rest;
  if (values.get(key) !== expected) return ':0\r\n';
  if (script.includes("'del'")) values.delete(key);
  else if (script.includes("'set'")) values.set(key, value);
  return ':1\r\n';
}

/** One whole command at the beginning of `text`; null while a part of it is on the way. */
function readCommand(text: string): { readonly words: string[]; readonly bytes: number } | null {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return null;
  let at = head[0].length;
  const words: string[] = [];
  for (let count = Number(head[1]); count > 0; count--) {
    const length = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20));
    if (length === null) return null;
    const start = at + length[0].length;
    at = start + Number(length[1]) + 2;
    if (text.length < at) return null;
    words.push(text.slice(start, at - 2));
  }
  return { words, bytes: at };
}
