import type { SampleRange } from '../../src/core/audio/sample-range.ts';

/** What may be deleted of a session's audio, of which some is still needed for its recording. */
export type AudioHold = {
  /** Silence was found: the part of it that may go now, null if none. */
  drop(range: SampleRange): SampleRange | null;
  /** How far what is before a sample may go now. */
  freeBefore(sample: number): number;
  /** The cut has moved, on disk: all before the answer may go. */
  cut(upToSample: number): number;
  /** Whether anything is held, or will be. */
  readonly isNeeded: boolean;
  /** Needed from here on: the silence that may go now, and all before `cutUpToSample`. */
  moveTo(fromSample: number): {
    readonly silence: readonly SampleRange[];
    readonly cutUpToSample: number;
  };
};

/** Makes a hold on all audio from a sample on. */
export function createAudioHold(): AudioHold {
  let heldFrom = 0;
  let cutUpTo = 0;
  let silence: readonly SampleRange[] = [];

  function free({ startSample, endSample }: SampleRange): SampleRange | null {
    if (endSample > heldFrom) {
      const start = Math.max(startSample, heldFrom);
      silence = [...silence, { startSample: start, endSample }];
    }
    return startSample < heldFrom
      ? { startSample, endSample: Math.min(endSample, heldFrom) }
      : null;
  }

  const freeBefore = (sample: number): number => Math.min(sample, heldFrom);

  return {
    drop: free,
    freeBefore,
    cut(upToSample) {
      cutUpTo = Math.max(cutUpTo, upToSample);
      return freeBefore(cutUpTo);
    },
    get isNeeded() {
      return heldFrom < Number.POSITIVE_INFINITY;
    },
    moveTo(fromSample) {
      heldFrom = Math.max(heldFrom, fromSample);
      const waiting = silence;
      silence = [];
      const freed = waiting.map(free).filter((range) => range !== null);
      return { silence: freed, cutUpToSample: freeBefore(cutUpTo) };
    },
  };
}
