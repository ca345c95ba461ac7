import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MODEL_FILES } from '../../src/core/speech/model-files.ts';
import { readVerifiedModel } from '../../tools/model-assets.ts';
import { floatsOf, type OnnxGraph, type OnnxTensor, readModel } from '../../tools/onnx/model.ts';
import { extractSileroV4 } from '../../tools/onnx/silero-v4.ts';
import { extractSileroV6 } from '../../tools/onnx/silero-v6.ts';

const V6 = readVerifiedModel(MODEL_FILES.v6);
const V4 = readVerifiedModel(MODEL_FILES.v4);
const V5 = readFileSync('node_modules/@ricky0123/vad-web/dist/silero_vad_v5.onnx');

/** A constant wherever it stands, by the end of its name. */
function findConstant(graph: OnnxGraph, ending: string): OnnxTensor | undefined {
  for (const [name, tensor] of graph.constants) if (name.endsWith(ending)) return tensor;
  for (const node of graph.nodes) {
    for (const { graph: inner } of node.attributes.values()) {
      const found = inner && node.op === 'If' ? findConstant(inner, ending) : undefined;
      if (found) return found;
    }
  }
  return undefined;
}

/**
 * The model with one text in place of another of the same length, the last time it stands there: in
 * the 16 kHz branch, which comes last. A node's kind stands behind the bytes of its field (a
 * quotation mark) and of its length.
 */
function altered(file: Buffer, from: string, to: string): Buffer {
  const copy = Buffer.from(file);
  const at = copy.lastIndexOf(from);
  expect(at).toBeGreaterThan(0);
  expect(to).toHaveLength(from.length);
  copy.write(to, at);
  return copy;
}

describe('the weights of v6 and v5', () => {
  test.each([
    ['v6', V6, -0.6245977],
    ['v5', V5, -0.190637],
  ])('%s: all there, in the shapes the kernel knows', (_model, file, outputBias) => {
    const { encoder, lstm, output } = extractSileroV6(file);
    expect(encoder.map(({ weight, bias }) => [weight.length, bias.length])).toEqual([
      [128 * 129 * 3, 128],
      [64 * 128 * 3, 64],
      [64 * 64 * 3, 64],
      [128 * 64 * 3, 128],
    ]);
    expect([lstm.input, lstm.hidden, lstm.bias].map((part) => part.length)).toEqual([
      512 * 128,
      512 * 128,
      512,
    ]);
    expect(output.weight).toHaveLength(128);
    expect(output.bias[0]).toBeCloseTo(outputBias, 6);
    for (const { weight } of [...encoder, output]) expect(weight.every(Number.isFinite)).toBe(true);
  });

  test('of the 16 kHz branch, not of the one beside it', () => {
    const graph = readModel(V6);
    const [choice] = graph.nodes.filter((node) => node.op === 'If');
    const beside = choice?.attributes.get('else_branch')?.graph;
    const other = findConstant(beside!, 'decoder.decoder.2.bias');
    expect(floatsOf(other!)[0]).not.toBeCloseTo(extractSileroV6(V6).output.bias[0]!, 3);
  });
});

describe('the weights of v4', () => {
  test('all there, in the shapes the kernel knows', () => {
    const { smoothing, blocks, lstms, output } = extractSileroV4(V4);
    const parts = blocks.map(({ depthwise, pointwise, project, after }) =>
      [depthwise, pointwise, project, after].map((part) => part?.weight.length),
    );
    expect(parts).toEqual([
      [258 * 5, 16 * 258, 16 * 258, 16 * 16],
      [16 * 5, 32 * 16, 32 * 16, 32 * 32],
      [32 * 5, 32 * 32, undefined, 32 * 32],
      [32 * 5, 64 * 32, 64 * 32, 64 * 64],
    ]);
    expect(
      lstms.map(({ input, hidden, bias }) => [input, hidden, bias].map((a) => a.length)),
    ).toEqual([
      [256 * 64, 256 * 64, 256],
      [256 * 64, 256 * 64, 256],
    ]);
    expect(output.weight).toHaveLength(64);
    expect(smoothing.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 6);
  });
});

describe('a graph that is not the one the kernel was written for is refused', () => {
  test.each([
    ['v4 in place of v6', () => extractSileroV6(V4)],
    ['v6 in place of v4', () => extractSileroV4(V6)],
    ['cut short', () => extractSileroV6(V6.subarray(0, 1_000_000))],
    ['nothing', () => extractSileroV6(new Uint8Array())],
    ['an error page', () => extractSileroV6(Buffer.from('<!doctype html><title>404</title>'))],
    ['another padding', () => extractSileroV6(altered(V6, 'reflect', 'wrapped'))],
    ['another padding, v4', () => extractSileroV4(altered(V4, 'reflect', 'wrapped'))],
    ['another activation', () => extractSileroV6(altered(V6, '"\x07Sigmoid', '"\x07HardSig'))],
    ['another function', () => extractSileroV4(altered(V4, '"\x03Log', '"\x03Exp'))],
    ['no rectifiers', () => extractSileroV6(altered(V6, '"\x04Relu', '"\x04Tanh'))],
  ])('%s', (_what, extract) => {
    expect(extract).toThrow(/^(onnx|protobuf): /);
  });

  test.each([
    ['v6', V6, 'then_branch__Inline_0__stft.forward_basis_buffer', extractSileroV6],
    ['v4', V4, 'model.feature_extractor.forward_basis_buffer', extractSileroV4],
  ] as const)("%s with another transform than Fourier's", (_model, file, ending, extract) => {
    const copy = Buffer.from(file);
    const { dims, data } = findConstant(readModel(copy), ending)!;
    expect(dims).toEqual([258, 1, 256]);
    // A view of the copy: the 100th tap of the second row.
    Buffer.from(data.buffer, data.byteOffset, data.length).writeFloatLE(0.5, (256 + 100) * 4);
    expect(() => extract(copy)).toThrow('tap 100 of Fourier row 1 is 0.5');
  });
});
