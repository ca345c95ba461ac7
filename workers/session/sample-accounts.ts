import {
  type ChunkState,
  isBeingSent,
  type QueueItemHead,
} from '../../src/core/queue/queue-item.ts';
import type { SampleLedger } from '../../src/core/session/snapshot.ts';
import type { SettledHow } from '../upload/queue-tabs.ts';

/** Keeps account of every captured sample; cheap enough to be told of every frame. */
export type SampleAccounts = ReturnType<typeof createSampleAccounts>;

/** Samples of a session beside its chunks. */
type Account = {
  captured: number;
  silent: number;
  delivered: number;
  unreadable: number;
  overwritten: number;
  deleted: number;
};

const NOTHING: Account = {
  captured: 0,
  silent: 0,
  delivered: 0,
  unreadable: 0,
  overwritten: 0,
  deleted: 0,
};

type Chunk = { readonly dictationId: string; readonly number: number; readonly samples: number };

type QueuePlace = 'queuedSamples' | 'sentSamples' | 'transcribedSamples';

function placeOf(state: ChunkState): QueuePlace {
  if (isBeingSent(state)) return 'sentSamples';
  return state.kind === 'answered' ? 'transcribedSamples' : 'queuedSamples';
}

/** Empty accounts. Chunks it was never told of are not its concern. */
export function createSampleAccounts() {
  const bySession = new Map<string, Account>();
  const chunks = new Map<string, Chunk>();
  const settledHow = new Map<string, SettledHow>();

  function account(dictationId: string): Account {
    const found = bySession.get(dictationId) ?? { ...NOTHING };
    bySession.set(dictationId, found);
    return found;
  }

  function chunkSamples(dictationId: string): number {
    const own = [...chunks.values()].filter((chunk) => chunk.dictationId === dictationId);
    return own.reduce((sum, { samples }) => sum + samples, 0);
  }

  function journalled(dictationId: string): number {
    return unqueued(account(dictationId)) - chunkSamples(dictationId);
  }

  return {
    /** A frame came in, live or out of a dead session's journal. */
    captured(dictationId: string, samples: number) {
      account(dictationId).captured += samples;
    },
    silent(dictationId: string, samples: number) {
      account(dictationId).silent += samples;
    },
    /** In chunks that stood in the page before this worker had the session. */
    delivered(dictationId: string, samples: number) {
      account(dictationId).delivered += samples;
    },
    /** The journal had it and cannot give it back. */
    unreadable(dictationId: string, samples: number) {
      account(dictationId).unreadable += samples;
    },
    /** Captured while there was no worker, and no longer in the worklet. */
    overwritten(dictationId: string, samples: number) {
      account(dictationId).captured += samples;
      account(dictationId).overwritten += samples;
    },
    /**
     * A session is about to be replayed from its journal: what it told from this chunk on, if it
     * was one of this worker's, will be told again.
     */
    replaying(dictationId: string, fromChunkNumber: number) {
      for (const [id, chunk] of chunks) {
        if (chunk.dictationId !== dictationId || chunk.number < fromChunkNumber) continue;
        chunks.delete(id);
        settledHow.delete(id);
      }
      const captured = chunkSamples(dictationId);
      bySession.set(dictationId, { ...NOTHING, captured });
    },
    /** The user threw away what the journal had of a session. */
    journalDeleted(dictationId: string) {
      account(dictationId).deleted += journalled(dictationId);
    },
    /** A chunk is in the queue. */
    enqueued({ id, dictationId, number, durationSamples: samples }: QueueItemHead) {
      chunks.set(id, { dictationId, number, samples });
    },
    /** A chunk left the queue, here or in another tab. Told twice, it counts once. */
    settled(id: string, how: SettledHow) {
      if (chunks.has(id)) settledHow.set(id, how);
    },
    /** The account, given what the queue holds now. */
    ledger(queue: readonly QueueItemHead[]): SampleLedger {
      const states = new Map(queue.map(({ id, state }) => [id, state]));
      const told = { ...NOTHING };
      for (const each of bySession.values()) add(told, each);
      const { captured, silent, unreadable, overwritten, delivered: deliveredSamples } = told;
      const sums = { queuedSamples: 0, sentSamples: 0, transcribedSamples: 0, deliveredSamples };
      let [deleted, enqueued, unaccounted] = [told.deleted, 0, 0];
      for (const [id, { samples }] of chunks) {
        enqueued += samples;
        const how = settledHow.get(id);
        const state = states.get(id);
        if (how === 'delivered') sums.deliveredSamples += samples;
        else if (how === 'deleted') deleted += samples;
        else if (state) sums[placeOf(state)] += samples;
        else unaccounted += samples;
      }
      return {
        capturedSamples: captured,
        silentSamples: silent,
        journalledSamples: unqueued(told) - enqueued,
        ...sums,
        deletedSamples: deleted,
        lostSamples: unreadable + overwritten + unaccounted,
        lostReasons: { unreadable, overwritten, unaccounted },
      };
    },
  };
}

/** Samples in the journal alone, and in chunks this worker was told of. */
function unqueued(told: Account): number {
  const { captured, silent, delivered, unreadable, overwritten, deleted } = told;
  return captured - silent - delivered - unreadable - overwritten - deleted;
}

function add(sum: Account, one: Account): void {
  for (const key of Object.keys(NOTHING) as (keyof Account)[]) sum[key] += one[key];
}
