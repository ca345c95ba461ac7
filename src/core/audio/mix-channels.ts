/** Sound of which the mean keeps less than this part of the power cancels itself out. */
const LEAST_KEPT = 0.01;

/**
 * Writes the mean of all channels, each as long as `into`, into it. Where they cancel each other out,
 * as those of a cable with two opposite poles do, it is the loudest of them.
 */
export function mixChannels(channels: readonly Float32Array[], into: Float32Array): Float32Array {
  into.fill(0);
  for (const channel of channels) {
    for (let index = 0; index < into.length; index += 1) {
      into[index] = (into[index] ?? 0) + (channel[index] ?? 0) / channels.length;
    }
  }
  if (channels.length < 2) return into;
  const powers = channels.map(powerOf);
  const mean = powers.reduce((sum, power) => sum + power, 0) / channels.length;
  if (powerOf(into) >= LEAST_KEPT * mean) return into;
  const loudest = channels[powers.indexOf(Math.max(...powers))];
  if (loudest) into.set(loudest.subarray(0, into.length));
  return into;
}

function powerOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return sum;
}
