/**
 * Mixes all channels to mono by their mean, so that nothing said on one side of a stereo microphone
 * is left out and no sum can exceed full scale. No channels at all are silence, as in Web Audio.
 *
 * Writes `frames` samples to the start of `target`, taken from `from` on. Allocates nothing.
 */
export function downMix(
  channels: readonly Float32Array[],
  from: number,
  frames: number,
  target: Float32Array,
): void {
  const first = channels[0];
  if (first === undefined) {
    target.fill(0, 0, frames);
    return;
  }
  for (let i = 0; i < frames; i++) target[i] = first[from + i] ?? 0;
  if (channels.length === 1) return;
  for (let c = 1; c < channels.length; c++) addChannel(channels[c], from, frames, target);
  const share = 1 / channels.length;
  for (let i = 0; i < frames; i++) target[i] = (target[i] ?? 0) * share;
}

function addChannel(
  channel: Float32Array | undefined,
  from: number,
  frames: number,
  target: Float32Array,
): void {
  if (channel === undefined) return;
  for (let i = 0; i < frames; i++) target[i] = (target[i] ?? 0) + (channel[from + i] ?? 0);
}
