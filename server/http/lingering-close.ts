import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Connections that have got their last answer while their request still came. */
export type LingeringClose = ReturnType<typeof createLingeringClose>;

/**
 * Ends connections whose answer was given before the whole request had come (401, 413, 503...):
 * nobody wants the rest, and a client that never sends it would hold the connection. Our side ends
 * after the answer. What comes within `lingerMs` is thrown away: a client that is cut off while it
 * sends never reads the answer. Then the socket is destroyed.
 */
export function createLingeringClose(lingerMs: number) {
  const lingering = new Set<Socket>();
  return {
    /**
     * Makes the answer that goes out now the connection's last, if the request has not come whole.
     */
    endIfEarly(request: FastifyRequest, reply: FastifyReply) {
      if (request.raw.complete) return;
      reply.header('connection', 'close');
      const { socket } = request.raw;
      // What Node calls when an answer with this header is out.
      socket.destroySoon = () => {
        lingering.add(socket);
        socket.once('close', () => lingering.delete(socket));
        endAndDestroy(socket, lingerMs);
      };
    },
    /** Fulfilled when those there are now have gone. */
    gone: async (): Promise<void> => {
      const closed = [...lingering].map(
        (socket) => new Promise((done) => socket.once('close', done)),
      );
      await Promise.all(closed);
    },
  };
}

/** Says `lastWord`, ends our side, and destroys the socket after `lingerMs` at the latest. */
export function endAndDestroy(socket: Socket, lingerMs: number, lastWord = ''): void {
  socket.end(lastWord);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
