import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FRAME_SAMPLES, samplesToMs } from '../../src/core/audio/audio-format.ts';
import {
  KERNEL_CHECKSUM_START,
  KERNEL_HEADER_WORDS,
  KERNEL_MAGIC,
  KERNEL_SECTION,
  kernelSectionBytes,
} from '../../src/core/speech/kernel-format.ts';
import type { BareEngine } from '../../src/core/speech/speech-engine.ts';
import { createSpeechGate } from '../../src/core/speech/speech-gate.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';
import { webAssembly } from '../core/system.ts';

/** The settings of turn detection, in OpenAI's words and units. */
export type TurnOptions = {
  /** The probability from which on a frame is speech, 0 to 1. */
  readonly threshold: number;
  /** Sound before the first speech that belongs to a turn, in ms. */
  readonly prefixPaddingMs: number;
  /** The quiet that ends a turn, in ms. */
  readonly silenceMs: number;
};

/** A finding about the sound that was taken in; positions are samples of 16 kHz since the start. */
export type TurnEvent =
  | { readonly kind: 'started'; readonly startSample: number }
  | { readonly kind: 'stopped'; readonly endSample: number };

/** As on the page: a frame between this and the threshold changes nothing. */
const BELOW_THRESHOLD = 0.15;

/** As the page records: what may be a word is heard, and a click has no text. */
const MIN_SPEECH_FRAMES = 1;

const framesOf = (ms: number) => Math.ceil(ms / samplesToMs(FRAME_SAMPLES));

/** A finder with our gate on our model; `kernel` is a file of the model. */
export function createTurnFinder(kernel: SpeechKernel, options: TurnOptions) {
  const { threshold, prefixPaddingMs, silenceMs } = options;
  const engine = createSteadyEngine(kernel.start());
  let events: TurnEvent[] = [];
  const gate = createSpeechGate(
    {
      positiveSpeechThreshold: threshold,
      negativeSpeechThreshold: Math.max(0, threshold - BELOW_THRESHOLD),
      redemptionFrames: Math.max(1, framesOf(silenceMs)),
      minSpeechFrames: MIN_SPEECH_FRAMES,
      preSpeechPadFrames: framesOf(prefixPaddingMs),
      frameSamples: FRAME_SAMPLES,
    },
    (event) => {
      if (event.kind === 'speech-started') {
        events.push({ kind: 'started', startSample: event.startSample });
      } else events.push({ kind: 'stopped', endSample: event.range.endSample });
    },
  );
  const frame = new Float32Array(FRAME_SAMPLES);
  let filled = 0;
  let frameStart = 0;

  return {
    /** Takes samples of 16 kHz, -1..1; gives what was found with them, in order. */
    accept(samples: Float32Array): readonly TurnEvent[] {
      events = [];
      for (let at = 0; at < samples.length; ) {
        const part = samples.subarray(at, at + FRAME_SAMPLES - filled);
        frame.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < FRAME_SAMPLES) break;
        const probability = engine.infer(frame);
        // The kernel answers at once.
        gate.accept(frameStart, FRAME_SAMPLES, typeof probability === 'number' ? probability : 1);
        frameStart += FRAME_SAMPLES;
        filled = 0;
      }
      return events;
    },
    dispose: () => void engine.dispose(),
  };
}

/** Half the length of the filter, in samples of 48 kHz: 1 ms. */
const HALF_TAPS = 48;

/** Just below the half of 16 kHz, as a part of 48 kHz. */
const CUTOFF = 7_400 / 48_000;

const TAPS = Float64Array.from({ length: 2 * HALF_TAPS + 1 }, (_, at) => {
  const x = at - HALF_TAPS;
  const sinc = x === 0 ? 2 * CUTOFF : Math.sin(2 * Math.PI * CUTOFF * x) / (Math.PI * x);
  const hann = 0.5 + 0.5 * Math.cos((Math.PI * x) / (HALF_TAPS + 1));
  // Every second sample of 48 kHz is a zero that was put in.
  return 2 * sinc * hann;
});

/**
 * Turns samples of 24 kHz into 16 kHz for the gate, which hears them a millisecond late: by way of
 * 48 kHz, of which every third is kept. The transcribed sound is unchanged.
 */
export function createHalver() {
  /** The newest samples that the next output reaches back to. */
  let kept = new Float32Array(HALF_TAPS);
  /** The place of the next output, in samples of 48 kHz since the beginning of `kept`. */
  let next = 2 * HALF_TAPS;
  return (samples: Float32Array): Float32Array => {
    const all = new Float32Array(kept.length + samples.length);
    all.set(kept);
    all.set(samples, kept.length);
    const made: number[] = [];
    for (; next >> 1 < all.length; next += 3) {
      let sum = 0;
      for (let back = next & 1; back <= 2 * HALF_TAPS; back += 2) {
        sum += (TAPS[back] ?? 0) * (all[(next - back) >> 1] ?? 0);
      }
      made.push(sum);
    }
    const drop = Math.max(0, Math.min(all.length, (next >> 1) - HALF_TAPS));
    kept = all.slice(drop);
    next -= 2 * drop;
    return Float32Array.from(made);
  };
}

/** The model's file, compiled; each start is a state of its own. */
export type SpeechKernel = { start(): BareEngine };

type Global = { readonly value: number };

/** The exports of kernel/assembly that are used. */
type KernelExports = Readonly<Record<'WIRE' | 'VECTORS' | 'FRAME', Global>> & {
  readonly memory: { readonly buffer: ArrayBuffer };
  checksum(sum: number, from: number, bytes: number): number;
  prepare(isPacked: boolean): void;
  reset(state: number): void;
  infer(state: number): number;
};

/** Compiles the kernel's file; throws when it is not what it should be. */
export function compileKernel(file: Uint8Array): SpeechKernel {
  const module = new webAssembly.Module(file);
  const [section] = webAssembly.Module.customSections(module, KERNEL_SECTION);
  if (section === undefined) throw new Error('the kernel holds no weights');
  const [magic, bits = 0, matrixCount = 0, vectorCount = 0, checksum = 0] = new Uint32Array(
    section,
  );
  const header = { bits, matrixCount, vectorCount, checksum };
  if (magic !== KERNEL_MAGIC || bits !== 16 || kernelSectionBytes(header) !== section.byteLength) {
    throw new Error("the kernel's weights are of another form");
  }
  const vectors = new Float32Array(section, KERNEL_HEADER_WORDS * 4, vectorCount);
  const matrices = new Uint8Array(section, vectors.byteOffset + vectors.byteLength);

  function start(): BareEngine {
    const kernel = new webAssembly.Instance(module).exports as KernelExports;
    const { memory, VECTORS, WIRE, FRAME } = kernel;
    new Float32Array(memory.buffer, VECTORS.value).set(vectors);
    new Uint8Array(memory.buffer, WIRE.value).set(matrices);
    const sum = kernel.checksum(KERNEL_CHECKSUM_START, VECTORS.value, vectors.byteLength);
    if (kernel.checksum(sum, WIRE.value, matrices.byteLength) >>> 0 !== checksum) {
      throw new Error("the kernel's weights are damaged");
    }
    kernel.prepare(true);
    const input = new Float32Array(memory.buffer, FRAME.value, FRAME_SAMPLES);
    const pass = (state: number): BareEngine => ({
      kind: 'kernel',
      infer(frame) {
        input.set(frame);
        return kernel.infer(state);
      },
      twin: () => pass(state + 1),
      reset: () => kernel.reset(state),
      dispose: () => undefined,
    });
    return pass(0);
  }
  return { start };
}

/** Beside the built server, and where the build leaves it for the page. */
const PLACES = ['./models/silero-v6.wasm', '../../workers/audio/built/silero-v6.wasm'];

/** The kernel that came with this server; null where there is none, and turns are not found. */
export function loadSpeechKernel(): SpeechKernel | null {
  for (const place of PLACES) {
    try {
      return compileKernel(readFileSync(fileURLToPath(new URL(place, import.meta.url))));
    } catch {
      // Not here.
    }
  }
  return null;
}
