import { writeWav } from '../../src/core/audio/wav-file.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';

/** A chunk for the queue, one second of silence as WAV unless told otherwise. */
export function makeQueueItem(
  change: Partial<Omit<QueueItem, 'audio'>> & { readonly samples?: Float32Array } = {},
): QueueItem {
  const { samples = new Float32Array(16_000), ...head } = change;
  const { dictationId = 'session', number = 0 } = head;
  return {
    id: `${dictationId}:${number}`,
    dictationId,
    number,
    options: { removePii: false, fixSpelling: true, fast: true, language: 'sv' },
    createdAtMs: 1_700_000_000_000 + number,
    durationSamples: samples.length,
    speechSamples: samples.length,
    rounds: 0,
    asks: 0,
    state: { kind: 'pending', nextAttemptAtMs: 0, lastError: null },
    audio: { type: 'audio/wav', bytes: writeWav(samples), durationSamples: samples.length },
    ...head,
  };
}
