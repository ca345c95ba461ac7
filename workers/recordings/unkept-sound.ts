import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { SampleRange } from '../../src/core/audio/sample-range.ts';
import type { JournalPart } from '../../src/core/session/journal.ts';

/** Handed on at a time. */
const PIECE_SAMPLES = SAMPLE_RATE_HZ;

/** The sound in a journal that is not kept yet, piece by piece. `kept` is in the order of time. */
export function* unkeptSound(
  parts: readonly JournalPart[],
  kept: readonly SampleRange[],
): Generator<{ readonly startSample: number; readonly pcm: Int16Array }> {
  for (const part of parts) {
    if (part.kind !== 'audio') continue;
    const partEnd = part.startSample + part.pcm.length;
    let position = part.startSample;
    for (const range of [...kept, { startSample: partEnd, endSample: partEnd }]) {
      while (position < Math.min(range.startSample, partEnd)) {
        const endSample = Math.min(position + PIECE_SAMPLES, range.startSample, partEnd);
        const [from, to] = [position - part.startSample, endSample - part.startSample];
        yield { startSample: position, pcm: part.pcm.subarray(from, to) };
        position = endSample;
      }
      position = Math.max(position, range.endSample);
    }
  }
}
