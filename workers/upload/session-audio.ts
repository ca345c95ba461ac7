import type { AudioEncoderPort } from '../../src/core/audio-types.ts';
import type { AudioFile } from '../../src/core/worker-api.ts';
import type { QueueLedger } from './queue-ledger.ts';

/** What putting a session's audio together needs. */
export type SessionAudioPorts = {
  readonly ledger: QueueLedger;
  readonly encoder: AudioEncoderPort;
  /** Makes one file of samples at 16 kHz. */
  readonly writeWhole: (samples: Float32Array) => ArrayBuffer;
};

/**
 * The audio of a session's chunks in the queue, in order: a single chunk's file as it is, several as one
 * WAV file. Null if there is none. Throws `storage-failed` or `encoding-failed`.
 */
export async function sessionAudio(
  sessionId: string,
  { ledger, encoder, writeWhole }: SessionAudioPorts,
): Promise<AudioFile | null> {
  const heads = ledger.list().filter((head) => head.sessionId === sessionId);
  const fetched = await Promise.all(heads.map(({ id }) => ledger.fetch(id)));
  const audios = fetched.flatMap((item) => (item ? [item.audio] : []));
  const [first] = audios;
  if (!first) return null;
  if (audios.length === 1) return { type: first.type, bytes: first.bytes };
  const pieces = await Promise.all(audios.map((audio) => encoder.decode(audio)));
  const samples = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    samples.set(piece, offset);
    offset += piece.length;
  }
  return { type: 'audio/wav', bytes: writeWhole(samples) };
}
