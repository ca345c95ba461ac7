import { FRAME_SAMPLES, samplesToMs } from '../core/audio/audio-format.ts';
import type { BenchmarkStart } from '../core/contracts/benchmark.ts';
import { median, percentile } from './percentile.ts';
import { type BenchmarkRow, type LiveCost, type RowKey, rowId } from './report.ts';

const FRAME_MS = samplesToMs(FRAME_SAMPLES);

/** Long beside a browser's clock, short beside a processor's time slice. */
const STRETCH_US = 2_000;

/** What the others' probabilities are held against. */
const ORT = { engine: 'ort', threads: 1 } as const;

/** What has been measured of one engine. */
export type Measured = {
  readonly key: RowKey;
  readonly start: BenchmarkStart;
  readonly probabilities: readonly number[];
  /** Each frame's microseconds in each counted round. */
  readonly turns: Float32Array[];
  /** Frames that came one at a time. */
  readonly liveUs: number[];
};

/** A row of the table; `all` holds the one to compare with. `tickUs` is the clock's step. */
export function toRow(one: Measured, all: readonly Measured[], tickUs: number): BenchmarkRow {
  const { key, start, turns, liveUs } = one;
  const frameUs = turns.flatMap((turn) => [...turn]);
  const p = (share: number) => percentile(frameUs, share, tickUs);
  return {
    ...key,
    xRealtime: median(turns.flatMap(speedsOf)),
    usPerFrame: { p50: p(0.5), p95: p(0.95), p99: p(0.99) },
    ...start,
    live: liveUs.length > 0 ? liveCost(liveUs) : null,
    maxDifference: differenceFromOrt(one, all),
  };
}

/**
 * Times real time in one stretch of a round after the other. Their median is what the engine does
 * when it may run: another program's turn on the processor spoils a stretch, and shows in p99.
 */
function speedsOf(frameUs: Float32Array): number[] {
  const speeds: number[] = [];
  let us = 0;
  let frames = 0;
  for (const frame of frameUs) {
    us += frame;
    frames += 1;
    if (us < STRETCH_US) continue;
    speeds.push((frames * FRAME_MS * 1_000) / us);
    us = 0;
    frames = 0;
  }
  return speeds;
}

/** The mean, since what is paid is the sum. The first frames, when all is cold, are left out. */
function liveCost(liveUs: readonly number[]): LiveCost {
  const counted = liveUs.slice(Math.min(3, liveUs.length - 1));
  const usPerFrame = counted.reduce((sum, us) => sum + us, 0) / counted.length;
  return { usPerFrame, coreShare: usPerFrame / (FRAME_MS * 1_000) };
}

function differenceFromOrt(one: Measured, all: readonly Measured[]): number | null {
  const reference = all.find(({ key }) => rowId(key) === rowId(ORT));
  if (!reference) return null;
  return one.probabilities.reduce((largest, probability, frame) => {
    return Math.max(largest, Math.abs(probability - (reference.probabilities[frame] ?? 0)));
  }, 0);
}
