import { closeSync, openSync, writeSync } from 'node:fs';

/**
 * Its words as tokens; ` sjukhus` and `bibliotek` are one word, as real models cut long ones up.
 */
const WORDS = [
  ' Hej och välkommen till vår alldeles nya och fina',
  ' sjukhus',
  'bibliotek',
  '.',
] as const;

/** The words that the model made here says of each 30 s of any audio, and the language it finds. */
export const TEST_MODEL_SAYS = { text: WORDS.join('').trim(), language: 'sv' } as const;

const AUDIO_FRAMES = 1_500;
const TEXT_POSITIONS = 448;
const WIDTH = 32;
const MELS = 80;
const FFT_BINS = 201;
const VOCABULARY = 51_865;

/** Token ids of multilingual Whisper. */
const NAMED_TOKENS = 50_257;
const END = 50_257;
const START = 50_258;
const SWEDISH = START + 1 + 14;
const ZERO_SECONDS = 50_364;
const END_OF_WINDOW = ZERO_SECONDS + AUDIO_FRAMES - 1;

/**
 * The token that follows at each position: after `start` the language, after the task the time 0.
 */
const SCRIPT: readonly (number | null)[] = [
  SWEDISH,
  null,
  ZERO_SECONDS,
  ...WORDS.map((_, at) => at + 1),
  END_OF_WINDOW,
  END,
];

/**
 * Writes a Whisper model in whisper.cpp's own format (ggml, 4 MB) that hears nothing and
 * always says the same: all layers are zero, so that what comes out depends on the position alone.
 * It stands in for real weights where only the server's protocol is looked at.
 */
export function writeTestModel(path: string): void {
  const file = openSync(path, 'w');
  const put = (bytes: Uint8Array) => void writeSync(file, bytes);
  const ints = (...values: readonly number[]) =>
    put(new Uint8Array(Int32Array.from(values).buffer));
  const header = [VOCABULARY, AUDIO_FRAMES, WIDTH, 1, 1, TEXT_POSITIONS, WIDTH, 1, 1, MELS, 1];
  ints(0x67676d6c, ...header);
  ints(MELS, FFT_BINS);
  put(new Uint8Array(4 * MELS * FFT_BINS));
  ints(NAMED_TOKENS);
  for (let id = 0; id < NAMED_TOKENS; id++) {
    const name = Buffer.from(id === 0 ? ' ' : (WORDS[id - 1] ?? ''));
    ints(name.length);
    put(name);
  }
  for (const { name, shape } of tensors()) {
    const length = shape.reduce((product, one) => product * one);
    ints(shape.length, name.length, isHalf(name) ? 1 : 0, ...shape);
    put(Buffer.from(name));
    put(new Uint8Array(isHalf(name) ? halves(name, length) : singles(name, length)));
  }
  closeSync(file);
}

type Tensor = { readonly name: string; readonly shape: readonly number[] };

/** Every tensor of a Whisper model with one layer on each side; lengths from the innermost. */
function* tensors(): Generator<Tensor> {
  yield { name: 'encoder.positional_embedding', shape: [WIDTH, AUDIO_FRAMES] };
  yield { name: 'encoder.conv1.weight', shape: [3, MELS, WIDTH] };
  yield { name: 'encoder.conv1.bias', shape: [1, WIDTH] };
  yield { name: 'encoder.conv2.weight', shape: [3, WIDTH, WIDTH] };
  yield { name: 'encoder.conv2.bias', shape: [1, WIDTH] };
  yield* normalisation('encoder.ln_post');
  yield* block('encoder.blocks.0', ['attn']);
  yield { name: 'decoder.positional_embedding', shape: [WIDTH, TEXT_POSITIONS] };
  yield { name: 'decoder.token_embedding.weight', shape: [WIDTH, VOCABULARY] };
  yield* normalisation('decoder.ln');
  yield* block('decoder.blocks.0', ['attn', 'cross_attn']);
}

function* block(name: string, attentions: readonly string[]): Generator<Tensor> {
  yield* normalisation(`${name}.mlp_ln`);
  yield* linear(`${name}.mlp.0`, WIDTH, 4 * WIDTH);
  yield* linear(`${name}.mlp.2`, 4 * WIDTH, WIDTH);
  for (const attention of attentions) {
    yield* normalisation(`${name}.${attention}_ln`);
    for (const part of ['query', 'value', 'out']) yield* linear(`${name}.${attention}.${part}`);
    yield { name: `${name}.${attention}.key.weight`, shape: [WIDTH, WIDTH] };
  }
}

function* normalisation(name: string): Generator<Tensor> {
  yield { name: `${name}.weight`, shape: [WIDTH] };
  yield { name: `${name}.bias`, shape: [WIDTH] };
}

function* linear(name: string, from = WIDTH, to = WIDTH): Generator<Tensor> {
  yield { name: `${name}.weight`, shape: [from, to] };
  yield { name: `${name}.bias`, shape: [to] };
}

/** Weights of layers are halves, all else single floats. */
const isHalf = (name: string) => name.endsWith('.weight') && !/ln(_post)?\.weight$/.test(name);

/** 5 as a half: far below the strength of a position, so that the token before has no say. */
const FIVE = 0x4500;
const POSITION_STRENGTH = 100;

function halves(name: string, length: number): ArrayBuffer {
  const values = new Uint16Array(length);
  if (name === 'decoder.token_embedding.weight') {
    for (const [direction, token] of SCRIPT.entries()) {
      if (token !== null) values[token * WIDTH + direction] = FIVE;
    }
  }
  return values.buffer;
}

function singles(name: string, length: number): ArrayBuffer {
  const values = new Float32Array(length);
  if (name === 'decoder.ln.weight') values.fill(1);
  if (name === 'decoder.positional_embedding') {
    for (let position = 0; position < TEXT_POSITIONS; position++) {
      const direction = Math.min(position, SCRIPT.length - 1);
      values[position * WIDTH + direction] = POSITION_STRENGTH;
    }
  }
  return values.buffer;
}
