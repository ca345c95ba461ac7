// What goes into a model must not be able to spoil its state, which outlives the frame.

/**
 * Makes `count` samples (a multiple of 4) harmless in place: not-a-number and anything smaller than 1e-15
 * (subnormal numbers are slow and below hearing) become 0, the rest is held to +-32768, far beyond full
 * scale (1), where nothing in the model overflows.
 */
export function sanitise(samples: usize, count: usize): void {
  const smallest = f32x4.splat(1e-15);
  const largest = f32x4.splat(32768);
  const lowest = f32x4.splat(-32768);
  for (const end = samples + count * 4; samples < end; samples += 16) {
    const value = v128.load(samples);
    // The comparison is false for not-a-number.
    const kept = v128.and(value, f32x4.ge(f32x4.abs(value), smallest));
    v128.store(samples, f32x4.pmin(f32x4.pmax(kept, lowest), largest));
  }
}
