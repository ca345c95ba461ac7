import { expose } from 'comlink';
import { assetAddresses } from '../../src/assets/addresses.ts';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createTested } from '../../workers/audio/choose-engine.ts';
import { createOrtEngine, loadOrtRuntime, ortFactory } from '../../workers/audio/ort-engine.ts';
import { selfTest } from '../../workers/audio/self-test.ts';
import { createHttpClient } from '../../workers/http/http-client.ts';
import { createRawSilero, type RawFault } from './raw-silero.ts';

/** A fault of the network for addresses with this ending; others are fetched. */
export type NetworkFault = {
  readonly ending: string;
  readonly kind: 'html' | 'truncated' | 'not-found';
};

let engine: SpeechEngine | null = null;
let networkFault: NetworkFault | null = null;

const http = createHttpClient({
  clock: browserClock,
  retryDelayMs: () => 0,
  async fetch(input, init) {
    const response = await fetch(input, init);
    const { url } = new Request(input);
    if (!networkFault || !new URL(url).pathname.endsWith(networkFault.ending)) return response;
    switch (networkFault.kind) {
      case 'html':
        return new Response('<!doctype html><title>App</title>', {
          headers: { 'content-type': 'text/html' },
        });
      case 'not-found':
        return new Response('', { status: 404 });
      case 'truncated':
        return new Response((await response.arrayBuffer()).slice(0, -1_000));
    }
  },
});

const { forWorker: assets } = assetAddresses();

async function modelFile(): Promise<ArrayBuffer> {
  const response = await fetch(assets.model);
  return response.arrayBuffer();
}

function loaded(): SpeechEngine {
  if (!engine) throw new Error('Load an engine first');
  return engine;
}

async function inferAll(engine: SpeechEngine, audio: Float32Array): Promise<number[]> {
  const given: number[] = [];
  for (let start = 0; start < audio.length; start += FRAME_SAMPLES) {
    given.push(await engine.infer(audio.subarray(start, start + FRAME_SAMPLES)));
  }
  return given;
}

async function outcomeOf(run: () => unknown): Promise<ErrorInfo | null> {
  try {
    await run();
    return null;
  } catch (error) {
    return toErrorInfo(error, 'worker-crashed');
  }
}

/** The worker side of the engine tests. Outcomes are null or the error. */
const api = {
  load(threads = 1): Promise<ErrorInfo | null> {
    return outcomeOf(async () => {
      engine = await createTested(ortFactory, { assets, threads, http });
    });
  },
  async threads(): Promise<number | undefined> {
    return (await loadOrtRuntime({ assets, http, threads: 1 })).env.wasm.numThreads;
  },
  setNetworkFault(fault: NetworkFault | null): void {
    networkFault = fault;
  },
  inferAll: (audio: Float32Array) => inferAll(loaded(), audio),
  inferFails: (frame: Float32Array) => outcomeOf(() => loaded().infer(frame)),
  reset: () => loaded().reset(),
  dispose: async () => loaded().dispose(),
  /** Starts a second frame, or resets, while the first is being inferred. */
  async overlap(frame: Float32Array, kind: 'infer' | 'reset') {
    const first = loaded().infer(frame);
    const second = kind === 'infer' ? await outcomeOf(() => loaded().infer(frame)) : null;
    if (kind === 'reset') loaded().reset();
    return { first: await first, second };
  },
  /** The same audio straight on onnxruntime. */
  async inferAllRaw(audio: Float32Array): Promise<number[]> {
    const ort = await loadOrtRuntime({ assets, http, threads: 1 });
    const raw = await createRawSilero(ort, await modelFile());
    return inferAll(raw, audio);
  },
  /** The self-test of an engine that is wrong in one way. */
  async selfTestOf(fault: RawFault, tolerance: number) {
    const ort = await loadOrtRuntime({ assets, http, threads: 1 });
    const raw = await createRawSilero(ort, await modelFile(), fault);
    return outcomeOf(() => selfTest(raw, tolerance));
  },
  /** The model file with its end cut off. */
  async openTruncated() {
    const ort = await loadOrtRuntime({ assets, http, threads: 1 });
    const file = await modelFile();
    return outcomeOf(() => createOrtEngine(ort, file.slice(0, -100_000)));
  },
};

export type VadWorkerApi = typeof api;

expose(api);
