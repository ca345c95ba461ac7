import type { SoundPackets } from '../../src/core/audio/audio-types.ts';
import { answerAsked } from './answer-asked.ts';
import { packOpus, readOpus } from './opus-codec.ts';

/** Samples to make packets of, or a WebM file to read. */
export type OpusQuestion =
  | { readonly kind: 'pack'; readonly samples: Float32Array }
  | { readonly kind: 'read'; readonly bytes: ArrayBuffer };

answerAsked(
  (question: OpusQuestion): Promise<SoundPackets | Float32Array> =>
    question.kind === 'pack' ? packOpus(question.samples) : readOpus(question.bytes),
  (value) => [value instanceof Float32Array ? value.buffer : value.bytes],
);
