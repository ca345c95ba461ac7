import { ApiError } from '../core/api-error.ts';
import { queueFull } from './refusals.ts';

/** How much of uploads one server, and one client of it, may have under way. */
export type AdmissionLimits = {
  /** Bytes of all together. */
  readonly maxHeldBytes: number;
  /** Bytes of one client. */
  readonly maxHeldBytesPerClient: number;
  /** Requests of one client; 0: no limit. */
  readonly maxUploadsPerClient: number;
};

/** One request that was let in. */
export type Admitted = {
  /** Counts bytes that came. Throws `queue_full` (503) or `rate_limited` (429) without room. */
  take(bytes: number): void;
  /** Gives everything back; once, however often it is called. */
  leave(): void;
};

/**
 * Counts what uploads take of memory, by what has come and not by what was announced: a client that
 * announces much and sends nothing takes nothing from others.
 */
export type Admission = ReturnType<typeof createAdmission>;

type Held = { uploads: number; bytes: number };

/** Makes the count of a server. A single upload is always let in when nothing is held. */
export function createAdmission(limits: AdmissionLimits) {
  const clients = new Map<string, Held>();
  let heldBytes = 0;

  return {
    /** Lets a request of `client` in. Throws `rate_limited` (429) when it has too many under way. */
    enter(client: string): Admitted {
      const held = clients.get(client) ?? { uploads: 0, bytes: 0 };
      const { maxUploadsPerClient } = limits;
      if (maxUploadsPerClient > 0 && held.uploads >= maxUploadsPerClient) throw tooMany();
      held.uploads++;
      clients.set(client, held);
      let ownBytes = 0;
      let isIn = true;
      return {
        take(bytes) {
          if (!isIn) return;
          const others = { all: heldBytes - ownBytes, client: held.bytes - ownBytes };
          if (others.client > 0 && held.bytes + bytes > limits.maxHeldBytesPerClient) {
            throw tooMany();
          }
          if (others.all > 0 && heldBytes + bytes > limits.maxHeldBytes) throw queueFull();
          ownBytes += bytes;
          held.bytes += bytes;
          heldBytes += bytes;
        },
        leave() {
          if (!isIn) return;
          isIn = false;
          heldBytes -= ownBytes;
          held.bytes -= ownBytes;
          held.uploads--;
          if (held.uploads === 0) clients.delete(client);
        },
      };
    },
  };
}

function tooMany(): ApiError {
  const message = 'This client has too many recordings under way at once; try again shortly.';
  return new ApiError(429, 'rate_limited', message, { retryAfterS: 5 });
}
