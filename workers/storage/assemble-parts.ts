import type { JournalMark, JournalPart } from '../../src/core/journal.ts';
import { writePcm16 } from './pcm16.ts';

/** A frame as stored. */
export type StoredFrame = { readonly startSample: number; readonly pcm: Int16Array };

/**
 * Puts stored frames together: neighbours become one stretch, a stretch ends at a hole and at a mark,
 * and samples that stand in two frames come once.
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
  let stretch: StoredFrame[] = [];
  let stretchStart = fromSample;
  let position = fromSample;
  let markIndex = 0;

  function endStretch(): void {
    if (stretch.length > 0) {
      parts.push({
        kind: 'audio',
        startSample: stretchStart,
        samples: join(stretch, position - stretchStart),
      });
    }
    stretch = [];
  }

  function skipTo(sample: number): void {
    if (sample <= position) return;
    endStretch();
    parts.push({ kind: 'hole', startSample: position, endSample: sample });
    position = sample;
  }

  function addAudio(frame: StoredFrame, endSample: number): void {
    if (endSample <= position) return;
    skipTo(frame.startSample);
    if (stretch.length === 0) stretchStart = position;
    const first = position - frame.startSample;
    stretch.push({
      startSample: position,
      pcm: frame.pcm.subarray(first, endSample - frame.startSample),
    });
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
    const endSample = frame.startSample + frame.pcm.length;
    passMarks(frame.startSample);
    passMarks(endSample - 1, frame);
    addAudio(frame, endSample);
  }
  endStretch();
  passMarks(Number.POSITIVE_INFINITY);
  return parts;
}

function join(frames: readonly StoredFrame[], lengthSamples: number): Float32Array {
  const samples = new Float32Array(lengthSamples);
  let offset = 0;
  for (const { pcm } of frames) {
    writePcm16(pcm, samples, offset);
    offset += pcm.length;
  }
  return samples;
}
