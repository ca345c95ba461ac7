import { FRAME_SAMPLES, type SampleRange } from '../audio/audio-format.ts';
import type { VadOptions } from './vad-options.ts';

/** A finding of the gate. Ranges hold the padding before the onset and the redemption tail. */
export type SpeechGateEvent =
  /** Somebody began to speak; `startSample` is the segment's, padding included. */
  | { readonly kind: 'speech-started'; readonly startSample: number }
  /** Speech that is kept. */
  | { readonly kind: 'segment-ended'; readonly range: SampleRange }
  /** Too few speech frames: not speech after all. */
  | { readonly kind: 'misfire'; readonly range: SampleRange };

/** The state that a gate begins in, and the tail of its segments. */
type SpeechGateStart = {
  /** @default null: nobody speaks */
  readonly runningFromSample?: number | null;
  /** @default all of them */
  readonly tailFrames?: number;
};

/**
 * A gate by these rules: speech starts with a frame at or above
 * `positiveSpeechThreshold`; `redemptionFrames` frames below `negativeSpeechThreshold` end it,
 * unless a frame at or above the positive threshold comes in between and clears the count; frames
 * between the thresholds change nothing. A segment with fewer than `minSpeechFrames` frames at or
 * above the positive threshold is a misfire. `preSpeechPadFrames` frames before the onset belong to
 * the segment, as far as they exist and belong to no other segment, misfires included.
 *
 * `options` must have gone through `checkVadOptions`; fractions of frames are rounded down.
 * With `tailFrames`, a segment keeps only so many of the quiet frames at its end, so that its content
 * is known before the pause is over; the rest may pad the next one. `runningFromSample` is for a
 * stream that begins in the middle of speech: a segment runs from there on, emitted already and long
 * enough to be no misfire. `emit` is called from within `accept` and `endSegment`, after the gate's
 * state has changed.
 */
export function createSpeechGate(
  options: VadOptions,
  emit: (event: SpeechGateEvent) => void,
  start: SpeechGateStart = {},
) {
  const { runningFromSample = null } = start;
  let { tailFrames = Number.POSITIVE_INFINITY } = start;
  const { positiveSpeechThreshold, negativeSpeechThreshold } = options;
  const redemptionFrames = Math.floor(options.redemptionFrames);
  const minSpeechFrames = Math.floor(options.minSpeechFrames);
  const padSamples = Math.floor(options.preSpeechPadFrames) * FRAME_SAMPLES;

  let runningStartSample = runningFromSample;
  let speechFrames = runningFromSample === null ? 0 : minSpeechFrames;
  let lowFrames = 0;
  /** Low frames one after the other, up to now. */
  let quietFrames = 0;
  let pauseSample: number | null = null;
  /** Where the last frame ended; null before the first and after `endSegment`. */
  let endSample = runningFromSample;
  /** Padding reaches back to here at most. */
  let padFloorSample = 0;

  function begin(onsetSample: number): void {
    runningStartSample = Math.max(padFloorSample, onsetSample - padSamples);
    emit({ kind: 'speech-started', startSample: runningStartSample });
  }

  function end(startSample: number, atSample: number): void {
    const kind = speechFrames >= minSpeechFrames ? 'segment-ended' : 'misfire';
    runningStartSample = null;
    speechFrames = 0;
    lowFrames = 0;
    endQuiet();
    padFloorSample = atSample;
    emit({ kind, range: { startSample, endSample: atSample } });
  }

  function endQuiet(): void {
    quietFrames = 0;
    pauseSample = null;
  }

  function hearQuiet(frameEndSample: number): void {
    if (runningStartSample === null) return;
    lowFrames++;
    quietFrames++;
    if (quietFrames === tailFrames) pauseSample = frameEndSample;
    if (lowFrames >= redemptionFrames) end(runningStartSample, pauseSample ?? frameEndSample);
  }

  function endSegment(): void {
    const atSample = pauseSample ?? endSample;
    endSample = null;
    if (runningStartSample !== null && atSample !== null) end(runningStartSample, atSample);
  }

  return {
    /**
     * Takes the next frame: where it starts, how many samples it holds and the probability, 0 to 1,
     * that it is speech. Frames follow one another without a hole; where one does not, the running
     * segment ends before the hole, as with `endSegment`. A probability that is NaN counts as 1: what
     * no engine saw is kept.
     */
    accept(startSample: number, lengthSamples: number, probability: number) {
      if (startSample !== endSample) {
        endSegment();
        padFloorSample = startSample;
      }
      const frameEndSample = startSample + lengthSamples;
      endSample = frameEndSample;

      if (probability >= positiveSpeechThreshold || Number.isNaN(probability)) {
        speechFrames++;
        lowFrames = 0;
        endQuiet();
        if (runningStartSample === null) begin(startSample);
      } else if (probability < negativeSpeechThreshold) hearQuiet(frameEndSample);
      else endQuiet();
    },
    /**
     * Ends the running segment, for a pause, the stop or a gap in the audio: it is kept, or a
     * misfire, by the same rule as any other. Audio before this never pads a segment after it. Does
     * nothing without a running segment.
     */
    endSegment,
    /** True while a segment is running. */
    get isSpeaking(): boolean {
      return runningStartSample !== null;
    },
    /** The start of the running segment, padding included; null without one. */
    get runningStartSample(): number | null {
      return runningStartSample;
    },
    /**
     * The end of the running segment if no more speech follows; null before `tailFrames` quiet
     * frames.
     */
    get pauseSample(): number | null {
      return pauseSample;
    },
    /** Frames of quiet that the running segment ends with so far. */
    get quietFrames(): number {
      return quietFrames;
    },
    /** From now on segments end with so many quiet frames at most. */
    endWith(frames: number) {
      tailFrames = frames;
    },
  };
}
