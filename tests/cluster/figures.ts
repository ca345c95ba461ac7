import { percentile } from '../../src/benchmark/percentile.ts';

/** One chunk's way, in ms since the traffic began. */
export type ChunkRecord = {
  readonly seconds: number;
  /** When the client had it and first tried. */
  readonly saidAtMs: number;
  /** When its text was there; null: it never came. */
  readonly textAtMs: number | null;
};

/** How long texts took, in s: p50, p95, p99 and the longest. NaN without any. */
export type Waits = {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
};

/** From the first try to the text. */
export function waitsOf(records: readonly ChunkRecord[]): Waits {
  const seconds = records.flatMap(waitMs).map((ms) => ms / 1_000);
  return {
    p50: percentile(seconds, 0.5),
    p95: percentile(seconds, 0.95),
    p99: percentile(seconds, 0.99),
    longest: seconds.length === 0 ? Number.NaN : Math.max(...seconds),
  };
}

/** How often a recording was transcribed beyond its first time; `heard` has each as often as it was. */
export function transcribedTwice(heard: Iterable<string>): number {
  const seen = new Set<string>();
  let twice = 0;
  for (const recording of heard) {
    if (seen.has(recording)) twice++;
    seen.add(recording);
  }
  return twice;
}

/** In any stretch of this length after the recovery nearly all is as it was. */
const CALM_MS = 5_000;
const LOOK_EVERY_MS = 250;
const MAX_LATE_SHARE = 0.05;

/**
 * How long after `faultAtMs` chunks got their texts as before again, in s: until the first stretch of 5 s of which
 * at most one chunk in twenty waited longer than twice the p95 from before. 0: nobody noticed. Null when it
 * did not happen while there were chunks.
 */
export function recoverySeconds(
  records: readonly ChunkRecord[],
  faultAtMs: number,
  lastAtMs: number,
): number | null {
  const before = records.filter(({ saidAtMs }) => saidAtMs < faultAtMs);
  const limitMs = 2_000 * waitsOf(before).p95;
  const isLate = (record: ChunkRecord) => (waitMs(record)[0] ?? Number.POSITIVE_INFINITY) > limitMs;
  let recoveredAtMs = faultAtMs;
  // From the end: what matters is that it lasts.
  for (let fromMs = faultAtMs; fromMs + CALM_MS <= lastAtMs; fromMs += LOOK_EVERY_MS) {
    const some = records.filter(
      ({ saidAtMs }) => saidAtMs >= fromMs && saidAtMs < fromMs + CALM_MS,
    );
    const late = some.filter(isLate);
    if (late.length > MAX_LATE_SHARE * some.length) {
      recoveredAtMs = Math.max(...late.map(({ saidAtMs }) => saidAtMs)) + 1;
    }
  }
  if (recoveredAtMs + CALM_MS > lastAtMs && recoveredAtMs > faultAtMs) return null;
  return (recoveredAtMs - faultAtMs) / 1_000;
}

const waitMs = ({ saidAtMs, textAtMs }: ChunkRecord): readonly number[] =>
  textAtMs === null ? [] : [textAtMs - saidAtMs];
