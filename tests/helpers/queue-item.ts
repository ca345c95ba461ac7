import type { QueueItem } from '../../src/core/queue-item.ts';

/** A queued chunk with audio that is its own: every byte is `fill`. */
export function testItem(
  id: string,
  change: Partial<QueueItem> = {},
  audioBytes = 8,
  fill = 1,
): QueueItem {
  return {
    id,
    sessionId: 's',
    number: 0,
    part: '',
    options: { removePii: false, fixSpelling: true, fast: true, language: 'sv' },
    createdAtMs: 1_700_000_000_000,
    durationSamples: 16_000,
    rounds: 0,
    state: { kind: 'waiting', nextAttemptAtMs: 0, lastError: null },
    audio: {
      type: 'audio/webm',
      bytes: new Uint8Array(audioBytes).fill(fill).buffer,
      durationSamples: 16_000,
    },
    ...change,
  };
}
