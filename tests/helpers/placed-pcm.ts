/**
 * A 16-bit value by which a sample's place in a recording is known again, so that one lost, doubled
 * or misplaced is seen: noise, that no stretch of it is like another.
 */
export function placedValue(atSample: number): number {
  return Math.imul(atSample, 0x9e37_79b1) >> 16;
}

/** What `length` samples from a place on sound like. */
export function placedPcm(startSample: number, length: number): Int16Array {
  const pcm = new Int16Array(length);
  for (let index = 0; index < length; index += 1) pcm[index] = placedValue(startSample + index);
  return pcm;
}
