import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadMoonshine } from '../../server/engine/load-sherpa.ts';
import { recogniseInPieces } from '../../server/engine/pieces.ts';
import { FRAME_SAMPLES, samplesToMs } from '../../src/core/audio/audio-format.ts';
import { toPcm16 } from '../../src/core/audio/samples.ts';
import {
  DEFAULT_SESSION_OPTIONS,
  type SessionOptions,
} from '../../src/core/options/dictation-options.ts';
import type { SpeechChunk } from '../../src/core/speech/chunk-cutter.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';
import { createSpeechPipeline } from '../../workers/session/speech-pipeline.ts';
import { nodeKernel } from '../helpers/node-kernel.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { type Dictation, makeDictations, readSpeech } from './made-dictation.ts';

const USAGE = `Usage: npm run bench -- live-words [--pieces] [FILE TEXT]...

Words wrong, percent, when live pieces are written down, beside whole chunks of the same audio: the gate, the
cutter and the embedded engine themselves, without a browser. Made speech where eSpeak NG is installed, and
WAV files of your own, each with a file of what is said in it. How many pieces there are, and how long half of
them at most, is told of both ways to insert.

  --pieces    prints each live piece, how long it is and its text`;

/** How speech is cut, each with its column. */
const WAYS = {
  whole: {},
  'at stop': { live: true },
  'at pause': { live: true, insert: 'at-pause' },
} as const satisfies Record<string, Partial<SessionOptions>>;

const NAMES = ['whole', 'at stop', 'at pause'] as const satisfies readonly (keyof typeof WAYS)[];

const signal = new AbortController().signal;

/** What a session of this audio sends. */
async function chunksOf(
  samples: Float32Array,
  how: Partial<SessionOptions>,
): Promise<SpeechChunk[]> {
  const chunks: SpeechChunk[] = [];
  const pipeline = createSpeechPipeline({
    engine: Promise.resolve(engine),
    options: { ...DEFAULT_SESSION_OPTIONS, ...how },
    log: { error() {}, warn() {}, info() {} },
    onChunk: (chunk) => chunks.push(chunk),
    onFrame() {},
    onSilence() {},
    onEngineFailed(error) {
      throw error;
    },
  });
  for (let startSample = 0; startSample < samples.length; startSample += FRAME_SAMPLES) {
    const pcm = toPcm16(samples.subarray(startSample, startSample + FRAME_SAMPLES));
    await pipeline.take({ kind: 'frame', startSample, pcm }, { isGivenUp: false });
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
const engine = createSteadyEngine(await nodeKernel());
const recognise = await loadMoonshine();
const textOf = ({ samples }: SpeechChunk) =>
  recogniseInPieces((utterance) => recognise(utterance, 'en'), samples, signal);
const all: { readonly words: number; readonly wrong: readonly number[] }[] = [];
let seconds = 0;
console.log(`seconds   words ${NAMES.map((name) => name.padStart(20)).join('')}`);
for (const { name, samples, words } of [...own, ...(await makeDictations())]) {
  const wrong: number[] = [];
  const lengths: string[] = [];
  for (const way of NAMES) {
    const chunks = await chunksOf(samples, WAYS[way]);
    const texts: string[] = [];
    for (const chunk of chunks) {
      const text = await textOf(chunk);
      texts.push(text);
      if (values.pieces && way !== 'whole') console.log(`${way}, ${secondsOf(chunk)} s: ${text}`);
    }
    wrong.push(wordErrorRate(words, texts.join(' ')));
    const sorted = chunks.toSorted((a, b) => a.samples.length - b.samples.length);
    lengths.push(`${chunks.length} x ${secondsOf(sorted[Math.floor(sorted.length / 2)])}`);
  }
  const count = words.split(/\s+/).length;
  all.push({ words: count, wrong });
  seconds += samplesToMs(samples.length) / 1_000;
  tell(name, samplesToMs(samples.length) / 1_000, count, wrong, lengths);
}
const words = all.reduce((sum, one) => sum + one.words, 0);
const mean = NAMES.map(
  (_, at) => all.reduce((sum, one) => sum + (one.wrong[at] ?? 0) * one.words, 0) / words,
);
tell('all', seconds, words, mean, []);
process.exit();

function secondsOf(chunk: SpeechChunk | undefined): string {
  return (samplesToMs(chunk?.samples.length ?? 0) / 1_000).toFixed(1);
}

/** A line: what is wrong, and how many pieces of which length. */
function tell(
  name: string,
  inAll: number,
  count: number,
  wrong: readonly number[],
  lengths: readonly string[],
): void {
  const cells = wrong.map((rate, at) =>
    `${lengths[at] ?? ''} ${(100 * rate).toFixed(1).padStart(5)}`.padStart(20),
  );
  console.log(
    `${inAll.toFixed(0).padStart(7)} ${String(count).padStart(7)} ${cells.join('')}  ${name}`,
  );
}
