import type { SileroWeights } from '../onnx/silero.ts';
import { beside, blocks, matrixOf, recurrentBlocks, tapOf, widened } from './blocks.ts';
import type { KernelWeights } from './kernel-weights.ts';

/**
 * Silero v5's or v6's weights in the order of kernel/assembly/silero.ts. Taps that only ever
 * meet the zeros beyond the ends of the time axis are left out.
 */
export function layoutOf(weights: SileroWeights): KernelWeights {
  const [first, second, third, fourth] = weights.encoder;
  const shape1 = { outputs: 128, inputs: 129, taps: 3 };
  const shape2 = { outputs: 64, inputs: 128, taps: 3 };
  const shape3 = { outputs: 64, inputs: 64, taps: 3 };
  const shape4 = { outputs: 128, inputs: 64, taps: 3 };
  return {
    matrices: [
      ...[0, 1, 2].map((tap) => blocks(widened(tapOf(first.weight, shape1, tap), 130), 8)),
      blocks(beside(...[0, 1, 2].map((tap) => tapOf(second.weight, shape2, tap))), 32),
      blocks(beside(...[1, 2].map((tap) => tapOf(third.weight, shape3, tap))), 32),
      blocks(tapOf(fourth.weight, shape4, 1), 32),
      blocks(matrixOf(weights.lstm.input, 512, 128), 32),
      recurrentBlocks(matrixOf(weights.lstm.hidden, 512, 128), 32),
    ],
    vectors: [
      first.bias,
      second.bias,
      third.bias,
      fourth.bias,
      weights.lstm.bias,
      weights.output.weight,
      Float32Array.of(weights.output.bias[0] ?? Number.NaN, 0, 0, 0),
    ],
  };
}
