import type { AudioEncoderPort } from '../../src/core/audio/audio-types.ts';
import { concatSamples } from '../../src/core/audio/samples.ts';
import type { AudioFile } from '../../src/core/contracts/worker-api.ts';
import type { QueueCache } from './queue-cache.ts';

/** What putting a session's audio together needs. */
export type DictationAudioPorts = {
  readonly cache: QueueCache;
  readonly encoder: AudioEncoderPort;
  /** Speech of a session that could not be encoded; null if there is none. */
  readonly readKept: (dictationId: string) => Promise<Float32Array | null>;
  /** Makes one file of samples at 16 kHz. */
  readonly writeWhole: (samples: Float32Array) => ArrayBuffer;
};

/**
 * The audio of a session's chunks in the queue, in order, and then of what is kept beside it: a
 * single chunk's file as it is, else one WAV file. Null if there is none. Throws `storage-failed`
 * or `encoding-failed`.
 */
export async function dictationAudio(
  dictationId: string,
  { cache, encoder, readKept, writeWhole }: DictationAudioPorts,
): Promise<AudioFile | null> {
  const heads = cache.list().filter((head) => head.dictationId === dictationId);
  const fetched = await Promise.all(heads.map(({ id }) => cache.fetch(id)));
  const audios = fetched.flatMap((item) => (item ? [item.audio] : []));
  const kept = await readKept(dictationId);
  const [first] = audios;
  if (first && audios.length === 1 && !kept) return { type: first.type, bytes: first.bytes };
  const pieces = await Promise.all(audios.map((audio) => encoder.decode(audio)));
  if (kept) pieces.push(kept);
  if (pieces.length === 0) return null;
  return { type: 'audio/wav', bytes: writeWhole(concatSamples(pieces)) };
}
