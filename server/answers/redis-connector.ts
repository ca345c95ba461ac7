import { createConnection, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { AbstractConnector } from 'ioredis';
import { createReplyCounter } from './redis-replies.ts';

/** An answer to ten minutes of speech has a tenth of it. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** What the client library makes of the URL. */
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
export class GuardedConnector extends AbstractConnector {
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
