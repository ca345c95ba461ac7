import type { ConvWeights, LstmWeights, SileroWeights } from '../../tools/onnx/silero.ts';

/**
 * Silero in plain loops of doubles: what the kernel computes, without any of its short cuts. Slow,
 * and the place to look up what a step is.
 */
export type ReferenceModel = {
  /** 64 samples before, then 512. The probability of speech. */
  infer(samples: Float32Array): number;
  /** The activations of the last call, by name. */
  readonly seen: Map<string, Rows>;
};

/** `[channel][time]`. */
type Rows = number[][];

/** Silero v5 and v6. */
export function referenceModel(weights: SileroWeights): ReferenceModel {
  const seen = new Map<string, Rows>();
  const state = newState(128);
  return {
    seen,
    infer(samples) {
      const padded = [...samples];
      for (let i = 0; i < 64; i++) padded.push(samples[samples.length - 2 - i]!);
      const spectrum = magnitudes(padded, 128);
      seen.set('spectrum', spectrum);
      let x = spectrum;
      for (const [layer, stride] of [1, 2, 2, 1].entries()) {
        x = relu(convolve(x, weights.encoder[layer]!, { stride, padding: 1, taps: 3 }));
        seen.set(`encoder ${layer}`, x);
      }
      const hidden = lstmStep(
        weights.lstm,
        x.map((channel) => channel[0]!),
        state,
      );
      return outputLayer(weights.output, hidden);
    },
  };
}

type State = { hidden: number[]; cell: number[] };

function newState(size: number): State {
  return { hidden: new Array(size).fill(0), cell: new Array(size).fill(0) };
}

/** |DFT| of 256 samples under a periodic Hann window, every `hop` samples: 129 bins. */
function magnitudes(samples: readonly number[], hop: number): Rows {
  const rows: Rows = Array.from({ length: 129 }, () => []);
  for (let start = 0; start + 256 <= samples.length; start += hop) {
    const windowed = Array.from(
      { length: 256 },
      (_, i) => samples[start + i]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 256)),
    );
    for (const [bin, row] of rows.entries()) {
      let re = 0;
      let im = 0;
      for (const [i, value] of windowed.entries()) {
        const angle = (2 * Math.PI * ((bin * i) % 256)) / 256;
        re += value * Math.cos(angle);
        im -= value * Math.sin(angle);
      }
      row.push(Math.hypot(re, im));
    }
  }
  return rows;
}

type Convolution = { readonly stride: number; readonly padding: number; readonly taps: number };

function convolve(x: Rows, { weight, bias }: ConvWeights, how: Convolution): Rows {
  const { stride, padding, taps } = how;
  const steps = Math.floor((x[0]!.length + 2 * padding - taps) / stride) + 1;
  return Array.from(bias, (base, output) =>
    Array.from({ length: steps }, (_, t) => {
      let sum = base;
      for (const [input, row] of x.entries()) {
        for (let tap = 0; tap < taps; tap++) {
          const value = row[t * stride + tap - padding] ?? 0;
          sum += value * weight[(output * x.length + input) * taps + tap]!;
        }
      }
      return sum;
    }),
  );
}

function relu(x: Rows): Rows {
  return x.map((row) => row.map((value) => Math.max(0, value)));
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function lstmStep(weights: LstmWeights, input: readonly number[], state: State): number[] {
  const size = state.hidden.length;
  const gates = Array.from(weights.bias, (bias, row) => {
    let sum = bias;
    for (const [i, value] of input.entries()) sum += value * weights.input[row * input.length + i]!;
    for (const [i, value] of state.hidden.entries()) sum += value * weights.hidden[row * size + i]!;
    return sum;
  });
  state.cell = state.cell.map(
    (cell, i) =>
      sigmoid(gates[size + i]!) * cell + sigmoid(gates[i]!) * Math.tanh(gates[2 * size + i]!),
  );
  state.hidden = state.cell.map((cell, i) => sigmoid(gates[3 * size + i]!) * Math.tanh(cell));
  return state.hidden;
}

function outputLayer({ weight, bias }: ConvWeights, hidden: readonly number[]): number {
  return sigmoid(hidden.reduce((sum, h, i) => sum + Math.max(0, h) * weight[i]!, bias[0]!));
}
