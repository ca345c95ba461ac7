import type { Readable } from 'node:stream';

/** So much may wait to be written before the sender is held back. */
const MAX_WAITING_BYTES = 1 << 20;

/**
 * All that arrives on a stream, in order, and only then its error. A stream read in the usual way
 * throws away what has come and was not read yet when its connection is cut, and on a bad line
 * those may be all the bytes of a try.
 * It listens from this call on: between an answer's head and its reading a connection may end.
 */
export function arrivals(stream: Readable): AsyncIterable<Buffer> {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let end: { readonly error: Error | null } | null = null;
  let wake: () => void = () => undefined;
  const finish = (error: Error | null) => {
    end ??= { error };
    wake();
  };
  stream.on('data', (piece: Buffer) => {
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes > MAX_WAITING_BYTES) stream.pause();
    wake();
  });
  stream.once('end', () => finish(null));
  stream.once('error', finish);
  stream.once('close', () => finish(new Error('the connection was closed')));
  return read();

  async function* read(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = waiting.shift();
      if (piece !== undefined) {
        waitingBytes -= piece.length;
        yield piece;
      } else if (end !== null) {
        const { error } = end as { readonly error: Error | null };
        if (error !== null) throw error;
        return;
      } else {
        stream.resume();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
}
