/** An LSTM's numbers; the rows are its gates in the order input, forget, cell, output. */
export type LstmWeights = {
  /** `[4 * hidden][inputs]`. */
  readonly input: Float32Array;
  /** `[4 * hidden][hidden]`. */
  readonly hidden: Float32Array;
  /** `[4 * hidden]`: the graph's two biases, which only ever act as their sum. */
  readonly bias: Float32Array;
};

/**
 * From ONNX's order of the gates (input, output, forget, cell:
 * https://onnx.ai/onnx/operators/onnx__LSTM.html) to ours.
 */
export function gatesReordered(weights: LstmWeights): LstmWeights {
  const sorted = (rows: Float32Array): Float32Array => {
    const size = rows.length / 4;
    const gate = (index: number): Float32Array => rows.subarray(index * size, (index + 1) * size);
    const ours = new Float32Array(rows.length);
    ours.set(gate(0), 0);
    ours.set(gate(2), size);
    ours.set(gate(3), 2 * size);
    ours.set(gate(1), 3 * size);
    return ours;
  };
  return {
    input: sorted(weights.input),
    hidden: sorted(weights.hidden),
    bias: sorted(weights.bias),
  };
}
