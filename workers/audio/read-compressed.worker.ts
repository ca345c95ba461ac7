import { answerAsked } from './ask-worker.ts';
import { readCompressed } from './read-compressed.ts';

answerAsked(
  (bytes: ArrayBuffer) => readCompressed(bytes),
  ({ buffer }) => [buffer],
);
