import { FRAME_SAMPLES, type SampleRange } from '../core/audio/audio-format.ts';
import { createSpeechGate } from '../core/speech/speech-gate.ts';
import { RECORDING_VAD_OPTIONS } from '../core/speech/vad-options.ts';

/** The segments that a recording would find in frames of these probabilities. */
export function findSegments(
  probabilities: readonly number[],
  totalSamples: number,
): readonly SampleRange[] {
  const segments: SampleRange[] = [];
  const gate = createSpeechGate(RECORDING_VAD_OPTIONS, (event) => {
    if (event.kind === 'segment-ended') segments.push(event.range);
  });
  probabilities.forEach((probability, frame) => {
    const start = frame * FRAME_SAMPLES;
    gate.accept(start, Math.min(FRAME_SAMPLES, totalSamples - start), probability);
  });
  gate.endSegment();
  return segments;
}
