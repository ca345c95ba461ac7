import type { ErrorInfo } from '../../src/core/errors.ts';
import type { TextDoubt } from '../../src/core/queue/queue-item.ts';

/** How a chunk's trip for its session ended. */
export type ChunkOutcome =
  | {
      readonly kind: 'transcribed';
      /** Empty too if the user discarded the chunk. */
      readonly text: string;
      /** Why it may not be all that was said; null if it may. */
      readonly doubt: TextDoubt | null;
      /** The queue item it came from; none if discarded. */
      readonly ids: readonly string[];
    }
  | ChunkLeft;

/** The chunk leaves its session and stays in the queue. */
export type ChunkLeft = {
  readonly kind: 'left';
  readonly error: ErrorInfo;
  /** Another chunk would have fared no better: network, time-out, server, nobody waits. */
  readonly isForAll: boolean;
};
