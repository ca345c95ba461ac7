import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSpeechGate } from '../../src/core/speech/speech-gate.ts';
import type { VadOptions } from '../../src/core/speech/vad-options.ts';
import { type AudioFrame, wholeFrame } from './cut-frames.ts';

/**
 * A stretch of speech, in samples at 16 kHz and in seconds; the end is the first sample after it.
 */
export type SpeechSegment = {
  readonly startSample: number;
  readonly endSample: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
};

/** What the detector says about one file. */
export type Detection = {
  readonly file: string;
  readonly sampleRate: typeof SAMPLE_RATE_HZ;
  readonly frameSamples: typeof FRAME_SAMPLES;
  /** One for each frame; the last frame is filled up with silence. */
  readonly probabilities: readonly number[];
  readonly segments: readonly SpeechSegment[];
};

/** Infers and gates frames as a recording does, from a clean state; misfires are left out. */
export async function detectSpeech(
  file: string,
  frames: readonly AudioFrame[],
  { engine, options }: { readonly engine: SpeechEngine; readonly options: VadOptions },
): Promise<Detection> {
  const probabilities: number[] = [];
  const segments: SpeechSegment[] = [];
  const gate = createSpeechGate(options, (event) => {
    if (event.kind !== 'segment-ended') return;
    const { startSample, endSample } = event.range;
    segments.push({
      startSample,
      endSample,
      startSeconds: startSample / SAMPLE_RATE_HZ,
      endSeconds: endSample / SAMPLE_RATE_HZ,
    });
  });
  engine.reset();
  for (const frame of frames) {
    const probability = await engine.infer(wholeFrame(frame));
    probabilities.push(probability);
    gate.accept(frame.startSample, frame.samples.length, probability);
  }
  gate.endSegment();
  return {
    file,
    sampleRate: SAMPLE_RATE_HZ,
    frameSamples: FRAME_SAMPLES,
    probabilities,
    segments,
  };
}
