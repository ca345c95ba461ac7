import { percentile } from '../../src/benchmark/run-benchmark.ts';

/** One chunk's way, in ms since the traffic began. */
export type ChunkRecord = {
  readonly seconds: number;
  /** When the client had it and first tried. */
  readonly saidAtMs: number;
  /** When its text was there; null: it never came. */
  readonly textAtMs: number | null;
};

/** Waits for texts, in s: p50, p95, p99 and the longest. NaN without any. */
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

/** Counts repeated transcriptions; `heard` lists every recording as often as it was transcribed. */
export function transcribedTwice(heard: Iterable<string>): number {
  const seen = new Set<string>();
  let twice = 0;
  for (const recording of heard) {
    if (seen.has(recording)) twice++;
    seen.add(recording);
  }
  return twice;
}

/** Nobody being overdue for so long is a recovery. */
const CALM_MS = 5_000;

/** A chunk of 90 s, in ms of audio. */
const LONGEST_OWN_MS = 90_000;

/** The most that chance alone adds, in ms. */
const SLACK_MS = 1_000;

/**
 * Seconds from `faultAtMs` until chunks were no longer overdue: until the last overdue one had its
 * text, followed by 5 s without any. A chunk is overdue when it has waited longer than the engine
 * needs for it (`audioSecondsPerSecond`) plus twice the wait that 19 of 20 stayed below before the
 * fault. 0: no chunk was overdue; infinite: one never had its text.
 */
export function recoverySeconds(
  records: readonly ChunkRecord[],
  faultAtMs: number,
  audioSecondsPerSecond: number,
): number {
  const ownMs = ({ seconds }: ChunkRecord) => (1_000 * seconds) / audioSecondsPerSecond;
  const textMs = ({ textAtMs }: ChunkRecord) => textAtMs ?? Number.POSITIVE_INFINITY;
  const before = records.filter((record) => textMs(record) < faultAtMs);
  const extraMs = before.map((record) => textMs(record) - record.saidAtMs - ownMs(record));
  const slackMs = SLACK_MS + Math.max(0, 2 * percentile(extraMs, 0.95));
  const overdue = records
    .map((record) => ({
      fromMs: Math.max(faultAtMs, record.saidAtMs + ownMs(record) + slackMs),
      toMs: textMs(record),
    }))
    .filter(({ fromMs, toMs }) => toMs > fromMs)
    .sort((a, b) => a.fromMs - b.fromMs);
  let recoveredAtMs = faultAtMs;
  // The first may be overdue only after it has waited.
  let calmUntilMs = faultAtMs + slackMs + CALM_MS + LONGEST_OWN_MS / audioSecondsPerSecond;
  for (const { fromMs, toMs } of overdue) {
    if (fromMs > calmUntilMs) break;
    recoveredAtMs = Math.max(recoveredAtMs, toMs);
    calmUntilMs = Math.max(calmUntilMs, toMs + CALM_MS);
  }
  return (recoveredAtMs - faultAtMs) / 1_000;
}

const waitMs = ({ saidAtMs, textAtMs }: ChunkRecord): readonly number[] =>
  textAtMs === null ? [] : [textAtMs - saidAtMs];
