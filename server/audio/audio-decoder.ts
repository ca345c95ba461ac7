import type { Turn } from '../scheduling/turn.ts';
import type { SpeechAudio } from './speech-audio.ts';

/** Turns a file of any kind into 16 kHz mono, without holding up anybody else. */
export type AudioDecoder = {
  /**
   * Decodes one file of at most `maxAudioMs`, at the cost of `turn`'s client. Rejects with an
   * ApiError (`audio_unsupported`, `audio_corrupted`, `audio_too_long`) or with `signal`'s reason.
   */
  decode(
    file: Uint8Array,
    maxAudioMs: number,
    signal: AbortSignal,
    turn: Pick<Turn, 'client' | 'rank' | 'charge'>,
  ): Promise<SpeechAudio>;
  /** Gives back what it holds; what is being decoded is lost. */
  dispose(): Promise<void>;
};
