/**
 * The samples of a 16-bit mono WAV with a header of 44 bytes, as the fixtures are, averaged down.
 */
export function readWave(file: ArrayBuffer, everySamples = 1): Float32Array {
  const data = new Int16Array(file.slice(44));
  return Float32Array.from({ length: Math.floor(data.length / everySamples) }, (_, n) => {
    let sum = 0;
    for (let k = 0; k < everySamples; k++) sum += data[n * everySamples + k]!;
    return sum / everySamples / 32_768;
  });
}
