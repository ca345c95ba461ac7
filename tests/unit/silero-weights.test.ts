import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readVerifiedModel } from '../../tools/model-assets.ts';
import { floatsOf, type OnnxGraph, type OnnxTensor, readModel } from '../../tools/onnx/model.ts';
import { extractSilero } from '../../tools/onnx/silero.ts';

const V6 = readVerifiedModel();
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
    const { encoder, lstm, output } = extractSilero(file);
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
    expect(floatsOf(other!)[0]).not.toBeCloseTo(extractSilero(V6).output.bias[0]!, 3);
  });
});

describe('a graph that is not the one the kernel was written for is refused', () => {
  test.each([
    ['cut short', () => extractSilero(V6.subarray(0, 1_000_000))],
    ['nothing', () => extractSilero(new Uint8Array())],
    ['an error page', () => extractSilero(Buffer.from('<!doctype html><title>404</title>'))],
    ['another padding', () => extractSilero(altered(V6, 'reflect', 'wrapped'))],
    ['another activation', () => extractSilero(altered(V6, '"\x07Sigmoid', '"\x07HardSig'))],
    ['no rectifiers', () => extractSilero(altered(V6, '"\x04Relu', '"\x04Tanh'))],
  ])('%s', (_what, extract) => {
    expect(extract).toThrow(/^(onnx|protobuf): /);
  });

  test("another transform than Fourier's", () => {
    const copy = Buffer.from(V6);
    const ending = 'then_branch__Inline_0__stft.forward_basis_buffer';
    const { dims, data } = findConstant(readModel(copy), ending)!;
    expect(dims).toEqual([258, 1, 256]);
    // A view of the copy: the 100th tap of the second row.
    Buffer.from(data.buffer, data.byteOffset, data.length).writeFloatLE(0.5, (256 + 100) * 4);
    expect(() => extractSilero(copy)).toThrow('tap 100 of Fourier row 1 is 0.5');
  });
});
