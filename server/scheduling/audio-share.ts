import { ApiError } from '../core/api-error.ts';

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
