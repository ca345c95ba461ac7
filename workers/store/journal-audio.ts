import {
  FRAME_SAMPLES,
  rangeSamples,
  type SampleRange,
} from '../../src/core/audio/audio-format.ts';
import { audioKey, audioOf, changeRow, rangeOf } from './records.ts';
import { MAX_RECORD_SAMPLES } from './write-behind.ts';

/**
 * About 8 s of silence are deleted at a time: often enough for the disk, rare enough to be cheap.
 */
const SAMPLES_PER_ERASURE = 84 * FRAME_SAMPLES;

/**
 * What may be deleted of a session's audio in the journal: all that was cut, and silence once there
 * is enough of it to be worth deleting, except what its recording still needs.
 */
export type JournalAudio = ReturnType<typeof createJournalAudio>;

/** Makes one of a session whose recording needs nothing, until `keepFrom`. */
export function createJournalAudio() {
  let keptFrom = Number.POSITIVE_INFINITY;
  let isKept = false;
  let cutUpTo = 0;
  /** Silence that the recording still needs. */
  let kept: readonly SampleRange[] = [];
  let gathered: SampleRange[] = [];
  let gatheredSamples = 0;
  let lastGiven: SampleRange | undefined;

  const freeBefore = (sample: number): number => Math.min(sample, keptFrom);

  function takeAll(): readonly SampleRange[] {
    const taken = gathered;
    lastGiven = taken.at(-1) ?? lastGiven;
    gathered = [];
    gatheredSamples = 0;
    return taken;
  }

  function gather(range: SampleRange): readonly SampleRange[] {
    if (rangeSamples(range) <= 0) return [];
    gatheredSamples += rangeSamples(range);
    const last = gathered.at(-1);
    if (last && range.startSample <= last.endSample) {
      gathered[gathered.length - 1] = {
        startSample: Math.min(last.startSample, range.startSample),
        endSample: Math.max(last.endSample, range.endSample),
      };
    } else if (lastGiven && range.startSample <= lastGiven.endSample) {
      // A record that lies over the seam was not wholly inside what was deleted.
      const startSample = Math.min(range.startSample, lastGiven.endSample - MAX_RECORD_SAMPLES);
      gathered.push({
        startSample: Math.max(lastGiven.startSample, startSample),
        endSample: range.endSample,
      });
    } else {
      gathered.push(range);
    }
    return gatheredSamples < SAMPLES_PER_ERASURE ? [] : takeAll();
  }

  /** Silence, in the order of time, which may touch or overlap: what to delete now, usually none. */
  function drop({ startSample, endSample }: SampleRange): readonly SampleRange[] {
    if (endSample > keptFrom) {
      kept = [...kept, { startSample: Math.max(startSample, keptFrom), endSample }];
    }
    if (startSample >= keptFrom) return [];
    return gather({ startSample, endSample: freeBefore(endSample) });
  }

  return {
    drop,
    /** All silence that may go and was not given yet. */
    takeAll,
    /** Whether its recording needs some of it, or will. */
    get isNeeded() {
      return keptFrom < Number.POSITIVE_INFINITY;
    },
    /** How far what is before a sample may go now. */
    freeBefore,
    /** The cut has moved, on disk: what its recording does not need any more goes up to here. */
    cut(upToSample: number): number {
      if (!isKept) return 0;
      cutUpTo = Math.max(cutUpTo, upToSample);
      return freeBefore(cutUpTo);
    },
    /** Its recording needs it from here on: what to delete of silence, and all up to a sample. */
    keepFrom(sample: number): { silence: readonly SampleRange[]; upToSample: number } {
      keptFrom = isKept ? Math.max(keptFrom, sample) : sample;
      isKept = true;
      const waiting = kept;
      kept = [];
      return { silence: waiting.flatMap(drop), upToSample: freeBefore(cutUpTo) };
    },
  };
}

/** Whether a frame lies wholly inside one of the ranges. */
export function isWithin(frame: SampleRange | undefined, ranges: readonly SampleRange[]): boolean {
  return (
    frame !== undefined &&
    ranges.some(
      ({ startSample, endSample }) =>
        frame.startSample >= startSample && frame.endSample <= endSample,
    )
  );
}

/** Deletes, inside a transaction, the frames that lie wholly inside the ranges; reads keys only. */
export function eraseFrames(
  audio: IDBObjectStore,
  dictationId: string,
  ranges: readonly SampleRange[],
): void {
  for (const range of ranges) {
    const request = audio.getAllKeys(
      IDBKeyRange.bound(
        audioKey('pcm', dictationId, range.startSample),
        audioKey('pcm', dictationId, range.endSample),
      ),
    );
    request.onsuccess = () => {
      const keys = request.result;
      // Frames begin inside the range; only the last can reach beyond it.
      const outside = keys.findIndex((key) => !isWithin(rangeOf(key), [range]));
      const last = outside < 0 ? keys.length : outside;
      if (last > 0) audio.delete(IDBKeyRange.bound(keys[0], keys[last - 1]));
    };
  }
}

/** Deletes, inside a transaction, a session's marks before a sample. */
export function eraseMarks(audio: IDBObjectStore, dictationId: string, beforeSample: number): void {
  audio.delete(
    IDBKeyRange.bound(audioKey('mark', dictationId), audioKey('mark', dictationId, beforeSample)),
  );
}

/** Deletes, inside a transaction, all that a recovery would need of a session. */
export async function eraseSession(
  audio: IDBObjectStore,
  dictations: IDBObjectStore,
  dictationId: string,
): Promise<void> {
  for (const kind of ['pcm', 'mark', 'taken'] as const) audio.delete(audioOf(kind, dictationId));
  await changeRow(dictations, dictationId, (row) => (row ? { ...row, journal: null } : null));
}
