import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { Detection } from './detect-speech.ts';

/** How many characters the bar of a certain frame is long. */
const BAR_WIDTH = 40;

/** A detection for people: one line for each frame, then the segments. */
export function describeDetection(detection: Detection): string {
  const { file, probabilities, segments, frameSamples } = detection;
  const frames = probabilities.map((probability, index) => {
    const startSeconds = samplesToMs(index * frameSamples) / 1_000;
    const bar = '#'.repeat(Math.round(probability * BAR_WIDTH));
    return `${seconds(startSeconds)}  ${probability.toFixed(4)}  ${bar}`.trimEnd();
  });
  const found = segments.map(
    ({ startSeconds, endSeconds }, index) =>
      `segment ${index + 1}: ${seconds(startSeconds)} to ${seconds(endSeconds)} s`,
  );
  return [file, ...frames, ...(found.length > 0 ? found : ['no speech'])].join('\n');
}

function seconds(value: number): string {
  return value.toFixed(3).padStart(8);
}
