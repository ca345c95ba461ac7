import { ApiError } from '../core/api-error.ts';
import { queueFull } from './work-queue.ts';

/** Holds each client to its share of the audio that is worked on at once. */
export type AudioShare = ReturnType<typeof createAudioShare>;

/**
 * Makes the count of a server. A share is `maxMs` of audio; 0 sets no limit. Audio counts from when
 * it is decoded, since a file of a few kB can hold ten minutes, until nobody works on it any more,
 * whether or not its sender has left.
 */
export function createAudioShare(maxMs: number) {
  if (maxMs === 0) return { take: () => () => undefined, requireRoom: () => undefined };
  const heldMs = new Map<string, number>();
  return {
    /**
     * Counts `audioMs` of `client` until the function it gives is called. Throws `rate_limited` (429)
     * when the client has audio under way and this is more than its share. A single recording is
     * always let in.
     */
    take(client: string, audioMs: number): () => void {
      const others = heldMs.get(client) ?? 0;
      if (others > 0 && others + audioMs > maxMs) throw tooMuch();
      heldMs.set(client, others + audioMs);
      return () => {
        const left = (heldMs.get(client) ?? 0) - audioMs;
        if (left > 0) heldMs.set(client, left);
        else heldMs.delete(client);
      };
    },
    /** Throws the same when the share is used up, before anything of a next recording is read. */
    requireRoom(client: string) {
      if ((heldMs.get(client) ?? 0) >= maxMs) throw tooMuch();
    },
  };
}

function tooMuch(): ApiError {
  const message = 'This client has too much audio under way at once; try again shortly.';
  return new ApiError(429, 'rate_limited', message, { retryAfterS: 5 });
}

/** The most that one server, and one client of it, may have under way in uploads. */
type AdmissionLimits = {
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
