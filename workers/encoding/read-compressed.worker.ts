import { readCompressed } from './read-compressed.ts';
import type { ReadAnswer } from './read-in-worker.ts';

/** Reads one file and answers once; see `read-in-worker.ts`. */
addEventListener('message', async ({ data }: MessageEvent<ArrayBuffer>) => {
  try {
    const samples = await readCompressed(data);
    const answer: ReadAnswer = { kind: 'samples', samples };
    postMessage(answer, { transfer: [samples.buffer] });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const answer: ReadAnswer = { kind: 'failed', message };
    postMessage(answer);
  }
});
