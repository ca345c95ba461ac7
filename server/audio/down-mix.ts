/** The mean of all channels (each as long as the first); a single channel is handed on as it is. */
export function downMix(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels;
  if (first === undefined) return new Float32Array(0);
  if (channels.length === 1) return first;
  const mono = new Float32Array(first.length);
  for (const channel of channels) {
    for (let index = 0; index < mono.length; index++) {
      mono[index] = (mono[index] ?? 0) + (channel[index] ?? 0) / channels.length;
    }
  }
  return mono;
}
