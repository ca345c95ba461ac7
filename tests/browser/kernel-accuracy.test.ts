import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { createSpeechGate, type SpeechGateEvent } from '../../src/core/speech/speech-gate.ts';
import { DEFAULT_VAD_OPTIONS, RECORDING_VAD_OPTIONS } from '../../src/core/speech/vad-options.ts';
import dictationOneUrl from '../fixtures/dictation-one.wav?url';
import dictationTwoUrl from '../fixtures/dictation-two.wav?url';
import speechUrl from '../fixtures/speech-en.wav?url';
import { isWebKit } from '../helpers/engine.ts';
import { fetchKernel } from '../helpers/fetch-kernel.ts';
import { type AudioPart, createHardAudio } from '../helpers/hard-audio.ts';
import { startKernelWorker } from '../helpers/kernel-worker.ts';
import { readWave } from '../helpers/read-wave.ts';

/** WebKitGTK 2.50 has no relaxed SIMD: there only the plain build is ever taken. */
const BUILDS = [
  { build: 'plain', isFused: false },
  ...(isWebKit ? [] : [{ build: 'fused', isFused: true }]),
];

/** The thresholds in use: flips there would change segments. */
const THRESHOLDS = [0.35, 0.5, 0.8];

let parts: AudioPart[] = [];
let audio = new Float32Array();

async function voiceOf(url: string, everySamples: number): Promise<Float32Array> {
  return readWave(await (await fetch(url)).arrayBuffer(), everySamples);
}

beforeAll(async () => {
  const voices = [voiceOf(speechUrl, 1), voiceOf(dictationOneUrl, 3), voiceOf(dictationTwoUrl, 3)];
  parts = createHardAudio(await Promise.all(voices));
  audio = new Float32Array(parts.reduce((sum, part) => sum + part.samples.length, 0));
  let at = 0;
  for (const { samples } of parts) {
    audio.set(samples, at);
    at += samples.length;
  }
  expect(audio.length).toBeGreaterThan(5 * 60 * SAMPLE_RATE_HZ);
});

/** Where two runs differ most. */
function largestDifference(given: readonly number[], wanted: readonly number[]) {
  expect(given).toHaveLength(wanted.length);
  let largest = { difference: 0, where: 'nowhere' };
  for (const [i, value] of given.entries()) {
    const difference = Math.abs(value - wanted[i]!);
    // Written so that NaN counts.
    if (difference <= largest.difference) continue;
    const sample = Math.floor((i * audio.length) / given.length);
    largest = { difference, where: `${partAt(sample)}, ${sample / SAMPLE_RATE_HZ} s` };
  }
  return largest;
}

function partAt(sample: number): string {
  let end = 0;
  for (const { name, samples } of parts) {
    end += samples.length;
    if (end > sample) return name;
  }
  return 'beyond the end';
}

/** Probabilities on different sides of a threshold, further apart from it than `slack`. */
function flips(given: readonly number[], wanted: readonly number[], slack: number): number {
  return given.filter((value, i) =>
    THRESHOLDS.some(
      (threshold) =>
        value >= threshold !== wanted[i]! >= threshold && Math.abs(wanted[i]! - threshold) > slack,
    ),
  ).length;
}

/** A frame's probability is the largest of its windows'. */
function framesOf(probabilities: readonly number[]): number[] {
  return Array.from({ length: probabilities.length / 3 }, (_, i) =>
    Math.max(...probabilities.slice(i * 3, (i + 1) * 3)),
  );
}

function segmentsOf(frames: readonly number[], options = DEFAULT_VAD_OPTIONS): SpeechGateEvent[] {
  const events: SpeechGateEvent[] = [];
  const gate = createSpeechGate(options, (event) => events.push(event));
  for (const [i, p] of frames.entries()) gate.accept(i * FRAME_SAMPLES, FRAME_SAMPLES, p);
  gate.endSegment();
  return events;
}

describe('the kernel, against onnxruntime, over minutes of hard audio', () => {
  const { bench, stop } = startKernelWorker();
  let wanted: number[] = [];
  beforeAll(async () => {
    await bench.loadRaw();
    wanted = await bench.inferRaw(audio);
  }, 60_000);
  afterAll(stop);

  test('the audio holds speech and none, and much in between', () => {
    expect(Math.max(...wanted)).toBeGreaterThan(0.99);
    expect(Math.min(...wanted)).toBeLessThan(0.01);
    const between = wanted.filter((p) => p > 0.2 && p < 0.9).length;
    expect(between / wanted.length).toBeGreaterThan(0.1);
    expect(segmentsOf(framesOf(wanted)).length).toBeGreaterThan(50);
  });

  test.each(BUILDS)('full weights, $build: 1e-4, and no flips', async ({ build, isFused }) => {
    const file = await fetchKernel({ bits: 32, isFused });
    expect(await bench.loadKernel(file)).toBeNull();
    const given = await bench.inferKernel(audio);
    const { difference, where } = largestDifference(given, wanted);
    expect(difference, where).toBeLessThan(1e-4);
    expect(flips(given, wanted, 1e-4)).toBe(0);
    console.info(build, 32, difference, where);
  });

  test.each(BUILDS)(
    'as shipped, $build: 5e-3, and the same segments',
    async ({ build, isFused }) => {
      const file = await fetchKernel({ bits: 16, isFused });
      expect(await bench.loadKernel(file)).toBeNull();
      const given = await bench.inferKernel(audio);
      const { difference, where } = largestDifference(given, wanted);
      expect(difference, where).toBeLessThan(5e-3);
      expect(flips(given, wanted, 5e-3)).toBe(0);
      for (const options of [DEFAULT_VAD_OPTIONS, RECORDING_VAD_OPTIONS]) {
        const ours = segmentsOf(framesOf(given), options);
        expect(ours).toEqual(segmentsOf(framesOf(wanted), options));
      }
      // Rounding must show somewhere, or this measured the full weights again.
      expect(difference).toBeGreaterThan(1e-4);
      console.info(build, difference, where);
    },
  );
});
