import { FRAME_SAMPLES, samplesToMs } from './audio-format.ts';

/** What may be wrong with a microphone, in order of weight. */
export type MicrophoneAilment = 'silent' | 'clipping' | 'quiet' | 'narrow-band';

/** What a frame tells the doctor. */
export type DoctorFacts = {
  readonly levelDbfs: number;
  /** The frame's loudest sample. */
  readonly peakDbfs: number;
  readonly isSpeaking: boolean;
  /** The microphone's name; empty if not known. */
  readonly label: string;
};

/** Looks at one recording, frame by frame. */
export type MicrophoneDoctor = {
  /** Takes the next frame and says what is wrong now; null if nothing is. */
  examine(facts: DoctorFacts): MicrophoneAilment | null;
};

const FRAME_MS = samplesToMs(FRAME_SAMPLES);
/** "Nothing heard" after so long. */
const SILENT_FRAMES = Math.ceil(3_000 / FRAME_MS);
/** A live microphone in a quiet room is above this; a dead or muted one is not. */
const DEAD_DBFS = -75;
/** About 2 s of speech are judged as one. */
const SPEECH_FRAMES = Math.ceil(2_000 / FRAME_MS);
/** The converter is at its end: 0.1 dB are left for the resampler, which rounds cut peaks off. */
const CLIPPING_DBFS = -0.1;
const CLIPPED_FRAMES = 3;
/** Speech at a laptop's microphone is at -25 to -45 dBFS without gain control. */
const QUIET_DBFS = -52;

/**
 * A headset that is used for speech over Bluetooth's hands-free profile carries 4 or 8 kHz of sound.
 * Browsers resample it and tell nothing; Windows has the profile in the name.
 */
const HANDS_FREE = /hands-?free|\bHFP\b|\bHSP\b/i;

export function createMicrophoneDoctor(): MicrophoneDoctor {
  /** Frames without speech at the start, or without any sound later. */
  let unheardFrames = 0;
  let hasSpoken = false;
  let speechLevels: readonly number[] = [];
  let speechPeaks: readonly number[] = [];

  function ailment(label: string): MicrophoneAilment | null {
    if (unheardFrames >= SILENT_FRAMES) return 'silent';
    if (speechPeaks.filter((peak) => peak >= CLIPPING_DBFS).length >= CLIPPED_FRAMES) {
      return 'clipping';
    }
    const isLong = speechLevels.length === SPEECH_FRAMES;
    if (isLong && Math.max(...speechLevels) < QUIET_DBFS) return 'quiet';
    return HANDS_FREE.test(label) ? 'narrow-band' : null;
  }

  return {
    examine({ levelDbfs, peakDbfs, isSpeaking, label }) {
      hasSpoken ||= isSpeaking;
      const isHeard = isSpeaking || (hasSpoken && levelDbfs > DEAD_DBFS);
      unheardFrames = isHeard ? 0 : unheardFrames + 1;
      if (isSpeaking) {
        speechLevels = [...speechLevels.slice(1 - SPEECH_FRAMES), levelDbfs];
        speechPeaks = [...speechPeaks.slice(1 - SPEECH_FRAMES), peakDbfs];
      }
      return ailment(label);
    },
  };
}
