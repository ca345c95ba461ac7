/**
 * The value below which a share of all values lies, 0 to 1; NaN when there are none. A clock that
 * ticks gives many equal values: they are taken as spread evenly over one tick around the value,
 * the usual estimate for grouped data, so that the answer is finer than the clock. A tick of 0
 * takes values as they are.
 */
export function percentile(values: ArrayLike<number>, share: number, tick = 0): number {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.min(1, Math.max(0, share)) * (sorted.length - 1);
  const value = sorted[Math.round(rank)] ?? Number.NaN;
  let first = Math.round(rank);
  let last = first;
  while (first > 0 && sorted[first - 1] === value) first -= 1;
  while (last < sorted.length - 1 && sorted[last + 1] === value) last += 1;
  const within = (rank - first + 0.5) / (last - first + 1);
  return Math.max(0, value + (within - 0.5) * tick);
}

/** The middle value. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = (sorted.length - 1) / 2;
  const below = sorted[Math.floor(middle)] ?? Number.NaN;
  const above = sorted[Math.ceil(middle)] ?? Number.NaN;
  return (below + above) / 2;
}
