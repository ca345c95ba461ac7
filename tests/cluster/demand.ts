import type { Random } from '../../src/core/clock.ts';

/** The most speech a chunk holds: the page cuts there. */
const MAX_CHUNK_S = 90;

const MIN_CHUNK_S = 1;

/**
 * How long a dictation is: log-normal, a mean of 21 s. An assumption, since nobody has counted, but
 * for the page's cut at 90 s.
 */
const MEDIAN_DICTATION_S = 14;
const SPREAD = 0.9;

/**
 * The lengths that stand for all chunks, in s, equally frequent, shortest first: dictations by the
 * distribution above, cut every 90 s, the rest of each a chunk of its own.
 */
export function chunkLengths(count: number, random: Random): readonly number[] {
  const drawn: number[] = [];
  while (drawn.length < 500 * count) drawn.push(...cut(dictationSeconds(random)));
  drawn.sort((a, b) => a - b);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * drawn.length) / count);
    const to = Math.floor(((index + 1) * drawn.length) / count);
    return mean(drawn.slice(from, to));
  });
}

/**
 * When chunks come, in ms from the beginning: a Poisson process whose rate, `perSecondAt(ms)`, is
 * never above `maxPerSecond`.
 */
export function poissonArrivals(
  forMs: number,
  maxPerSecond: number,
  perSecondAt: (atMs: number) => number,
  random: Random,
): readonly number[] {
  const arrivals: number[] = [];
  let atMs = 0;
  for (;;) {
    atMs += (-Math.log(1 - random()) / maxPerSecond) * 1_000;
    if (atMs >= forMs) return arrivals;
    // Thinned: of the fastest process only as many as there are at this time.
    if (random() * maxPerSecond < perSecondAt(atMs)) arrivals.push(atMs);
  }
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function dictationSeconds(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(MIN_CHUNK_S, MEDIAN_DICTATION_S * Math.exp(SPREAD * normal));
}

function cut(seconds: number): readonly number[] {
  const whole = Math.floor(seconds / MAX_CHUNK_S);
  const rest = seconds - whole * MAX_CHUNK_S;
  const chunks = new Array<number>(whole).fill(MAX_CHUNK_S);
  return rest >= MIN_CHUNK_S ? [...chunks, rest] : chunks;
}
