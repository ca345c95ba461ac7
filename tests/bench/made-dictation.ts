import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { cutFrames, endOf } from '../../tools/vad/detect-speech.ts';
import { readWave } from '../../tools/vad/read-wave.ts';
import { seededRandom } from '../helpers/seeded-random.ts';

/** Speech at 16 kHz and what is said in it. */
export type Dictation = {
  readonly name: string;
  readonly samples: Float32Array;
  readonly words: string;
};

/** A WAV file at 16 kHz, by the worklet's own resampler. */
export async function readSpeech(path: string): Promise<Float32Array> {
  const frames = await cutFrames(readWave(readFileSync(path)));
  const whole = new Float32Array(endOf(frames));
  for (const { startSample, samples } of frames) whole.set(samples, startSample);
  return whole;
}

/**
 * What people dictate: letters, notes, lists; a bar is where one stops to think, in the middle of
 * a sentence as often as at its end.
 */
const SENTENCES = [
  'Thank you for your letter about the new windows.',
  'We have looked at the drawings | and there are two things we would like to change.',
  'The first one is the window in the kitchen | which should open to the left.',
  'The second is the colour of the frames.',
  'Yes.',
  'Please call me tomorrow morning | before ten o clock.',
  'The patient slept well during the night | and has no pain today.',
  'Her temperature was normal at eight this morning.',
  'She may go home on Thursday | if the blood tests are good.',
  'New appointment in three weeks.',
  'The meeting began at nine | and everybody on the list was there except the treasurer.',
  'We talked about the roof | the garden | and the rent for next year.',
  'No decision was made about the roof.',
  'The garden will be ready before the summer | because the children want to play there.',
  'The next meeting is on the first Monday in March.',
  'I walked along the river for an hour | and saw nobody but an old man with a small dog.',
  'It was cold | but the sun was shining on the water.',
  'Buy milk | bread | two kilos of potatoes | and something for the weekend.',
  'The train was late again | so I missed the beginning of the film.',
  'My brother says that the car needs new brakes | and that it will be expensive.',
  'Could you send me the numbers for last month as soon as you have them.',
  'The children at the school have planted apple trees behind the library.',
  'Nobody knows why the lights went out | but they came back after a few minutes.',
  'He opened the door slowly | looked around the empty room | and sat down by the window.',
  'That is all for today.',
] as const;

const VOICES = [
  'en-us',
  'en-us+f2',
  'en-us+m3',
  'en-gb',
  'en-us+f3',
  'en-us+m7',
  'en-us',
  'en-us+f2',
] as const;
const WORDS_A_MINUTE = [140, 130, 150] as const;

/** Where one stops to think, and between sentences, in ms: a breath to a long pause. */
const THOUGHTS_MS = [250, 350, 500, 700, 900, 1_300, 2_000] as const;
const BETWEEN_MS = [400, 600, 800, 1_000, 1_500, 2_500] as const;

/**
 * The sentences in another order, at other speeds and with other pauses for each voice, about a
 * minute and a half each, by eSpeak NG; none where that is not installed.
 */
export async function makeDictations(): Promise<Dictation[]> {
  const folder = mkdtempSync(join(tmpdir(), 'diktera-'));
  try {
    const all: Dictation[] = [];
    for (const [index, voice] of VOICES.entries()) all.push(await makeOne(folder, voice, index));
    return all;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    return [];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function makeOne(folder: string, voice: string, seed: number): Promise<Dictation> {
  const random = seededRandom(seed + 1);
  const oneOf = <T>(list: readonly [T, ...T[]]): T =>
    list[Math.floor(random() * list.length)] ?? list[0];
  const wordsAMinute = WORDS_A_MINUTE[seed % WORDS_A_MINUTE.length] ?? WORDS_A_MINUTE[0];
  const parts: Float32Array[] = [silence(1_200)];
  const order = SENTENCES.map((sentence) => ({ sentence, place: random() }));
  order.sort((a, b) => a.place - b.place);
  for (const { sentence } of order) {
    for (const [at, part] of sentence.split(' | ').entries()) {
      if (at > 0) parts.push(silence(oneOf(THOUGHTS_MS)));
      const path = join(folder, 'spoken.wav');
      execFileSync('espeak-ng', ['-v', voice, '-s', `${wordsAMinute}`, '-w', path, part]);
      parts.push(trimmed(await readSpeech(path)));
    }
    parts.push(silence(oneOf(BETWEEN_MS)));
  }
  parts.push(silence(1_500));
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  // A room is never silent: noise 60 dB below full scale.
  for (const index of samples.keys())
    samples[index] = (samples[index] ?? 0) + 0.002 * (random() - 0.5);
  const words = order.map(({ sentence }) => sentence.replaceAll(' | ', ' ')).join(' ');
  return { name: `${voice}, ${wordsAMinute} words a minute`, samples, words };
}

const silence = (ms: number): Float32Array => new Float32Array((ms / 1_000) * SAMPLE_RATE_HZ);

/** eSpeak NG ends with a pause of its own. */
function trimmed(samples: Float32Array): Float32Array {
  const isLoud = (value: number): boolean => Math.abs(value) > 0.003;
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
}
