import { FRAME_SAMPLES } from '../audio/audio-format.ts';

/** Options of the speech gate. */
export type VadOptions = {
  /** Speech starts at this probability, 0 to 1. */
  readonly positiveSpeechThreshold: number;
  /** A frame below this probability counts towards the end, 0 to `positiveSpeechThreshold`. */
  readonly negativeSpeechThreshold: number;
  /** The number of frames below the negative threshold that ends a segment; 0 counts as 1. */
  readonly redemptionFrames: number;
  /** Samples in a frame; the models here take 1536. */
  readonly frameSamples: number;
  /** A segment with fewer frames at or above the positive threshold is a misfire. */
  readonly minSpeechFrames: number;
  /** The number of frames before the onset that belong to the segment. */
  readonly preSpeechPadFrames: number;
};

/** The gate's defaults; the positive threshold and the padding are Silero's usual ones. */
export const DEFAULT_VAD_OPTIONS: VadOptions = {
  positiveSpeechThreshold: 0.5,
  negativeSpeechThreshold: 0.35,
  redemptionFrames: 8,
  frameSamples: FRAME_SAMPLES,
  minSpeechFrames: 3,
  preSpeechPadFrames: 1,
};

/** The preset for recording. */
export const RECORDING_VAD_OPTIONS: VadOptions = {
  ...DEFAULT_VAD_OPTIONS,
  positiveSpeechThreshold: 0.8,
  minSpeechFrames: 1,
  preSpeechPadFrames: 10,
};

/** Named presets: the one for recording, and the same with the default threshold. */
export const VAD_PRESETS = {
  recording: RECORDING_VAD_OPTIONS,
  sensitive: {
    ...RECORDING_VAD_OPTIONS,
    positiveSpeechThreshold: DEFAULT_VAD_OPTIONS.positiveSpeechThreshold,
  },
} as const satisfies Record<string, VadOptions>;

export type VadPreset = keyof typeof VAD_PRESETS;
