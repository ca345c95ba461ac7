import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bytesField,
  FLOAT,
  INT32,
  integerField,
  valueInfo,
} from '../../server/models/convert/onnx-graph.ts';
import type { FetchedModel } from '../../server/models/layout/model-folder.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * A transducer with Pianissimo's layout and random weights, small. What it writes depends on the
 * length of the audio only, so that it can be compared with the uncut model without its features.
 */
export const MADE = { vocabulary: 40, encoded: 6, hidden: 4, joint: 5, durations: 5 } as const;

/** A deviation of a synthetic decoder from the layout. */
export type MadeFlaw = 'two-seams' | 'no-states' | 'inside-if' | 'no-lengths';

const INT64 = 7;
const { vocabulary: V, encoded: D, hidden: H, joint: J, durations } = MADE;
const LOGITS = V + 1 + durations;

type Shape = readonly (number | string)[];

function builder(seed: number) {
  const random = seededRandom(seed);
  const fields: Uint8Array[] = [bytesField(2, 'made')];
  const self = {
    attribute: (name: string, ...body: Uint8Array[]) =>
      bytesField(5, Buffer.concat([bytesField(1, name), ...body])),
    integer: (name: string, value: number) =>
      self.attribute(name, integerField(3, value), integerField(20, 2)),
    integers: (name: string, values: readonly number[]) =>
      self.attribute(name, ...values.map((one) => integerField(8, one)), integerField(20, 7)),
    nodeBytes: (op: string, reads: string[], writes: string[], ...attributes: Uint8Array[]) =>
      Buffer.concat([
        ...reads.map((name) => bytesField(1, name)),
        ...writes.map((name) => bytesField(2, name)),
        bytesField(3, `${op} ${writes[0]}`),
        bytesField(4, op),
        ...attributes,
      ]),
    node(op: string, reads: string[], writes: string[], ...attributes: Uint8Array[]) {
      fields.push(bytesField(1, self.nodeBytes(op, reads, writes, ...attributes)));
    },
    tensor(name: string, sides: readonly number[], data: Float32Array | BigInt64Array) {
      const type = data instanceof Float32Array ? FLOAT : INT64;
      const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      const shape = sides.map((side) => integerField(1, side));
      const body = [...shape, integerField(2, type), bytesField(8, name), bytesField(9, raw)];
      fields.push(bytesField(5, Buffer.concat(body)));
    },
    random(name: string, sides: readonly number[], spread: number) {
      const length = sides.reduce((product, side) => product * side, 1);
      const data = Float32Array.from({ length }, () => (random() - 0.5) * spread);
      self.tensor(name, sides, data);
    },
    counts: (name: string, ...values: number[]) =>
      self.tensor(name, [values.length], BigInt64Array.from(values.map(BigInt))),
    input: (name: string, type: number, sides: Shape) =>
      void fields.push(bytesField(11, valueInfo(name, type, sides))),
    output: (name: string, type: number, sides: Shape) =>
      void fields.push(bytesField(12, valueInfo(name, type, sides))),
    /** `padding`: bytes of a weight that nothing reads, for a file as large as a real one. */
    file(padding = 0): Uint8Array {
      if (padding > 0) self.tensor('padding', [padding / 4], new Float32Array(padding / 4));
      const opset = bytesField(8, Buffer.concat([bytesField(1, ''), integerField(2, 17)]));
      return Buffer.concat([integerField(1, 8), bytesField(7, Buffer.concat(fields)), opset]);
    },
  };
  return self;
}

/** Decoder and joint in one file: an embedding, two LSTMs, and a joint with durations. */
export function madeDecoderJoint(flaw?: MadeFlaw): Uint8Array {
  const b = builder(3);
  b.node('Gather', ['words', 'targets'], ['word']);
  b.node('Transpose', ['word'], ['w'], b.integers('perm', [1, 0, 2]));
  for (const layer of [0, 1]) {
    const bounds = [`c${layer}`, `c${layer + 1}`, 'c0'];
    b.node('Slice', ['input_states_1', ...bounds], [`h${layer}`]);
    b.node('Slice', ['input_states_2', ...bounds], [`s${layer}`]);
    const weights = [`W${layer}`, `R${layer}`, `B${layer}`, ''];
    const reads = [layer === 0 ? 'w' : 'y0', ...weights, `h${layer}`, `s${layer}`];
    const writes = [`raw${layer}`, `h${layer}'`, `s${layer}'`];
    b.node('LSTM', reads, writes, b.integer('hidden_size', H));
    b.node('Squeeze', [`raw${layer}`, 'c1'], [`y${layer}`]);
    b.random(`W${layer}`, [1, 4 * H, H], 2);
    b.random(`R${layer}`, [1, 4 * H, H], 2);
    b.random(`B${layer}`, [1, 8 * H], 1);
  }
  b.node('Concat', ["h0'", "h1'"], ['output_states_1'], b.integer('axis', 0));
  b.node('Concat', ["s0'", "s1'"], ['output_states_2'], b.integer('axis', 0));
  b.node('Transpose', ['y1'], ['decoded'], b.integers('perm', [1, 0, 2]));
  b.node('Transpose', ['encoder_outputs'], ['heard'], b.integers('perm', [0, 2, 1]));
  b.node('MatMul', ['heard', 'We'], ['fromEncoder']);
  b.node('MatMul', ['decoded', 'Wd'], ['fromDecoder']);
  b.node('Unsqueeze', ['fromEncoder', 'c2'], ['left']);
  b.node('Unsqueeze', ['fromDecoder', 'c1'], ['right']);
  b.node('Add', ['left', 'right'], [flaw === 'two-seams' ? 'sum0' : 'sum']);
  if (flaw === 'two-seams') {
    // The joint reads a state, too, which cannot be had of what the LSTMs gave.
    b.node('ReduceMean', ['input_states_1'], ['mean'], b.integer('keepdims', 0));
    b.node('Add', ['sum0', 'mean'], ['sum']);
  }
  if (flaw === 'inside-if') {
    b.node('ReduceMax', ['decoded'], ['most'], b.integer('keepdims', 0));
    b.node('Greater', ['most', 'limit'], ['isHigh']);
    const branch = (op: string, name: string) =>
      b.attribute(
        name,
        bytesField(
          6,
          Buffer.concat([
            bytesField(1, b.nodeBytes(op, ['sum'], [`${op}ed`])),
            bytesField(2, op),
            bytesField(12, valueInfo(`${op}ed`, FLOAT)),
          ]),
        ),
        integerField(20, 5),
      );
    b.node('If', ['isHigh'], ['act'], branch('Relu', 'then_branch'), branch('Tanh', 'else_branch'));
    b.tensor('limit', [], Float32Array.of(0));
  } else b.node('Relu', ['sum'], ['act']);
  b.node('MatMul', ['act', 'Wo'], ['raw']);
  b.node('Add', ['raw', 'bias'], ['outputs']);
  if (flaw !== 'no-lengths') b.node('Identity', ['target_length'], ['prednet_lengths']);

  b.random('words', [V + 1, H], 4);
  b.random('We', [D, J], 3);
  b.random('Wd', [H, J], 6);
  b.random('Wo', [J, LOGITS], 4);
  // The blank is likely, so that there are words and pauses.
  b.tensor(
    'bias',
    [LOGITS],
    Float32Array.from({ length: LOGITS }, (_, i) => (i === V ? 1.5 : 0)),
  );
  for (const count of [0, 1, 2]) b.counts(`c${count}`, count);
  b.input('encoder_outputs', FLOAT, ['b', D, 't']);
  b.input('targets', INT32, ['b', 'u']);
  b.input('target_length', INT32, ['b']);
  b.input(flaw === 'no-states' ? 'h' : 'input_states_1', FLOAT, [2, 'b', H]);
  b.input('input_states_2', FLOAT, [2, 'b', H]);
  b.output('outputs', FLOAT, ['b', 't', 'u', 'v']);
  if (flaw !== 'no-lengths') b.output('prednet_lengths', INT32, ['b']);
  b.output('output_states_1', FLOAT, [2, 'b', H]);
  b.output('output_states_2', FLOAT, [2, 'b', H]);
  return b.file();
}

/** An encoder that gives a fixed pattern, an eighth as long as what it hears. */
export function madeEncoder(padding = 0): Uint8Array {
  const b = builder(11);
  b.node('Shape', ['audio_signal'], ['shape']);
  b.node('Gather', ['shape', 'two'], ['frames']);
  b.node('Div', ['frames', 'eight'], ['kept']);
  b.node('Slice', ['pattern', 'zero', 'kept', 'two'], ['outputs']);
  b.node('Div', ['length', 'eight'], ['encoded_lengths']);
  b.random('pattern', [1, D, 4_000], 4);
  for (const [name, value] of Object.entries({ zero: 0, two: 2, eight: 8 })) b.counts(name, value);
  b.input('audio_signal', FLOAT, ['b', 128, 't']);
  b.input('length', INT64, ['b']);
  b.output('outputs', FLOAT, ['b', D, 'kept']);
  b.output('encoded_lengths', INT64, ['b']);
  return b.file(padding);
}

/** A line for each token, the blank last; each token is a word. */
export function madeTokens(): Uint8Array {
  const lines = Array.from({ length: V }, (_, id) => `▁w${id} ${id}\n`);
  return Buffer.from(`${lines.join('')}<blk> ${V}\n`);
}

/** A made model as it stands in a catalogue, and the files it is fetched as. */
export type MadeModel = { readonly model: FetchedModel; readonly files: Map<string, Uint8Array> };

/** Makes one; `more` goes over what its catalogue entry says. */
export function madeModel(
  more: Partial<FetchedModel> = {},
  files: ReadonlyMap<string, Uint8Array> = madeFiles(),
): MadeModel {
  const model: FetchedModel = {
    kind: 'fetched',
    id: 'made-sv',
    name: 'Made model',
    repository: 'made/model-sv',
    commit: '0123456789abcdef0123456789abcdef01234567',
    files: [...files].map(([name, bytes]) => ({
      name,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
    layout: 'nemo-fused',
    parts: {
      encoder: 'encoder.onnx',
      decoder: 'decoder_joint.onnx',
      joiner: 'decoder_joint.onnx',
      tokens: 'vocab.txt',
    },
    facts: {
      vocabulary: V,
      subsampling: 8,
      decoderLayers: 2,
      decoderSize: H,
      featureBins: 128,
      durations,
    },
    licence: 'none',
    licenceUrl: 'https://licence.invalid/',
    attribution: 'made for tests',
    changes: null,
    languages: ['sv'],
    memoryBytes: 10_000_000,
    ...more,
  };
  return { model, files: new Map(files) };
}

/** Its three files. */
export function madeFiles(flaw?: MadeFlaw, padding = 0): ReadonlyMap<string, Uint8Array> {
  return new Map([
    ['vocab.txt', madeTokens()],
    ['decoder_joint.onnx', madeDecoderJoint(flaw)],
    ['encoder.onnx', madeEncoder(padding)],
  ]);
}

/** Puts its files into a folder, as somebody who fetched them elsewhere. */
export async function layDown(files: ReadonlyMap<string, Uint8Array>, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(to, name), bytes);
}
