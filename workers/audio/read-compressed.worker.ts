import { answerAsked } from './answer-asked.ts';
import { readCompressed } from './read-compressed.ts';

answerAsked(
  (bytes: ArrayBuffer) => readCompressed(bytes),
  ({ buffer }) => [buffer],
);
