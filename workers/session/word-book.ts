import type { QueueItemHead } from '../../src/core/queue-item.ts';
import type { WordLedger } from '../../src/core/word-ledger.ts';
import type { SettledHow } from '../upload/queue-tabs.ts';

/** Keeps account of every captured sample; cheap enough to be told of every frame. */
export type WordBook = {
  /** A frame came in, live or out of a dead session's journal. */
  captured(samples: number): void;
  silent(samples: number): void;
  /** A chunk is in the queue. */
  enqueued(item: QueueItemHead): void;
  /** A chunk was cut in parts whose lengths may differ from the whole's by the codec's padding. */
  replaced(id: string, parts: readonly QueueItemHead[]): void;
  /** A chunk left the queue, here or in another tab. Told twice, it counts once. */
  settled(id: string, how: SettledHow): void;
  /** The account, given what the queue holds now. */
  ledger(queue: readonly QueueItemHead[]): WordLedger;
};

type QueuePlace = 'queuedSamples' | 'sentSamples' | 'transcribedSamples';

const PLACES: Readonly<Record<QueueItemHead['state']['kind'], QueuePlace>> = {
  waiting: 'queuedSamples',
  parked: 'queuedSamples',
  sending: 'sentSamples',
  transcribed: 'transcribedSamples',
};

/** An empty book. Chunks it was never told of are not its concern. */
export function createWordBook(): WordBook {
  let capturedSamples = 0;
  let silentSamples = 0;
  const chunks = new Map<string, number>();
  const settledHow = new Map<string, SettledHow>();

  return {
    captured(samples) {
      capturedSamples += samples;
    },
    silent(samples) {
      silentSamples += samples;
    },
    enqueued({ id, durationSamples }) {
      chunks.set(id, durationSamples);
    },
    replaced(id, parts) {
      const whole = chunks.get(id);
      if (whole === undefined) return;
      chunks.delete(id);
      let rest = whole;
      for (const [index, part] of parts.entries()) {
        const isLast = index === parts.length - 1;
        chunks.set(part.id, isLast ? rest : part.durationSamples);
        rest -= part.durationSamples;
      }
    },
    settled(id, how) {
      if (chunks.has(id)) settledHow.set(id, how);
    },
    ledger(queue) {
      const sums = {
        queuedSamples: 0,
        sentSamples: 0,
        transcribedSamples: 0,
        deliveredSamples: 0,
        deletedSamples: 0,
        lostSamples: 0,
      };
      const states = new Map(queue.map(({ id, state }) => [id, state.kind]));
      let enqueuedSamples = 0;
      for (const [id, samples] of chunks) {
        enqueuedSamples += samples;
        const how = settledHow.get(id);
        const state = states.get(id);
        if (how) sums[`${how}Samples`] += samples;
        else if (state) sums[PLACES[state]] += samples;
        else sums.lostSamples += samples;
      }
      const journalledSamples = capturedSamples - silentSamples - enqueuedSamples;
      return { capturedSamples, silentSamples, journalledSamples, ...sums };
    },
  };
}
