import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../src/core/clock.ts';
import { ApiError } from '../core/api-error.ts';
import type { Admitted } from '../scheduling/admission.ts';

/** The least pace of a body. */
type UploadPace = {
  /** Time a body has before it must have brought anything, in ms. */
  readonly bodyGraceMs: number;
  /** Bytes that buy one more second. */
  readonly minBodyBytesPerS: number;
  /** Time a body has in all, however fast, in ms. */
  readonly bodyTimeoutMs: number;
};

/** The most that a body may be. */
type BodySize = {
  readonly maxBytes: number;
  /** The error for more. */
  readonly tooLarge: () => ApiError;
};

/** The parts that receiving works with. */
type ReceivePorts = {
  readonly admitted: Admitted;
  readonly pace: UploadPace;
  readonly size: BodySize;
  readonly clock: Clock;
  /** Aborts with an ApiError for its reason when the rest need not come any more. */
  readonly ending: AbortSignal;
};

const LOOK_EVERY_MS = 1_000;

/**
 * Runs `read`, which reads the body of `request`, and watches it come: each byte is counted with
 * `admitted`, and a body slower than `pace` is given up with `upload_too_slow` (408). Rejects with
 * the first problem; what still comes is thrown away.
 */
export async function receiveUpload<T>(
  request: FastifyRequest,
  { admitted, pace, size, clock, ending }: ReceivePorts,
  read: () => Promise<T>,
): Promise<T> {
  const body = request.raw;
  let receivedBytes = 0;
  let elapsedMs = 0;
  let cancelLook = () => {};
  let giveUp: (error: unknown) => void = () => undefined;
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject;
  });

  const count = (chunk: Uint8Array) => {
    receivedBytes += chunk.length;
    try {
      if (receivedBytes > size.maxBytes) throw size.tooLarge();
      admitted.take(chunk.length);
    } catch (error) {
      giveUp(error);
    }
  };
  // Counts its own looks, not the clock's time, which may jump.
  const look = () => {
    cancelLook = clock.after(LOOK_EVERY_MS, () => {
      elapsedMs += LOOK_EVERY_MS;
      const boughtMs = pace.bodyGraceMs + (receivedBytes / pace.minBodyBytesPerS) * 1000;
      if (elapsedMs >= Math.min(boughtMs, pace.bodyTimeoutMs)) giveUp(tooSlow());
      else look();
    });
  };
  const end = () => giveUp(ending.reason);

  const reading = read();
  // After the reader's own listener: a listener sets the body flowing.
  body.on('data', count);
  ending.addEventListener('abort', end, { once: true });
  if (ending.aborted) end();
  look();
  try {
    return await Promise.race([reading, givenUp]);
  } catch (error) {
    body.unpipe();
    body.resume();
    throw error;
  } finally {
    cancelLook();
    body.off('data', count);
    ending.removeEventListener('abort', end);
  }
}

function tooSlow(): ApiError {
  return new ApiError(408, 'upload_too_slow', 'The upload came too slowly; try again.', {
    retryAfterS: 1,
  });
}
