import { concatPcm16 } from '../../src/core/audio/pcm16.ts';
import type { SampleRange } from '../../src/core/audio/sample-range.ts';
import type { JournalMark, JournalPart } from '../../src/core/session/journal.ts';

/** A frame as stored; without PCM its record could not be read. */
export type StoredFrame = SampleRange & { readonly pcm: Int16Array | undefined };

/**
 * Puts stored frames together: neighbours become one stretch, a stretch ends at a hole and at a
 * mark, and samples that stand in two frames come once.
 *
 * `frames` and `marks` are in the order of time; what lies before `fromSample` is left out.
 */
export function assembleParts(
  frames: readonly StoredFrame[],
  marks: readonly JournalMark[],
  fromSample: number,
): JournalPart[] {
  const parts: JournalPart[] = [];
  const waitingMarks = marks.filter(({ atSample }) => atSample >= fromSample);
  let stretch: Int16Array[] = [];
  let stretchStart = fromSample;
  let position = fromSample;
  let markIndex = 0;

  function endStretch(): void {
    if (stretch.length > 0) {
      parts.push({ kind: 'audio', startSample: stretchStart, pcm: concatPcm16(stretch) });
    }
    stretch = [];
  }

  function skipTo(sample: number, cause: 'silent' | 'unreadable' = 'silent'): void {
    if (sample <= position) return;
    endStretch();
    parts.push({ kind: 'hole', cause, startSample: position, endSample: sample });
    position = sample;
  }

  function addAudio(frame: StoredFrame, endSample: number): void {
    if (endSample <= position) return;
    skipTo(frame.startSample);
    if (!frame.pcm) {
      skipTo(endSample, 'unreadable');
      return;
    }
    if (stretch.length === 0) stretchStart = position;
    const first = position - frame.startSample;
    stretch.push(frame.pcm.subarray(first, endSample - frame.startSample));
    position = endSample;
  }

  /** Passes the marks up to a sample, and the part of the frame before each. */
  function passMarks(upToSample: number, frame?: StoredFrame): void {
    for (;;) {
      const mark = waitingMarks[markIndex];
      if (!mark || mark.atSample > upToSample) return;
      if (frame && mark.atSample > frame.startSample) addAudio(frame, mark.atSample);
      skipTo(mark.atSample);
      endStretch();
      parts.push({ kind: mark.kind, atSample: mark.atSample });
      markIndex += 1;
    }
  }

  for (const frame of frames) {
    passMarks(frame.startSample);
    passMarks(frame.endSample - 1, frame);
    addAudio(frame, frame.endSample);
  }
  endStretch();
  passMarks(Number.POSITIVE_INFINITY);
  return parts;
}
