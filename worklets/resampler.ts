import createSpeex, { type SpeexGlue } from '@echogarden/speex-resampler-wasm/simd';
import { SAMPLE_RATE_HZ } from '../src/core/audio/audio-format.ts';

/**
 * Turns mono audio at one rate into 16 kHz, in pieces of any size. The pieces put together are the
 * same, bit for bit, however the input was cut. Nothing is allocated after creation.
 *
 * Output is aligned with the input in time: sample `n` is the sound at `n / 16000` s since the
 * start or the last flush. It comes out late, by half the filter: the rest comes with `flush`.
 */
export type Resampler = {
  /** The caller writes input here, from the beginning; its length is the most one call takes. */
  readonly input: Float32Array;
  /** Where a call leaves its result. */
  readonly output: Float32Array;
  /** Takes the first `frames` of `input`; answers how many samples of `output` are new. */
  process(frames: number): number;
  /**
   * Gives out what is still inside, and starts anew: what follows is not joined to what was. The
   * samples given out since creation are then exactly `round(inputFrames * 16000 / rate)`.
   */
  flush(): number;
  /** Frames taken since creation, at the input's rate. */
  readonly inputFrames: number;
  /** Samples given out since creation, at 16 kHz. */
  readonly outputSamples: number;
  /** Samples there will be after a flush: `round(inputFrames * 16000 / rate)`. */
  readonly dueSamples: number;
};

/**
 * The filter's quality, 0 to 10 (SpeexDSP). Measured at 5, from 44.1 to 96 kHz: flat to 4 kHz,
 * -0.23 dB at 7 kHz, tones from 8.5 kHz up more than 110 dB down, 2.5 ms delay. 7 costs 1.6 times
 * as much and gains those 0.23 dB.
 */
const QUALITY = 5;

/** Input frames in one call: a power of two above any render quantum in use. */
const INPUT_CAPACITY_FRAMES = 4_096;

/** The rates Web Audio allows at the lowest and any browser at the highest. */
const RATE_RANGE_HZ = { min: 3_000, max: 768_000 } as const;

const BYTES_PER_FLOAT = 4;

/** Throws a RangeError for a rate that is not a whole number of Hz between 3,000 and 768,000. */
export function createResampler(speex: SpeexGlue, rateHz: number): Resampler {
  if (!Number.isInteger(rateHz) || rateHz < RATE_RANGE_HZ.min || rateHz > RATE_RANGE_HZ.max) {
    throw new RangeError(`Cannot resample from ${rateHz} Hz: want a whole number, 3000 to 768000`);
  }
  return rateHz === SAMPLE_RATE_HZ ? createBypass() : createSpeexResampler(speex, rateHz);
}

/** For a context that runs at 16 kHz already. */
function createBypass(): Resampler {
  const memory = new Float32Array(INPUT_CAPACITY_FRAMES);
  let count = 0;
  return {
    input: memory,
    output: memory,
    process(frames) {
      count += frames;
      return frames;
    },
    flush: () => 0,
    get inputFrames() {
      return count;
    },
    get outputSamples() {
      return count;
    },
    get dueSamples() {
      return count;
    },
  };
}

function createSpeexResampler(speex: SpeexGlue, rateHz: number): Resampler {
  const outputCapacity = Math.ceil((INPUT_CAPACITY_FRAMES * SAMPLE_RATE_HZ) / rateHz) + 2;
  // Everything is allocated before the views are made: growing memory would detach them.
  const lengths = speex._malloc(2 * Uint32Array.BYTES_PER_ELEMENT);
  const inputAt = speex._malloc(INPUT_CAPACITY_FRAMES * BYTES_PER_FLOAT);
  const outputAt = speex._malloc(outputCapacity * BYTES_PER_FLOAT);
  const state = speex._speex_resampler_init(1, rateHz, SAMPLE_RATE_HZ, QUALITY, lengths);
  const inputLengthAt = lengths;
  const outputLengthAt = lengths + Uint32Array.BYTES_PER_ELEMENT;
  const memory = speex.HEAPU32.buffer;
  const length = new Uint32Array(memory, lengths, 2);
  const input = new Float32Array(memory, inputAt, INPUT_CAPACITY_FRAMES);
  const output = new Float32Array(memory, outputAt, outputCapacity);
  if (state === 0) throw new Error(`Speex could not be set up for ${rateHz} Hz: ${length[0]}`);

  let inputFrames = 0;
  let outputSamples = 0;

  /** Runs Speex until it has taken all input or given `most` samples; answers how many it gave. */
  function run(frames: number, most: number): number {
    let taken = 0;
    let given = 0;
    while (taken < frames && given < most) {
      length[0] = frames - taken;
      length[1] = most - given;
      const failure = speex._speex_resampler_process_float(
        state,
        0,
        inputAt + taken * BYTES_PER_FLOAT,
        inputLengthAt,
        outputAt + given * BYTES_PER_FLOAT,
        outputLengthAt,
      );
      const took = length[0] ?? 0;
      const gave = length[1] ?? 0;
      if (failure !== 0) throw new Error(`Speex failed with code ${failure}`);
      if (took === 0 && gave === 0) throw new Error('Speex stands still');
      taken += took;
      given += gave;
    }
    return given;
  }

  /** The filter's first outputs would be the silence before the start: begin at its middle. */
  function startAnew(): void {
    speex._speex_resampler_reset_mem(state);
    speex._speex_resampler_skip_zeros(state);
  }

  const dueSamples = () => Math.round((inputFrames * SAMPLE_RATE_HZ) / rateHz);

  startAnew();
  return {
    input,
    output,
    process(frames) {
      const given = run(frames, outputCapacity);
      if (given === outputCapacity) throw new Error('Speex gave more than its input can make');
      inputFrames += frames;
      outputSamples += given;
      return given;
    },
    flush() {
      input.fill(0);
      const given = run(INPUT_CAPACITY_FRAMES, dueSamples() - outputSamples);
      outputSamples += given;
      startAnew();
      return given;
    },
    get inputFrames() {
      return inputFrames;
    },
    get outputSamples() {
      return outputSamples;
    },
    get dueSamples() {
      return dueSamples();
    },
  };
}

/**
 * Starts the compiled resampler without fetching anything, which an AudioWorklet cannot. Rejects if
 * the module is not the resampler.
 */
export function loadSpeex(module: WebAssembly.Module): Promise<SpeexGlue> {
  return new Promise((resolve, reject) => {
    createSpeex({
      instantiateWasm(imports, receive) {
        try {
          const instance = new WebAssembly.Instance(module, imports);
          receive(instance);
          return instance.exports;
        } catch (error) {
          // Thrown on, it would send the glue off to fetch the file itself: here it just waits.
          reject(error);
          return {};
        }
      },
    }).then(resolve, reject);
  });
}
