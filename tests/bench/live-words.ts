import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadMoonshine } from '../../server/engine/load-moonshine.ts';
import { recogniseInPieces } from '../../server/engine/recognise-in-pieces.ts';
import { FRAME_SAMPLES, samplesToMs } from '../../src/core/audio/audio-format.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { SpeechChunk } from '../../src/core/speech/speech-chunk.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';
import { createSpeechPipeline } from '../../workers/session/speech-pipeline.ts';
import { nodeKernel } from '../helpers/node-kernel.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { type Dictation, makeDictations, readSpeech } from './made-dictation.ts';

const USAGE = `Usage: npm run bench:live-words -- [--pieces] [FILE TEXT]...

Words wrong, percent, when live pieces are written down, beside whole chunks of the same audio: the gate, the
cutter and the embedded engine themselves, without a browser. Made speech where eSpeak NG is installed, and
WAV files of your own, each with a file of what is said in it.

  --pieces    prints each live piece, how long it is and its text`;

const signal = new AbortController().signal;

/** What a session of this audio sends. */
async function chunksOf(samples: Float32Array, live: boolean): Promise<SpeechChunk[]> {
  const chunks: SpeechChunk[] = [];
  const pipeline = createSpeechPipeline({
    engine: Promise.resolve(engine),
    options: { ...DEFAULT_SESSION_OPTIONS, live },
    log: { error() {}, warn() {}, info() {} },
    onChunk: (chunk) => chunks.push(chunk),
    onFrame() {},
    onSilence() {},
    onEngineFailed(error) {
      throw error;
    },
  });
  for (let startSample = 0; startSample < samples.length; startSample += FRAME_SAMPLES) {
    const frame = samples.slice(startSample, startSample + FRAME_SAMPLES);
    await pipeline.take({ kind: 'frame', startSample, samples: frame }, { isGivenUp: false });
  }
  pipeline.flush();
  return chunks;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pieces: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help || positionals.length % 2 !== 0) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const own: Dictation[] = [];
for (let at = 0; at < positionals.length; at += 2) {
  const [file = '', text = ''] = positionals.slice(at, at + 2);
  own.push({ name: file, samples: await readSpeech(file), words: readFileSync(text, 'utf8') });
}
const engine = createSteadyEngine(await nodeKernel('v6'));
const recognise = await loadMoonshine();
const textOf = ({ samples }: SpeechChunk) =>
  recogniseInPieces((utterance) => recognise(utterance, 'en'), samples, signal);
const all: { seconds: number; words: number; live: number; whole: number }[] = [];
console.log('seconds  words  pieces  median s   whole    live');
for (const { name, samples, words } of [...own, ...(await makeDictations())]) {
  const wrong = { live: 0, whole: 0 };
  const pieces = await chunksOf(samples, true);
  for (const [way, chunks] of [
    ['live', pieces],
    ['whole', await chunksOf(samples, false)],
  ] as const) {
    const texts: string[] = [];
    for (const chunk of chunks) {
      const text = await textOf(chunk);
      texts.push(text);
      const ms = samplesToMs(chunk.samples.length);
      if (values.pieces && way === 'live') console.log(`${(ms / 1_000).toFixed(1)} s: ${text}`);
    }
    wrong[way] = wordErrorRate(words, texts.join(' '));
  }
  const count = words.split(/\s+/).length;
  all.push({ seconds: samplesToMs(samples.length) / 1_000, words: count, ...wrong });
  tell(name, samplesToMs(samples.length) / 1_000, count, pieces, wrong);
}
const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((to, one) => to + of(one), 0);
const words = sum((one) => one.words);
const mean = {
  live: sum((one) => one.live * one.words) / words,
  whole: sum((one) => one.whole * one.words) / words,
};
tell(
  'all',
  sum(({ seconds }) => seconds),
  words,
  [],
  mean,
);
process.exit();

function tell(
  name: string,
  seconds: number,
  words: number,
  pieces: readonly SpeechChunk[],
  wrong: { readonly live: number; readonly whole: number },
): void {
  const lengths = pieces.map(({ samples }) => samples.length).sort((a, b) => a - b);
  const median = samplesToMs(lengths[Math.floor(lengths.length / 2)] ?? 0) / 1_000;
  const cells = [seconds.toFixed(0), words, pieces.length, median.toFixed(1)];
  const rates = [wrong.whole, wrong.live].map((rate) => (100 * rate).toFixed(1));
  console.log(`${[...cells, ...rates].map((cell) => String(cell).padStart(7)).join(' ')}  ${name}`);
}
