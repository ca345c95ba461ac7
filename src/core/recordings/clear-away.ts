import type { Keeping } from './keeping.ts';
import type { RecordingRecord } from './recording-record.ts';

const MS_PER_HOUR = 3_600_000;

/** A stamp so far ahead of the clock was made by one that has been set back since. */
const MAX_AHEAD_MS = 60_000;

/** When a recording came to rest: its time is counted from then. Null while it has not. */
function restedAtMs({ endedAtMs, deliveredAtMs }: RecordingRecord): number | null {
  return endedAtMs === null ? null : Math.max(endedAtMs, deliveredAtMs ?? endedAtMs);
}

/**
 * The recordings whose time is over, or for which there is no room: of those at rest, the oldest
 * first. What waits (`isWaiting`) stays, whatever its age and size, and so does what is in the bin:
 * that has a time of its own.
 */
export function recordingsToClear(
  records: readonly RecordingRecord[],
  keeping: Keeping,
  nowMs: number,
  isWaiting: (id: string) => boolean,
): readonly string[] {
  const keptMs = keeping.keepRecordings * MS_PER_HOUR;
  const atRest = records
    .flatMap((record) => {
      const atMs = restedAtMs(record);
      const isBusy = record.isInBin || record.asked !== null || isWaiting(record.id);
      return atMs === null || isBusy ? [] : [{ ...record, atMs }];
    })
    .sort((a, b) => a.atMs - b.atMs);
  let bytes = records.reduce((sum, record) => sum + record.bytes, 0);
  const toClear: string[] = [];
  for (const record of atRest) {
    const isOver = nowMs - record.atMs >= keptMs;
    if (!isOver && bytes <= keeping.keepRecordingsBytes) continue;
    toClear.push(record.id);
    bytes -= record.bytes;
  }
  return toClear;
}

/**
 * Recordings that came to rest in the future, by a clock that was wrong then or is wrong now: their
 * time is counted from now.
 */
export function recordingsFromTheFuture(
  records: readonly RecordingRecord[],
  nowMs: number,
): readonly string[] {
  return records
    .filter((record) => (restedAtMs(record) ?? nowMs) > nowMs + MAX_AHEAD_MS)
    .map(({ id }) => id);
}
