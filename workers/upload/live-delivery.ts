import { assertNever } from '../../src/core/assert-never.ts';
import { isServerTrouble } from '../../src/core/queue/queue-policy.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { ItemUploader } from './item-uploader.ts';
import type { LiveChunks } from './live-chunks.ts';
import type { QueueCache } from './queue-cache-port.ts';

/** What deliveries need. */
export type LiveDeliveryPorts = {
  readonly cache: QueueCache;
  readonly uploader: ItemUploader;
  readonly live: LiveChunks;
};

/** Takes a chunk through one round. */
export type LiveDelivery = (id: string) => Promise<ChunkOutcome>;

export function createLiveDelivery({ cache, uploader, live }: LiveDeliveryPorts): LiveDelivery {
  return async (id) => {
    const result = await uploader.upload(id);
    live.letGo([id]);
    cache.forgetAudio(id);
    switch (result.kind) {
      case 'transcribed':
        return { ...result, ids: [id] };
      case 'gone':
        return { kind: 'transcribed', text: '', doubt: null, ids: [] };
      case 'waits':
        return { kind: 'left', error: result.error, isForAll: isServerTrouble(result.error) };
      case 'refused':
        return { kind: 'left', error: result.error, isForAll: false };
      default:
        return assertNever(result);
    }
  };
}
