import { vi } from 'vitest';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import type { ServerState } from '../../src/core/session/snapshot.ts';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
import { inLikelyLanguage } from '../../workers/upload/fitted-request.ts';
import type { QueueTabs } from '../../workers/upload/queue-tabs.ts';
import { createTranscribeRequest } from '../../workers/upload/transcribe-request.ts';
import type { UploadQueue } from '../../workers/upload/upload-queue.ts';
import { createUploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createMemoryQueueStore } from './memory-queue-store.ts';
import { createRecordingLog, type RecordingLog } from './recording-log.ts';
import type { TestServer } from './transcription-server.ts';

/** An upload queue at work, and all that can be seen and moved of it. */
export type QueueBench = {
  readonly queue: UploadQueue;
  readonly store: ChunkStore;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  /** Every request: whose, and when by the fake clock. */
  readonly attempts: readonly { readonly id: string; readonly atMs: number }[];
  /** The present state of a chunk. */
  head(id: string): QueueItemHead | undefined;
  /** Waits, in real time, until the condition holds. */
  until(condition: () => boolean): Promise<void>;
  /** Moves time on from timer to timer while no request is under way, until `condition` holds. */
  advanceUntil(condition: () => boolean): Promise<void>;
};

/** Puts a queue together against a server; the clock is a fake. */
export function createQueueBench(
  server: TestServer,
  parts: {
    readonly store?: ChunkStore;
    readonly tabs?: QueueTabs;
    readonly clock?: FakeClock;
    /** The server's state; chunks are asked for in the likeliest of its languages. */
    readonly health?: () => ServerState;
  } = {},
): QueueBench {
  const { store = createMemoryQueueStore(), clock = createFakeClock(), tabs } = parts;
  const log = createRecordingLog();
  const attempts: { id: string; atMs: number }[] = [];
  let underWay = 0;
  const { health = () => ({ kind: 'unknown' }) as const } = parts;
  const send = inLikelyLanguage(createTranscribeRequest({ url: server.url, clock }), async () =>
    health(),
  );
  const queue = createUploadQueue({
    store,
    clock,
    log,
    request: async (item, signal) => {
      attempts.push({ id: item.id, atMs: clock.nowMs() });
      underWay += 1;
      const outcome = await send(item, signal);
      underWay -= 1;
      return outcome;
    },
    random: () => 0,
    onChange: () => {},
    ...(tabs ? { tabs } : {}),
  });
  const until = async (condition: () => boolean) => {
    await vi.waitUntil(condition, { interval: 2, timeout: 15_000 });
  };
  return {
    queue,
    store,
    clock,
    log,
    attempts,
    head: (id) => queue.snapshot().items.find((item) => item.id === id),
    until,
    async advanceUntil(condition) {
      await vi.waitUntil(
        async () => {
          // Lets a new request get as far as the server.
          await clock.advance(0);
          if (condition()) return true;
          const [next] = clock.waits();
          if (underWay === 0 && next !== undefined) await clock.advance(next);
          return condition();
        },
        { interval: 2, timeout: 15_000 },
      );
    },
  };
}
