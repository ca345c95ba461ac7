import { expose } from 'comlink';
import { assetAddresses } from '../../src/assets/addresses.ts';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import {
  createKernelEngine,
  type KernelEngine,
  kernelFactory,
} from '../../workers/audio/kernel-engine.ts';
import { loadOrtRuntime } from '../../workers/audio/ort-engine.ts';
import { selfTest } from '../../workers/audio/self-test.ts';
import { createHttpClient, type HttpClient } from '../../workers/http/http-client.ts';
import { createRawWindows, type RawWindows } from './raw-windows.ts';

/** A fault of the network in a kernel's file: cut off, a bit changed, another file. */
export type FileFault = 'truncated' | 'flipped' | 'html' | 'missing';

const edges = { clock: browserClock, retryDelayMs: () => 0 };
const http = createHttpClient({ ...edges, fetch: fetch.bind(self) });

/** A client whose network spoils each file, or the first one only. */
function spoiling(fault: FileFault, isOnce: boolean): HttpClient {
  let spoilt = 0;
  return createHttpClient({
    ...edges,
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (isOnce && spoilt > 0) return response;
      spoilt++;
      return spoil(fault, new Uint8Array(await response.arrayBuffer()));
    },
  });
}

function spoil(fault: FileFault, bytes: Uint8Array<ArrayBuffer>): Response {
  switch (fault) {
    case 'html':
      return new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
    case 'missing':
      return new Response('', { status: 404 });
    case 'truncated':
      return new Response(bytes.slice(0, -1_000));
    case 'flipped':
      bytes.set([bytes.at(-1_000)! ^ 4], bytes.length - 1_000);
      return new Response(bytes);
  }
}

const { forWorker: assets } = assetAddresses();
let kernel: KernelEngine | null = null;
let raw: RawWindows | null = null;

function infer(frame: Float32Array): readonly number[] {
  kernel!.infer(frame);
  return kernel!.probabilities();
}

function* framesOf(audio: Float32Array): Generator<Float32Array> {
  for (let start = 0; start < audio.length; start += FRAME_SAMPLES) {
    yield audio.subarray(start, start + FRAME_SAMPLES);
  }
}

/** The worker side of the kernel's tests: a kernel, and onnxruntime on the same model. */
const api = {
  /** Starts a kernel of this file; null or the error. */
  async loadKernel(file: ArrayBuffer): Promise<ErrorInfo | null> {
    try {
      kernel = createKernelEngine(await WebAssembly.compile(file));
      return null;
    } catch (error) {
      return toErrorInfo(error, 'worker-crashed');
    }
  },
  /** As the application does it: fetched, checked, self-tested; null or the error. */
  async loadThroughFactory(fault: FileFault | null = null, isOnce = false) {
    const request = { assets, threads: 1 };
    const client = fault ? spoiling(fault, isOnce) : http;
    try {
      const engine = await kernelFactory.create({ ...request, http: client });
      await selfTest(engine, kernelFactory.selfTestTolerance);
      return null;
    } catch (error) {
      return toErrorInfo(error, 'worker-crashed');
    }
  },
  async loadRaw(): Promise<void> {
    const file = await (await fetch(assets.model)).arrayBuffer();
    raw = await createRawWindows(await loadOrtRuntime({ assets, http, threads: 1 }), file);
  },
  /** Every probability, three a frame, of the audio, whole frames. */
  inferKernel: (audio: Float32Array) => [...framesOf(audio)].flatMap((frame) => [...infer(frame)]),
  /** The raw answers of `infer`. */
  inferFrames: (audio: Float32Array) => [...framesOf(audio)].map((frame) => kernel!.infer(frame)),
  async inferRaw(audio: Float32Array): Promise<number[]> {
    const given: number[] = [];
    for (const frame of framesOf(audio)) given.push(...(await raw!.infer(frame)));
    return given;
  },
  reset(): void {
    kernel?.reset();
    raw?.reset();
  },
  dispose: () => kernel?.dispose(),
  inferFails(frame: Float32Array): ErrorInfo | null {
    try {
      kernel!.infer(frame);
      return null;
    } catch (error) {
      return toErrorInfo(error, 'worker-crashed');
    }
  },
};

export type KernelWorkerApi = typeof api;

expose(api);
