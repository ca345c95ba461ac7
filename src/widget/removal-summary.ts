import { samplesToMs } from '../core/audio/audio-format.ts';
import type { Recording } from '../core/recordings/recording.ts';
import { lateItems, lateKept } from '../core/session/late-items.ts';
import type { Snapshot } from '../core/session/snapshot.ts';
import { durationText } from './said-in.ts';
import { waitingDictations } from './waiting-dictations.ts';

/** What deleting everything takes, to be said before it is done. */
export type RemovalSummary = {
  readonly count: number;
  /** In words. */
  readonly length: string;
  readonly bytes: number;
  /** How many are not text yet. */
  readonly waiting: number;
  /** Whether all of it goes to the bin. */
  readonly isUndoable: boolean;
};

/** Every recording but those being made, and with `wipe` what waits without one. */
export function removalSummary(snapshot: Snapshot, how: 'recordings' | 'wipe'): RemovalSummary {
  const { list } = snapshot.recordings;
  const known = new Set(list.map(({ id }) => id));
  const recordings = removable(snapshot);
  const others =
    how === 'recordings'
      ? []
      : waitingDictations(lateItems(snapshot), lateKept(snapshot), false).filter(
          ({ sessionId }) => !known.has(sessionId),
        );
  const samples = recordings.reduce((sum, { durationSamples }) => sum + durationSamples, 0);
  const lengthMs = others.reduce((sum, other) => sum + other.lengthMs, samplesToMs(samples));
  return {
    count: recordings.length + others.length,
    length: durationText(lengthMs),
    bytes: recordings.reduce((sum, { bytes }) => sum + bytes, 0),
    waiting:
      recordings.filter(({ state }) => state.kind === 'waiting').length +
      others.filter(({ state }) => state.kind !== 'doubted').length,
    isUndoable: others.length === 0,
  };
}

/** The recordings that can be deleted now, newest first. */
export function removable({ recordings }: Snapshot): readonly Recording[] {
  return recordings.list.filter(
    ({ state }) => state.kind === 'waiting' || state.kind === 'delivered',
  );
}
