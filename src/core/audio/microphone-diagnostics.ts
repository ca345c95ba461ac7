import { FRAME_SAMPLES, samplesToMs } from './audio-format.ts';

/** A fault of the microphone that a recording shows, the gravest first. */
export type MicrophoneProblem = 'silent' | 'clipping' | 'quiet' | 'narrow-band';

/** One frame as the diagnostics see it. */
export type DiagnosticFacts = {
  readonly levelDbfs: number;
  /** The frame's loudest sample. */
  readonly peakDbfs: number;
  /** Its level above the band that a telephone carries (`level.ts`). */
  readonly highBandDbfs: number;
  readonly isSpeaking: boolean;
  /** False when no engine saw the frame: it was taken for speech then, which proves nothing. */
  readonly isInferred: boolean;
};

const FRAME_MS = samplesToMs(FRAME_SAMPLES);
/** `silent` after 3 s without a sound. */
const SILENT_FRAMES = Math.ceil(3_000 / FRAME_MS);
/** A live microphone in a quiet room is above this; a dead or muted one is not. */
const DEAD_DBFS = -75;
/** Clipping and quiet speech are judged over the last 2 s of speech. */
const SPEECH_FRAMES = Math.ceil(2_000 / FRAME_MS);
/** 0.1 dB below full scale, since the resampler rounds cut peaks off. */
const CLIPPING_DBFS = -0.1;
const CLIPPED_FRAMES = 3;
/** Speech at a laptop's microphone is at -25 to -45 dBFS without gain control. */
const QUIET_DBFS = -52;

/** The band is judged over 5 s of speech, in which every language has sounds of s. */
const BAND_FRAMES = Math.ceil(5_000 / FRAME_MS);
/** Two frames may hold a click or a cough, which fill any band. */
const BAND_OUTLIERS = 2;
/**
 * A microphone's loudest sounds of s, above `HIGH_BAND_FROM_HZ`, are 10 to 30 dB below its speech,
 * 48 dB in the dullest old recording tried; what an 8 kHz headset leaves there is 58 to 67 dB
 * below.
 */
const NARROW_BELOW_SPEECH_DB = 54;

/** Watches one recording, frame by frame. */
export function createMicrophoneDiagnostics() {
  /** Frames without speech at the start, or without any sound later. */
  let unheardFrames = 0;
  let hasSpoken = false;
  /** The last frames of speech, enough for the longest rule. */
  const speech: DiagnosticFacts[] = [];

  function problem(): MicrophoneProblem | null {
    if (unheardFrames >= SILENT_FRAMES) return 'silent';
    let clippedFrames = 0;
    let quietFrames = 0;
    for (const { peakDbfs, levelDbfs } of speech.slice(-SPEECH_FRAMES)) {
      if (peakDbfs >= CLIPPING_DBFS) clippedFrames += 1;
      if (levelDbfs < QUIET_DBFS) quietFrames += 1;
    }
    if (clippedFrames >= CLIPPED_FRAMES) return 'clipping';
    if (quietFrames === SPEECH_FRAMES) return 'quiet';
    return isNarrow(speech) ? 'narrow-band' : null;
  }

  return {
    /** Takes the next frame and names what is wrong now; null if nothing is. */
    examine(facts: DiagnosticFacts): MicrophoneProblem | null {
      const { levelDbfs, isInferred } = facts;
      const isSpeech = facts.isSpeaking && isInferred;
      hasSpoken ||= isSpeech;
      // Before the first word, noise alone is no sign that the right microphone is open.
      const isSound = levelDbfs > DEAD_DBFS && (hasSpoken || !isInferred);
      unheardFrames = isSpeech || isSound ? 0 : unheardFrames + 1;
      if (isSpeech && speech.push(facts) > BAND_FRAMES) speech.shift();
      return problem();
    },
  };
}

/** True if the speech has nothing in it above a telephone's band. */
function isNarrow(speech: readonly DiagnosticFacts[]): boolean {
  if (speech.length < BAND_FRAMES) return false;
  let power = 0;
  for (const { levelDbfs } of speech) power += 10 ** (levelDbfs / 10);
  const narrowDbfs = 10 * Math.log10(power / speech.length) - NARROW_BELOW_SPEECH_DB;
  let wideFrames = 0;
  for (const { highBandDbfs } of speech) if (highBandDbfs >= narrowDbfs) wideFrames += 1;
  return wideFrames <= BAND_OUTLIERS;
}
