import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { freePort } from '../drivers/processes.ts';

/** A Redis for tests. */
export type StoreServer = {
  readonly url: string;
  /** True for a real server (`REDIS_SERVER` names its program), false for the stub below. */
  readonly isReal: boolean;
  close(): Promise<void>;
};

/** Starts the program `REDIS_SERVER` names, else a stub with enough of the protocol (RESP2). */
export async function startStoreServer(): Promise<StoreServer> {
  const program = process.env.REDIS_SERVER;
  return program === undefined ? startStub() : startReal(program);
}

async function startReal(program: string): Promise<StoreServer> {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (/ready to accept connections/i.test(text)) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    isReal: true,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}

type Entry = { readonly value: string; readonly endsMs: number };

async function startStub(): Promise<StoreServer> {
  const entries = new Map<string, Entry>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let waiting = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let read = readCommand(waiting); read !== null; read = readCommand(waiting)) {
        waiting = waiting.subarray(read.bytes);
        socket.write(answer(entries, read.words));
      }
    });
  });
  const port = await listen(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    isReal: false,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function answer(entries: Map<string, Entry>, [name = '', key = '', ...rest]: string[]): string {
  const entry = entries.get(key);
  const known = entry !== undefined && entry.endsMs > Date.now() ? entry : null;
  switch (name.toLowerCase()) {
    case 'get':
      return known === null ? '$-1\r\n' : bulk(known.value);
    case 'del':
      entries.delete(key);
      return `:${known === null ? 0 : 1}\r\n`;
    case 'set': {
      const [value = '', ...words] = rest;
      const options = words.map((word) => word.toUpperCase());
      if (options.includes('NX') && known !== null) return '$-1\r\n';
      const ttlMs = Number(options[options.indexOf('PX') + 1]);
      entries.set(key, { value, endsMs: Date.now() + ttlMs });
      return '+OK\r\n';
    }
    case 'eval':
      return runScript(entries, key, rest);
    case 'info':
      return bulk('redis_version:7.0.0\r\nloading:0\r\n');
    case 'client':
      return '+OK\r\n';
    default:
      return `-ERR unknown command '${name}'\r\n`;
  }
}

/** One of the store's three scripts; each acts only if the key has the expected value. */
function runScript(entries: Map<string, Entry>, script: string, args: readonly string[]): string {
  const [, key = '', expected = '', ...values] = args;
  const entry = entries.get(key);
  if (entry === undefined || entry.endsMs <= Date.now() || entry.value !== expected)
    return ':0\r\n';
  if (script.includes("'del'")) entries.delete(key);
  else {
    const ttlMs = Number(values.at(-1));
    const value = script.includes("'set'") ? (values[0] ?? '') : expected;
    entries.set(key, { value, endsMs: Date.now() + ttlMs });
  }
  return ':1\r\n';
}

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** One whole command at the beginning of `bytes`, null while a part of it is still on the way. */
function readCommand(bytes: Buffer): { words: string[]; bytes: number } | null {
  let at = 0;
  const line = () => {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return null;
    const text = bytes.toString('utf8', at, end);
    at = end + 2;
    return text;
  };
  const head = line();
  if (head === null) return null;
  const words: string[] = [];
  for (let count = Number(head.slice(1)); count > 0; count--) {
    const length = Number(line()?.slice(1) ?? Number.NaN);
    if (Number.isNaN(length) || bytes.length < at + length + 2) return null;
    words.push(bytes.toString('utf8', at, at + length));
    at += length + 2;
  }
  return { words, bytes: at };
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
