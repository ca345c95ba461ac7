/** A file that is not a wave file we can read; the message says why, after "it" or "its". */
export class WaveError extends Error {
  override readonly name = 'WaveError';
}
