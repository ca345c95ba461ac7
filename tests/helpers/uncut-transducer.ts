import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import { MADE } from './made-model.ts';

/**
 * The words that a synthetic model writes for this number of frames of features, from the model
 * before it was cut, in another engine, with a loop of our own: greedy, at most five words on a
 * frame.
 */
export async function uncutWords(
  encoder: Uint8Array,
  decoderJoint: Uint8Array,
  frames: number,
): Promise<string[]> {
  env.wasm.numThreads = 1;
  const [listen, write] = await Promise.all([
    InferenceSession.create(encoder),
    InferenceSession.create(decoderJoint),
  ]);
  const heard = await listen.run({
    audio_signal: new Tensor('float32', new Float32Array(128 * frames), [1, 128, frames]),
    length: new Tensor('int64', BigInt64Array.of(BigInt(frames)), [1]),
  });
  const { data, dims } = heard.outputs!;
  const [, size = 0, length = 0] = dims;
  const blank = MADE.vocabulary;
  const zeros = () => new Tensor('float32', new Float32Array(2 * MADE.hidden), [2, 1, MADE.hidden]);
  let states = { input_states_1: zeros(), input_states_2: zeros() };
  const words: string[] = [];
  let last: number = blank;
  let onFrame = 0;
  for (let at = 0; at < length; ) {
    const frame = Float32Array.from({ length: size }, (_, i) => Number(data[i * length + at]));
    const told = await write.run({
      encoder_outputs: new Tensor('float32', frame, [1, size, 1]),
      targets: new Tensor('int32', Int32Array.of(last), [1, 1]),
      target_length: new Tensor('int32', Int32Array.of(1), [1]),
      ...states,
    });
    const logits = Array.from(told.outputs!.data as Float32Array);
    const word = largest(logits.slice(0, blank + 1));
    const step = largest(logits.slice(blank + 1));
    if (word !== blank) {
      words.push(`w${word}`);
      last = word;
      states = {
        input_states_1: told.output_states_1 as typeof states.input_states_1,
        input_states_2: told.output_states_2 as typeof states.input_states_2,
      };
      onFrame++;
    }
    const onward = step > 0 ? step : word === blank || onFrame >= 5 ? 1 : 0;
    if (onward > 0) onFrame = 0;
    at += onward;
  }
  return words;
}

function largest(numbers: readonly number[]): number {
  return numbers.indexOf(Math.max(...numbers));
}
