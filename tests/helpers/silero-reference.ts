import type { ConvWeights } from '../../tools/onnx/graph-checks.ts';
import type { LstmWeights } from '../../tools/onnx/lstm-weights.ts';
import type { SileroV4Weights } from '../../tools/onnx/silero-v4.ts';
import type { SileroV6Weights } from '../../tools/onnx/silero-v6.ts';

/**
 * Silero in plain loops of doubles: what the kernel computes, without any of its short cuts. Slow,
 * and the place to look up what a step is.
 */
export type ReferenceModel = {
  /** v6: 64 samples before, then 512; v4: 1536. The probability of speech. */
  infer(samples: Float32Array): number;
  /** The activations of the last call, by name. */
  readonly seen: Map<string, Rows>;
};

/** `[channel][time]`. */
type Rows = number[][];

/** Silero v5 and v6. */
export function referenceV6(weights: SileroV6Weights): ReferenceModel {
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

/** Silero v4. */
export function referenceV4(weights: SileroV4Weights): ReferenceModel {
  const seen = new Map<string, Rows>();
  const states = [newState(64), newState(64)];
  return {
    seen,
    infer(samples) {
      const last = samples.length - 1;
      const padded = Array.from({ length: samples.length + 192 }, (_, i) => {
        const at = Math.abs(i - 96);
        return samples[at > last ? 2 * last - at : at]!;
      });
      const spectrum = magnitudes(padded, 64);
      const logs = spectrum.map((bin) => bin.map((m) => Math.log(1 + 2 ** 20 * m)));
      const mean = meanOfMeans(logs, weights.smoothing);
      let x = [...spectrum, ...logs.map((bin) => bin.map((value) => value - mean))];
      seen.set('features', x);
      for (const [index, block] of weights.blocks.entries()) {
        const local = relu(depthwise(x, block.depthwise));
        const widened = convolve(local, block.pointwise, { stride: 1, padding: 0, taps: 1 });
        const kept = block.project
          ? convolve(x, block.project, { stride: 1, padding: 0, taps: 1 })
          : x;
        const sum = relu(widened.map((row, c) => row.map((value, t) => value + kept[c]![t]!)));
        const stride = index === 3 ? 1 : 2;
        x = relu(convolve(sum, block.after, { stride, padding: 0, taps: 1 }));
        seen.set(`block ${index}`, x);
      }
      const steps = x[0]!.length;
      let total = 0;
      for (let t = 0; t < steps; t++) {
        let hidden = x.map((channel) => channel[t]!);
        for (const [layer, lstm] of weights.lstms.entries()) {
          hidden = lstmStep(lstm, hidden, states[layer]!);
        }
        total += outputLayer(weights.output, hidden);
      }
      return total / steps;
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

/** The mean over bins, smoothed over time (mirrored at the ends), and averaged. */
function meanOfMeans(logs: Rows, smoothing: Float32Array): number {
  const steps = logs[0]!.length;
  const means = Array.from(
    { length: steps },
    (_, t) => logs.reduce((sum, bin) => sum + bin[t]!, 0) / logs.length,
  );
  let total = 0;
  for (let t = 0; t < steps; t++) {
    for (let tap = 0; tap < 7; tap++) {
      const at = Math.abs(t + tap - 3);
      total += smoothing[tap]! * means[at >= steps ? 2 * steps - 2 - at : at]!;
    }
  }
  return total / steps;
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

/** Five taps, each channel for itself. */
function depthwise(x: Rows, { weight, bias }: ConvWeights): Rows {
  return x.map((row, channel) =>
    row.map((_, t) => {
      let sum = bias[channel]!;
      for (let tap = 0; tap < 5; tap++) sum += (row[t + tap - 2] ?? 0) * weight[channel * 5 + tap]!;
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
