import { createConnection, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { AbstractConnector, Redis } from 'ioredis';
import type { AnswerStore } from './shared-answers.ts';

/** No line of the protocol is longer: a status, an error, a number, the length of what follows. */
const MAX_LINE_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Lines that may begin a reply: a status, an error, a number, null, the length of a text. */
const LINE = /^(?:[+-][^\r\n]*|:-?\d{1,19}|\$-1|\$(\d{1,10}))\r\n$/;

/**
 * Counts the replies in what a store sends (RESP2), chunk by chunk: the function returned says how
 * many have ended in the one it is given. It throws when a text of more than `maxTextBytes` is
 * announced, a line is endless, or something else comes than texts, numbers, statuses, errors and
 * nulls: no command of ours is answered by a list.
 */
function createReplyCounter(maxTextBytes: number): (chunk: Uint8Array) => number {
  let line = '';
  let textBytesLeft = 0;
  return (chunk) => {
    let replies = 0;
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    while (rest.length > 0) {
      if (textBytesLeft > 0) {
        const taken = Math.min(textBytesLeft, rest.length);
        rest = rest.subarray(taken);
        textBytesLeft -= taken;
      } else {
        const lineBytes = rest.indexOf(LINE_FEED) + 1 || rest.length;
        line += rest.toString('latin1', 0, lineBytes);
        rest = rest.subarray(lineBytes);
        if (line.length > MAX_LINE_BYTES) throw new Error('a line without an end');
        if (!line.endsWith('\n')) break;
        textBytesLeft = textBytesAfter(line, maxTextBytes);
        line = '';
      }
      if (textBytesLeft === 0) replies++;
    }
    return replies;
  };
}

/** The bytes of a reply behind its line: a text with the two bytes of its end, or none. */
function textBytesAfter(line: string, maxTextBytes: number): number {
  const read = LINE.exec(line);
  if (read === null) throw new Error('not the protocol');
  const [, textBytes] = read;
  if (textBytes === undefined) return 0;
  if (Number(textBytes) > maxTextBytes) throw new Error('a text that is too long');
  return Number(textBytes) + 2;
}

/** An answer to ten minutes of speech has a tenth of it. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** The options that the client library makes of the URL. */
type Target = {
  readonly host: string;
  readonly port: number;
  readonly family: number;
  /** `true` as well, where the URL says `rediss:`. */
  readonly tls?: ConnectionOptions | true;
  readonly disconnectTimeout: number;
};

/**
 * Connects the client library to its store and stands between socket and parser: what no command
 * asked for, and what may not be a reply, ends the connection with an error before the library sees
 * it. ioredis 6.0.0 throws from `nextTick`, where nobody can catch it, over one null too many, and
 * reads on for as long as a reply has no end.
 */
class GuardedConnector extends AbstractConnector {
  readonly #target: Target;

  constructor(target: unknown) {
    super((target as Target).disconnectTimeout);
    this.#target = target as Target;
  }

  override async connect(): Promise<Socket> {
    const { host, port, family, tls } = this.#target;
    const to = { host, port, family };
    const socket =
      tls === undefined
        ? createConnection(to)
        : connectTls({ ...to, ...(tls === true ? {} : tls) });
    socket.once('error', (error) => {
      this.firstError = error;
    });
    guard(socket);
    this.stream = socket;
    return socket;
  }
}

/**
 * Ends `socket` at a reply too many. The library writes a command at a time, and all that a socket
 * reads, with TLS or without, is pushed before any listener gets it.
 */
function guard(socket: Socket): void {
  const repliesIn = createReplyCounter(MAX_TEXT_BYTES);
  let unanswered = 0;
  socket.write = new Proxy(socket.write, {
    apply(write, self, args) {
      unanswered++;
      return Reflect.apply(write, self, args);
    },
  });
  socket.push = new Proxy(socket.push, {
    apply(push, self, args) {
      const [chunk] = args;
      try {
        if (chunk !== null) unanswered -= repliesIn(chunk);
        if (unanswered < 0) throw new Error('a reply to no command');
      } catch (error) {
        socket.destroy(new Error('the answer store said what it must not', { cause: error }));
        return false;
      }
      return Reflect.apply(push, self, args);
    },
  });
}

/** A request does not wait longer than this for the store: so many looks, one after the other. */
const LOOKS = 5;
const LOOK_EVERY_MS = 200;
const CONNECT_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 5_000;

/** A claim may have run out and be another server's by now: each acts on its own only. */
const onlyIfSame = (act: string) =>
  `if redis.call('get', KEYS[1]) == ARGV[1] then ${act} return 1 else return 0 end`;
const RENEW = onlyIfSame("redis.call('pexpire', KEYS[1], ARGV[2])");
const REPLACE = onlyIfSame("redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])");
const FORGET = onlyIfSame("redis.call('del', KEYS[1])");

/**
 * Keeps answers in Redis or Valkey at `url`. Commands fail at once while it cannot be reached, and
 * it is looked for again until it can. `onFailure` is told of connection errors.
 */
export function createRedisStore(url: string, onFailure: (error: unknown) => void): AnswerStore {
  const redis = new Redis(url, {
    Connector: GuardedConnector,
    // With RESP3 a store may speak without being asked.
    protocol: 2,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(MAX_RECONNECT_DELAY_MS, attempt * 100),
  });
  redis.on('error', onFailure);
  /** Runs a script on one key, in one step of the store's; says whether it did what it is for. */
  const did = async (script: string, key: string, ...values: readonly (string | number)[]) =>
    (await inTime(redis.eval(script, 1, key, ...values))) === 1;
  return {
    claim: async (key, value, ttlMs) =>
      (await inTime(redis.set(key, value, 'PX', ttlMs, 'NX'))) === 'OK',
    read: (key) => inTime(redis.get(key)),
    renew: (key, expected, ttlMs) => did(RENEW, key, expected, ttlMs),
    replace: (key, expected, value, ttlMs) => did(REPLACE, key, expected, value, ttlMs),
    forget: async (key, expected) => void (await did(FORGET, key, expected)),
    close: async () => redis.disconnect(),
  };
}

/**
 * The store's answer; rejects after a second of its silence. A server that was itself too busy to
 * read for that second looks once more: else it would take the store for gone and work without a
 * claim.
 */
function inTime<T>(saying: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const look = (left: number) => {
      timer = setTimeout(() => {
        if (left > 1) look(left - 1);
        else reject(new Error('the answer store does not answer'));
      }, LOOK_EVERY_MS);
    };
    look(LOOKS);
    saying.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
