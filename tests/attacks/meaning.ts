import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../helpers/seeded-random.ts';
import type { Attack } from './attack.ts';
import { numberedSpeech, numberOf } from './numbered-speech.ts';
import { jsonAnswer } from './outside.ts';

const TERMS = readFileSync(
  fileURLToPath(new URL('../fixtures/spelling/terms.txt', import.meta.url)),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Of the review, each of which came out as another word. */
const SWAPPED = [
  'dysphasia and aphagia',
  'digoxin and later keppra and ipren',
  'async and json and backend and valkey',
];

const LANES = 4;

/** Finding 4. */
export const swappedTerms: Attack = {
  name: 'rare words that look like slips of frequent ones',
  on: 'elsewhere',
  lane: 'outside',
  async run(field, outside) {
    const random = seededRandom(field.seed);
    const lines = field.isShort ? 12 : TERMS.length;
    const some = Array.from({ length: lines }, (_, index) =>
      field.isShort ? TERMS[Math.floor(random() * TERMS.length)] : TERMS[index],
    );
    const texts = [...SWAPPED, ...some].map((text) => text ?? '');
    outside.engineSays((socket, samples) =>
      socket.write(jsonAnswer({ text: texts[numberOf(samples)], language: 'sv' })),
    );
    let next = 0;
    let words = 0;
    const lane = async () => {
      for (let index = next++; index < texts.length; index = next++) {
        const text = texts[index] ?? '';
        const outcome = await field.post({
          file: numberedSpeech(index),
          fields: { language: 'sv', fixSpelling: 'true' },
        });
        const written = outcome.kind === 'answered' ? (outcome.transcription ?? '') : '';
        const changed = wordsOf(text).filter((word) => !wordsOf(written).includes(word));
        words += wordsOf(text).length;
        if (changed.length > 0) field.fault(`changed: ${changed.join(' ')} in ${written}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    field.figure('words', words);
  },
};

/** Capitals and full stops are tidied; words must stay. */
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[\s.]+/)
    .filter(Boolean);
