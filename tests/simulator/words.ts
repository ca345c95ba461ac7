import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';

/** A frame in which somebody speaks is one word: its session and its frame, as `3.17`. */
export type Word = string;

/** The frames that 16 bits can tell apart, less the two values for speech and silence. */
export const MAX_FRAMES = 2_048;
export const MAX_SESSIONS = 15;
const FULL_SCALE = 32_768;
const SPEECH = 1 / FULL_SCALE;
const FIRST_CODE = 2;

/** The word stands in one sample in the middle: wherever a chunk is cut, it is in one of them. */
const WORD_AT = FRAME_SAMPLES / 2;

export function wordOf(session: number, frame: number): Word {
  return `${session}.${frame}`;
}

/** Fills a frame: silence, or a word. */
export function writeFrame(into: Float32Array, session: number, frame: number, isSpeech: boolean) {
  into.fill(isSpeech ? SPEECH : 0);
  if (isSpeech) into[WORD_AT] = (session * MAX_FRAMES + frame + FIRST_CODE) / FULL_SCALE;
}

export function isSpeech(samples: Float32Array): boolean {
  return (samples[0] ?? 0) > 0 || (samples.at(-1) ?? 0) > 0;
}

/** A chunk is heard when it is stored, when it is asked for and at the end. */
const heard = new WeakMap<ArrayBuffer, readonly Word[]>();

/** The words of a chunk's audio, 32-bit floats, in their order. */
export function hearWords(bytes: ArrayBuffer): readonly Word[] {
  const known = heard.get(bytes);
  if (known) return known;
  const words = hear(new Float32Array(bytes));
  heard.set(bytes, words);
  return words;
}

/** The sample at which each of these words stands. */
export function hearPlaces(bytes: ArrayBuffer): readonly number[] {
  return [...new Float32Array(bytes)].flatMap((sample, index) => (sample > SPEECH ? [index] : []));
}

function hear(samples: Float32Array): Word[] {
  const words: Word[] = [];
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index] as number;
    if (sample <= SPEECH) continue;
    const code = Math.round(sample * FULL_SCALE) - FIRST_CODE;
    words.push(wordOf(Math.floor(code / MAX_FRAMES), code % MAX_FRAMES));
  }
  return words;
}

export function wordsIn(text: string): Word[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Where words of a session do not stand in the order in which they were spoken; null if all do. */
export function disorderIn(words: readonly Word[]): string | null {
  const last = new Map<string, number>();
  for (const word of words) {
    const [session = '', frame = ''] = word.split('.');
    const before = last.get(session) ?? -1;
    if (Number(frame) < before) return `${session}.${before} ${word}`;
    last.set(session, Number(frame));
  }
  return null;
}

/** The words of a range of frames' samples that are wholly told by their middles. */
export function framesWithin(startSample: number, endSample: number): readonly number[] {
  const frames: number[] = [];
  const first = Math.max(0, Math.ceil((startSample - WORD_AT) / FRAME_SAMPLES));
  for (let frame = first; frame * FRAME_SAMPLES + WORD_AT < endSample; frame += 1) {
    frames.push(frame);
  }
  return frames;
}
