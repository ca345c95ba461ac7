import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { samplesOf } from '../../src/core/audio/samples.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SpeechEngine, SpeechEngineKind } from '../../src/core/speech/speech-engine.ts';
import { createSpeechGate } from '../../src/core/speech/speech-gate.ts';
import type { VadOptions } from '../../src/core/speech/vad-options.ts';
import { createSteady, loadSpeechEngine } from '../../workers/audio/choose-engine.ts';
import type { EngineFactory } from '../../workers/audio/engine-factory.ts';
import { createKernelEngine } from '../../workers/audio/kernel-engine.ts';
import { createOrtEngine } from '../../workers/audio/ort-engine.ts';
import { createCapturePipeline } from '../../worklets/capture-pipeline.ts';
import { createFramePool, createFrameStream } from '../../worklets/frame-stream.ts';
import { createResampler, loadSpeex } from '../../worklets/resampler.ts';
import { buildKernel } from '../build-kernel.ts';
import { readVerifiedModel } from '../model-assets.ts';
import { type WaveAudio, WaveError } from './read-wave.ts';

/** A frame at 16 kHz, as the worklet sends it; the last one may be shorter. */
export type AudioFrame = { readonly startSample: number; readonly samples: Float32Array };

/** One render quantum of Web Audio: what the worklet gets at a time. */
const BLOCK_FRAMES = 128;

/** The rates that are read; the resampler would take more. */
const RATE_RANGE_HZ = { min: 4_000, max: 384_000 } as const;

/**
 * Sends audio through the very pipeline of the capture worklet: down-mix, resampling, cutting.
 * Throws a WaveError for a rate no recording has.
 */
export async function cutFrames({ rateHz, channels }: WaveAudio): Promise<readonly AudioFrame[]> {
  if (rateHz < RATE_RANGE_HZ.min || rateHz > RATE_RANGE_HZ.max) {
    throw new WaveError(
      `its rate is ${rateHz} Hz, not ${RATE_RANGE_HZ.min} to ${RATE_RANGE_HZ.max}`,
    );
  }
  const frames: AudioFrame[] = [];
  const stream = createFrameStream(createFramePool());
  stream.sendFrom(0, (message) => {
    if (message.kind === 'frame') {
      frames.push({ startSample: message.startSample, samples: samplesOf([message.pcm]) });
    }
  });
  const resampler = createResampler(await loadSpeex(resamplerModule()), rateHz);
  const pipeline = createCapturePipeline({ resampler, stream });
  const length = channels[0]?.length ?? 0;
  for (let at = 0; at < length; at += BLOCK_FRAMES) {
    const block = channels.map((channel) => channel.subarray(at, at + BLOCK_FRAMES));
    pipeline.push(block, at);
  }
  pipeline.end();
  return frames;
}

/** Where the frames end: the length of the audio at 16 kHz. */
export function endOf(frames: readonly AudioFrame[]): number {
  const last = frames.at(-1);
  return last ? last.startSample + last.samples.length : 0;
}

/** The frame filled up with silence to what the models take. */
function wholeFrame({ samples }: AudioFrame): Float32Array {
  if (samples.length === FRAME_SAMPLES) return samples;
  const whole = new Float32Array(FRAME_SAMPLES);
  whole.set(samples);
  return whole;
}

function resamplerModule(): WebAssembly.Module {
  const glue = createRequire(import.meta.url).resolve('@echogarden/speex-resampler-wasm/simd');
  return new WebAssembly.Module(readFileSync(join(dirname(glue), 'speex-resampler-simd.wasm')));
}

/** The kernel, built from its source where it has not been. */
const kernel: EngineFactory = {
  kind: 'kernel',
  selfTestTolerance: 1e-2,
  async create() {
    return createKernelEngine(await WebAssembly.compile(owned(await buildKernel())));
  },
};

/** Silero's own file on onnxruntime-web's WASM, straight from the packages. */
const ort: EngineFactory = {
  kind: 'ort',
  selfTestTolerance: 1e-3,
  async create({ threads }) {
    const runtime = await import('onnxruntime-web/wasm');
    const wasm = createRequire(import.meta.url).resolve(
      'onnxruntime-web/ort-wasm-simd-threaded.wasm',
    );
    runtime.env.wasm.wasmBinary = owned(readFileSync(wasm)).buffer;
    runtime.env.wasm.numThreads = threads;
    return createOrtEngine(runtime, owned(readVerifiedModel()).buffer);
  },
};

/**
 * Loads an engine in Node as the worker does in a browser: same maths, same self-test, and with
 * `auto` the same fallback. The kernel asked for by name is the kernel or an error.
 */
export function loadNodeEngine(
  kind: SpeechEngineKind | 'auto',
  log: Logger,
): Promise<SpeechEngine> {
  const http = { get: () => Promise.reject(new Error('Nothing is fetched here')) };
  const assets = {
    reader: '',
    opus: '',
    kernel: { plain: '', fused: '' },
    model: '',
    ort: null,
  };
  const request = { assets, threads: 1, http };
  if (kind === 'kernel') return createSteady(kernel, request);
  return loadSpeechEngine({ kind, ...request }, { ...request, log, kernel, ort });
}

/** A copy in memory of its own: Node's buffers may be part of a larger one. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}

/**
 * A stretch of speech, in samples at 16 kHz and in seconds; the end is the first sample after it.
 */
type SpeechSegment = {
  readonly startSample: number;
  readonly endSample: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
};

/** The detector's result for one file. */
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
