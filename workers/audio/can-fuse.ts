/**
 * A module with one function that multiplies and adds vectors at once (`f32x4.relaxed_madd` of
 * three zeros):
 * https://webassembly.github.io/spec/core/binary/instructions.html#vector-instructions
 */
const PROBE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // One type, () -> v128, and one function of it.
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b],
  ...[0x03, 0x02, 0x01, 0x00],
  // Its body: i32.const 0, i8x16.splat, three times; f32x4.relaxed_madd; end.
  ...[0x0a, 0x13, 0x01, 0x11, 0x00],
  ...[0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f],
  ...[0xfd, 0x85, 0x02, 0x0b],
);

/**
 * Whether the browser knows relaxed SIMD. Where the processor can't fuse, it still computes the
 * same in two steps.
 */
export function canFuse(): boolean {
  return WebAssembly.validate(PROBE);
}
