import { parentPort, workerData } from 'node:worker_threads';
import { createHunspellSpellers } from './correct-spelling.ts';
import { createTextRules } from './create-text-rules.ts';
import type { TextReply, TextRequest, TextThreadData } from './threaded-text-rules.ts';

/** The worker thread of `text-rules`: does one text after the other. */
let reason: string | null = null;
const rules = createTextRules({
  spellers: createHunspellSpellers(),
  ownWords: new Set((workerData as TextThreadData).ownWords),
  onFailure: (error) => {
    reason = error instanceof Error ? error.message : 'not an error';
  },
});
await rules.load();

parentPort?.on('message', async ({ text, wishes }: TextRequest) => {
  say(
    await rules.apply(text, wishes).then(
      (ruled): TextReply => ({ kind: 'done', ruled }),
      (error: unknown): TextReply => ({
        kind: 'failed',
        errorName: error instanceof Error ? error.name : 'not an error',
      }),
    ),
  );
});
say({ kind: 'ready', reason });

function say(reply: TextReply): void {
  parentPort?.postMessage(reply);
}
