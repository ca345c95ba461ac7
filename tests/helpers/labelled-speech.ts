import { existsSync, readFileSync } from 'node:fs';
import { cutFrames, endOf } from '../../tools/vad/detect-speech.ts';
import { readWave } from '../../tools/vad/read-wave.ts';
import { atLevel } from './made-sounds.ts';

/** Labels are on a grid of 10 ms. */
export const LABEL_SAMPLES = 160;

/** A stretch of speech, from first to last labelled sample, at 0 dBFS over what is labelled. */
export type SpeechClip = {
  readonly name: string;
  readonly samples: Float32Array;
  /** One for each 10 ms: whether it is speech. */
  readonly isSpeech: readonly boolean[];
};

/** Levels this far below the loud parts are no speech; shorter gaps and bursts do not count. */
const SPEECH_RANGE_DB = 30;
const SHORTEST_BURST = 4;
const SHORTEST_GAP = 20;
/** A gap of 300 ms parts two clips, where the first holds a second. */
const PARTING_GAP = 30;
const SHORTEST_CLIP = 100;

/**
 * Reads a WAV file, at 16 kHz by the worklet's own resampler, and cuts it into clips. A file of the
 * same name that ends in `.txt` has its labels: a line `start end` in seconds for each stretch of
 * speech, as Audacity exports them; else they go by energy, which needs a quiet recording. `speed`
 * plays it faster and higher.
 */
export async function readClips(path: string, speed = 1): Promise<SpeechClip[]> {
  const frames = await cutFrames(readWave(readFileSync(path)));
  const whole = new Float32Array(endOf(frames));
  for (const { startSample, samples } of frames) whole.set(samples, startSample);
  const labels = path.replace(/\.wav$/i, '.txt');
  const grid = existsSync(labels)
    ? readLabels(readFileSync(labels, 'utf8'), whole.length)
    : labelByEnergy(whole);
  if (speed === 1) return cutClips(path, whole, grid);
  const played = playedAt(whole, speed);
  const length = Math.floor(played.length / LABEL_SAMPLES);
  const moved = Array.from({ length }, (_, i) => grid[Math.floor(i * speed)] ?? false);
  return cutClips(`${path} x${speed}`, played, moved);
}

function readLabels(text: string, samples: number): boolean[] {
  const spans = text.split('\n').flatMap((line) => {
    const [start = Number.NaN, end = Number.NaN] = line.trim().split(/\s+/).map(Number);
    return end > start ? [{ start, end }] : [];
  });
  return Array.from({ length: Math.floor(samples / LABEL_SAMPLES) }, (_, i) => {
    const at = (i + 0.5) / 100;
    return spans.some(({ start, end }) => at >= start && at < end);
  });
}

export function labelByEnergy(samples: Float32Array): boolean[] {
  const levels = Array.from({ length: Math.floor(samples.length / LABEL_SAMPLES) }, (_, i) => {
    const part = samples.subarray(i * LABEL_SAMPLES, (i + 1) * LABEL_SAMPLES);
    return 10 * Math.log10(part.reduce((sum, x) => sum + x * x, 1e-10) / LABEL_SAMPLES);
  });
  const loud = [...levels].sort((a, b) => a - b)[Math.floor(0.95 * levels.length)] ?? 0;
  const grid = levels.map((level) => level > loud - SPEECH_RANGE_DB);
  for (const { from, to, value } of runsOf(grid)) {
    if (value && to - from < SHORTEST_BURST) grid.fill(false, from, to);
  }
  for (const { from, to, value } of runsOf(grid)) {
    const isInside = from > 0 && to < grid.length;
    if (!value && isInside && to - from < SHORTEST_GAP) grid.fill(true, from, to);
  }
  return grid;
}

function cutClips(path: string, samples: Float32Array, grid: readonly boolean[]): SpeechClip[] {
  const clips: SpeechClip[] = [];
  const end = grid.lastIndexOf(true) + 1;
  let start = grid.indexOf(true);
  if (start < 0) return clips;
  const cut = (to: number): void => {
    const isSpeech = grid.slice(start, to);
    const part = samples.slice(start * LABEL_SAMPLES, to * LABEL_SAMPLES);
    clips.push({ name: `${path} at ${start / 100} s`, samples: atLevel(part, 0), isSpeech });
  };
  for (const { from, to, value } of runsOf(grid)) {
    if (value || from < start || to >= end || to - from < PARTING_GAP) continue;
    if (from - start < SHORTEST_CLIP) continue;
    cut(from);
    start = to;
  }
  cut(end);
  return clips;
}

/** Stretches of one value. */
export function runsOf(grid: readonly boolean[]) {
  const runs: { readonly from: number; readonly to: number; readonly value: boolean }[] = [];
  for (let from = 0; from < grid.length; ) {
    const value = grid[from] ?? false;
    let to = from;
    while (to < grid.length && grid[to] === value) to++;
    runs.push({ from, to, value });
    from = to;
  }
  return runs;
}

/** Faster and higher, or slower and deeper: linear interpolation. */
function playedAt(samples: Float32Array, speed: number): Float32Array {
  return Float32Array.from({ length: Math.floor((samples.length - 1) / speed) }, (_, n) => {
    const from = Math.floor(n * speed);
    const left = samples[from] ?? 0;
    return left + ((samples[from + 1] ?? 0) - left) * (n * speed - from);
  });
}
