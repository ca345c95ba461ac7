import { expect, test } from 'vitest';
import { readWav } from '../../workers/audio/wav-file.ts';
import { hearNumbers, MAX_WORDS, numberedWord } from '../helpers/numbered-words.ts';
import { fixture } from '../helpers/running-server.ts';

const speech = readWav(fixture('speech-en.wav').buffer);

test('every word is heard, once and in order, over speech and with a gap between', () => {
  const numbers = Array.from({ length: 60 }, (_, index) => (index * 53) % MAX_WORDS);
  const words = numbers.map((number) => numberedWord(number, speech));
  const samples = new Float32Array(words.reduce((sum, word) => sum + word.length + 1_000, 0));
  let offset = 0;
  for (const word of words) {
    samples.set(word, offset);
    offset += word.length + 1_000;
  }
  expect(hearNumbers(samples)).toEqual(numbers);
});

test('nothing is heard in speech alone', () => {
  expect(hearNumbers(speech)).toEqual([]);
});
