import type { KeptRecording } from '../../src/core/session/kept-recording.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';

/**
 * The recordings that wait in the journal because they could not be encoded, as far as this worker
 * knows.
 */
export type KeptRecordings = {
  has(sessionId: string): boolean;
  list(): readonly KeptRecording[];
  note(recording: KeptRecording): void;
  /** The recording is in the queue now, or deleted. */
  forget(sessionId: string): void;
};

/** Makes an empty list; what changes is told, and a notice while there is any. */
export function createKeptRecordings(dispatch: (event: SnapshotEvent) => void): KeptRecordings {
  const recordings = new Map<string, KeptRecording>();

  const list = (): readonly KeptRecording[] =>
    [...recordings.values()].sort((a, b) => a.startedAtMs - b.startedAtMs);

  return {
    has: (sessionId) => recordings.has(sessionId),
    list,
    note(recording) {
      recordings.set(recording.sessionId, recording);
      dispatch({ kind: 'kept-changed', kept: list() });
      dispatch({ kind: 'notice-raised', notice: 'recording-kept', error: recording.error });
    },
    forget(sessionId) {
      if (!recordings.delete(sessionId)) return;
      dispatch({ kind: 'kept-changed', kept: list() });
      if (recordings.size === 0) dispatch({ kind: 'notice-cleared', notice: 'recording-kept' });
    },
  };
}
