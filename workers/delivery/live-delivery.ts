import { assertNever } from '../../src/core/assert-never.ts';
import { sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import { joinParts } from '../../src/core/queue/join-transcripts.ts';
import type { TextDoubt } from '../../src/core/queue/queue-item.ts';
import { dueInMs, isServerTrouble } from '../../src/core/queue/queue-policy.ts';
import type { ItemUploader } from '../queue/item-uploader.ts';
import type { QueueCache } from '../queue/queue-cache-port.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { LiveChunks } from './live-chunks.ts';

/** What deliveries need. */
export type LiveDeliveryPorts = {
  readonly cache: QueueCache;
  readonly uploader: ItemUploader;
  readonly clock: Clock;
  readonly live: LiveChunks;
};

/** Takes chunks through one round. */
export type LiveDelivery = {
  /** A chunk, and its parts if it is too large. */
  deliver(id: string): Promise<ChunkOutcome>;
  /** One part that fails takes the others along: half a chunk is no text for a session. */
  deliverParts(ids: readonly string[]): Promise<ChunkOutcome>;
};

export function createLiveDelivery(ports: LiveDeliveryPorts): LiveDelivery {
  const { cache, uploader, clock, live } = ports;

  async function deliver(id: string): Promise<ChunkOutcome> {
    await untilDue(id);
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
      case 'split':
        return deliverParts(result.partIds);
      default:
        return assertNever(result);
    }
  }

  async function deliverParts(partIds: readonly string[]): Promise<ChunkOutcome> {
    const texts: string[] = [];
    const ids: string[] = [];
    let doubt: TextDoubt | null = null;
    for (const partId of partIds) {
      const outcome = await deliver(partId);
      if (outcome.kind === 'left') {
        live.letGo(partIds);
        return outcome;
      }
      texts.push(outcome.text);
      doubt ??= outcome.doubt;
      ids.push(...outcome.ids);
    }
    return { kind: 'transcribed', text: joinParts(texts), doubt, ids };
  }

  /** A part may have to wait for what the server asked for. */
  async function untilDue(id: string): Promise<void> {
    const head = cache.head(id);
    const dueMs = head ? dueInMs(head, clock.nowMs()) : null;
    if (dueMs) await sleep(clock, dueMs);
  }

  return { deliver, deliverParts };
}
