import type { InferenceSession } from 'onnxruntime-web/wasm';
import {
  CONTEXT_SAMPLES,
  FRAME_SAMPLES,
  WINDOW_SAMPLES,
} from '../../src/core/audio/audio-format.ts';
import type { OrtAddresses } from '../../src/core/contracts/asset-addresses.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { MODEL_FILE } from '../../src/core/speech/model-files.ts';
import type { BareEngine, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { fetchAsset, fetchVerified } from '../http/fetch-asset.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { EngineFactory, EngineRequest } from './engine-factory.ts';

/** The recurrent state: two layers of `[1, 128]`. */
const STATE_SHAPE: readonly number[] = [2, 1, 128];
const STATE_LENGTH = 256;

/**
 * Silero v6.2 on onnxruntime: three windows of 512 samples a frame, each with the 64 samples before
 * it in front, and the largest of the three probabilities. Without those 64 samples the model says
 * nothing of use, and nothing tells.
 *
 * Holds it to one frame at a time, since a second one on its way would infer with a state that is
 * already spent; a `reset` in mid-frame takes place after it. When a frame fails the state is
 * cleared. Every failure is an `engine-failed`, also of a file that onnxruntime can't make sense of.
 */
export async function createOrtEngine(
  ort: OrtRuntime,
  modelFile: ArrayBuffer,
): Promise<BareEngine> {
  const session = await openSession(ort, modelFile);
  let released: Promise<void> | null = null;
  const release = () => {
    released ??= session.release();
    return released;
  };
  const newPass = () => createPass(startState(ort, session), release);
  return { ...newPass(), twin: newPass };
}

async function openSession(ort: OrtRuntime, modelFile: ArrayBuffer): Promise<InferenceSession> {
  try {
    return await ort.InferenceSession.create(modelFile, {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'all',
      // Errors only: it warns of leftovers in Silero's graph that do no harm.
      logSeverityLevel: 3,
    });
  } catch (error) {
    throw new DikteraError('engine-failed', 'onnxruntime could not open the model', {
      cause: error,
    });
  }
}

/** A state of the model, which has heard nothing yet. */
function startState(ort: OrtRuntime, session: InferenceSession) {
  // The last samples of the frame before, then the frame: each window's input is a view of it.
  const audio = new Float32Array(CONTEXT_SAMPLES + FRAME_SAMPLES);
  const frameAudio = audio.subarray(CONTEXT_SAMPLES);
  const state = new Float32Array(STATE_LENGTH);
  const fixedFeeds = {
    state: new ort.Tensor('float32', state, STATE_SHAPE),
    sr: new ort.Tensor('int64', [16_000n], []),
  };
  const windows: ReturnType<typeof createWindow>[] = [];
  for (let start = 0; start < FRAME_SAMPLES; start += WINDOW_SAMPLES) {
    windows.push(createWindow(start));
  }

  function createWindow(start: number) {
    const samples = audio.subarray(start, start + CONTEXT_SAMPLES + WINDOW_SAMPLES);
    return { ...fixedFeeds, input: new ort.Tensor('float32', samples, [1, samples.length]) };
  }

  return {
    /** Infers a frame and carries the state on. */
    async infer(frame: Float32Array): Promise<number> {
      copyClean(frame, frameAudio);
      let largest = 0;
      for (const feeds of windows) {
        const outputs = await session.run(feeds);
        state.set(floatsOf(outputs, 'stateN', STATE_LENGTH));
        const [probability = Number.NaN] = floatsOf(outputs, 'output', 1);
        largest = Math.max(largest, probability);
      }
      audio.copyWithin(0, FRAME_SAMPLES);
      return largest;
    },
    forget(): void {
      audio.fill(0);
      state.fill(0);
    },
  };
}

function createPass(
  { infer, forget }: ReturnType<typeof startState>,
  dispose: () => Promise<void>,
): SpeechEngine {
  let isInferring = false;
  let isForgetDue = false;

  return {
    kind: 'ort',
    async infer(frame) {
      if (isInferring) {
        throw new DikteraError('engine-failed', 'The frame before is still being inferred');
      }
      isInferring = true;
      try {
        return checkProbability(await infer(frame));
      } catch (error) {
        isForgetDue = true;
        if (error instanceof DikteraError) throw error;
        throw new DikteraError('engine-failed', 'onnxruntime failed on Silero', { cause: error });
      } finally {
        isInferring = false;
        if (isForgetDue) forget();
        isForgetDue = false;
      }
    },
    reset() {
      if (isInferring) isForgetDue = true;
      else forget();
    },
    dispose,
  };
}

/** An output of a run as floats; throws when the model has no such output of that length. */
function floatsOf(
  outputs: InferenceSession.ReturnType,
  name: string,
  length: number,
): Float32Array {
  const data = outputs[name]?.data;
  if (data instanceof Float32Array && data.length === length) return data;
  throw new DikteraError('engine-failed', `The model gave no ${name} of ${length} numbers`);
}

function checkProbability(probability: number): number {
  if (probability >= 0 && probability <= 1) return probability;
  throw new DikteraError('engine-failed', `The model gave ${probability} for a probability`);
}

/** Audio lies in -1..1; sixty decibels above that is no audio, and could overflow in the model. */
const LARGEST_SAMPLE = 1_000;

/**
 * Copies a frame for a model's input. NaN, infinite and absurd samples become silence, since a
 * recurrent model that has once computed with NaN never gives anything else. A short frame is
 * filled up with silence; one that is too long throws `engine-failed`.
 */
export function copyClean(frame: Float32Array, into: Float32Array): void {
  if (frame.length > into.length) {
    const message = `A frame holds at most ${into.length} samples, not ${frame.length}`;
    throw new DikteraError('engine-failed', message);
  }
  for (let i = 0; i < frame.length; i++) {
    const sample = frame[i] ?? 0;
    into[i] = Math.abs(sample) <= LARGEST_SAMPLE ? sample : 0;
  }
  into.fill(0, frame.length);
}

/** Silero's own file on onnxruntime-web: heavy to load, and runs wherever WASM does. */
export const ortFactory: EngineFactory = {
  kind: 'ort',
  selfTestTolerance: 1e-3,
  async create(request) {
    const { assets, http } = request;
    const [ort, modelFile] = await Promise.all([
      loadOrtRuntime(request),
      fetchVerified(http, { address: assets.model, ...MODEL_FILE }),
    ]);
    return createOrtEngine(ort, modelFile);
  },
};

/** The onnxruntime-web module, set up and ready to make sessions. */
export type OrtRuntime = typeof import('onnxruntime-web/wasm');

/** The runtime is 14 MB; anything far beyond is not it. */
const MAX_WASM_BYTES = 64 * 2 ** 20;

/** The first bytes of every WebAssembly file: `\0asm`. */
const WASM_MAGIC: readonly number[] = [0x00, 0x61, 0x73, 0x6d];

const HOW_TO_HAVE_IT =
  'npm install onnxruntime-web@1.30.0, serve its folder dist, and name that folder in the ' +
  'option ortBaseUrl';

let loading: Promise<OrtRuntime> | null = null;

type OrtRequest = Pick<EngineRequest, 'assets' | 'http' | 'threads'>;

/**
 * Loads onnxruntime-web, once for the worker: the first call decides how many threads there are.
 * Script and WASM are files of their own, fetched here and not before. After a failure the next
 * call tries again.
 *
 * Throws `engine-missing` where nobody has said where it is, `asset-unreachable` or `asset-wrong`.
 */
export function loadOrtRuntime(request: OrtRequest): Promise<OrtRuntime> {
  loading ??= load(request).catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load({ assets, http, threads }: OrtRequest): Promise<OrtRuntime> {
  const { ort: place } = assets;
  if (place === null) {
    throw new DikteraError('engine-missing', `onnxruntime-web is not there: ${HOW_TO_HAVE_IT}`);
  }
  // Onnxruntime would fetch the WASM by itself, but one failure would bar it from ever trying
  // again, and what went wrong would not be told.
  const [ort, wasmBinary] = await Promise.all([importOrt(place), fetchWasm(place, http)]);
  ort.env.wasm.wasmBinary = wasmBinary;
  ort.env.wasm.numThreads = clampThreads(threads, {
    cores: navigator.hardwareConcurrency,
    isIsolated: globalThis.crossOriginIsolated,
  });
  return ort;
}

async function importOrt({ script }: OrtAddresses): Promise<OrtRuntime> {
  try {
    return (await import(/* @vite-ignore */ script)) as OrtRuntime;
  } catch (error) {
    throw unreachable(`The script of onnxruntime-web could not be loaded: ${script}`, error);
  }
}

async function fetchWasm({ wasm }: OrtAddresses, http: HttpClient): Promise<ArrayBuffer> {
  try {
    return await fetchAsset(http, {
      address: wasm,
      maxBytes: MAX_WASM_BYTES,
      findFault: (bytes) => (isWasm(bytes) ? null : 'it is not WebAssembly'),
    });
  } catch (error) {
    if (!(error instanceof DikteraError) || error.code !== 'asset-unreachable') throw error;
    throw unreachable(error.message, error);
  }
}

/** A browser does not always say if a file is missing or the network is. */
function unreachable(what: string, cause: unknown): DikteraError {
  const message = `${what}. If it is not there: ${HOW_TO_HAVE_IT}`;
  return new DikteraError('asset-unreachable', message, { cause });
}

function isWasm(bytes: ArrayBuffer): boolean {
  const start = new Uint8Array(bytes, 0, Math.min(WASM_MAGIC.length, bytes.byteLength));
  return WASM_MAGIC.every((byte, i) => start[i] === byte);
}

/** The most threads that onnxruntime may use. */
const MAX_THREADS = 4;

/** The means for threads here. */
type ThreadRoom = {
  /** Logical processors, as `navigator.hardwareConcurrency` says. */
  readonly cores: number;
  /** Threads need shared memory, which browsers give to cross-origin isolated pages only. */
  readonly isIsolated: boolean;
};

/** The number of the wanted threads that can be had: 1 to 4, and no more than there are cores. */
export function clampThreads(wanted: number, { cores, isIsolated }: ThreadRoom): number {
  if (!isIsolated) return 1;
  const most = Math.min(MAX_THREADS, atLeastOne(cores));
  return Math.min(most, atLeastOne(wanted));
}

function atLeastOne(count: number): number {
  return count >= 1 ? Math.floor(count) : 1;
}
