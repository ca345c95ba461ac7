import type { SampleRange } from '../../src/core/audio/audio-format.ts';
import {
  type ChunkCutter,
  createChunkCutter,
  type SpeechChunk,
} from '../../src/core/speech/chunk-cutter.ts';
import { createSpeechGate } from '../../src/core/speech/speech-gate.ts';
import type { VadOptions } from '../../src/core/speech/vad-options.ts';
import { placedPcm } from './placed-pcm.ts';

/** A frame of a made-up session; `pauseAfter`: the user pauses, after a short frame or not. */
export type SessionFrame = {
  readonly lengthSamples: number;
  readonly probability: number;
  readonly levelDbfs?: number;
  readonly pauseAfter?: boolean;
};

/** The result of a synthetic session. */
export type CutSession = {
  readonly chunks: readonly SpeechChunk[];
  readonly segments: readonly SampleRange[];
  readonly misfires: readonly SampleRange[];
  readonly cutter: ChunkCutter;
  /** The most speech that ever waited after a frame. */
  readonly mostAccumulatedSamples: number;
};

/**
 * Runs frames through the real gate and a cutter. Every sample tells its place, so that a lost,
 * doubled or misplaced one is seen.
 */
export function cutSession(
  frames: readonly SessionFrame[],
  vad: VadOptions,
  cut: { readonly maxChunkSamples: number; readonly searchSamples?: number },
): CutSession {
  const cutter = createChunkCutter({
    ...cut,
    preSpeechPadFrames: vad.preSpeechPadFrames,
    positiveSpeechThreshold: vad.positiveSpeechThreshold,
  });
  const chunks: SpeechChunk[] = [];
  const segments: SampleRange[] = [];
  const misfires: SampleRange[] = [];
  const gate = createSpeechGate(vad, (event) => {
    if (event.kind === 'segment-ended') segments.push(event.range);
    if (event.kind === 'misfire') misfires.push(event.range);
    chunks.push(...cutter.event(event));
  });

  let startSample = 0;
  let mostAccumulatedSamples = 0;
  for (const { lengthSamples, probability, levelDbfs = -30, pauseAfter } of frames) {
    const pcm = placedPcm(startSample, lengthSamples);
    chunks.push(...cutter.frame({ startSample, pcm, probability, levelDbfs }));
    gate.accept(startSample, lengthSamples, probability);
    if (pauseAfter) gate.endSegment();
    startSample += lengthSamples;
    mostAccumulatedSamples = Math.max(mostAccumulatedSamples, cutter.accumulatedSamples);
  }
  gate.endSegment();
  const last = cutter.flush();
  if (last) chunks.push(last);
  return { chunks, segments, misfires, cutter, mostAccumulatedSamples };
}

/** The same samples, in as few ranges as possible. */
export function mergeRanges(ranges: readonly SampleRange[]): readonly SampleRange[] {
  const merged: SampleRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last?.endSample === range.startSample) {
      merged[merged.length - 1] = { startSample: last.startSample, endSample: range.endSample };
    } else merged.push(range);
  }
  return merged;
}
