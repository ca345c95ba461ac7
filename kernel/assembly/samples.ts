// No sample may spoil the model's state, which outlives the frame.

/**
 * Makes `count` samples (a multiple of 4) harmless in place. What is not a number, infinite or
 * absurd (audio lies in +-1; nothing in the model overflows below a thousand times that) becomes
 * silence, and so does what is smaller than 1e-15: subnormal numbers are slow on some processors,
 * and below all hearing.
 */
export function sanitise(samples: usize, count: usize): void {
  const smallest = f32x4.splat(1e-15);
  const largest = f32x4.splat(1000);
  for (const end = samples + count * 4; samples < end; samples += 16) {
    const value = v128.load(samples);
    const size = f32x4.abs(value);
    // Both comparisons are false for not-a-number.
    const isSound = v128.and(f32x4.ge(size, smallest), f32x4.le(size, largest));
    v128.store(samples, v128.and(value, isSound));
  }
}
