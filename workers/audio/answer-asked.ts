import type { Answer } from './ask-worker.ts';

/** Answers what this worker is asked (`ask-worker.ts`); hands over what `buffersOf` names. */
export function answerAsked<Question, Value>(
  answer: (question: Question) => Promise<Value>,
  buffersOf: (value: Value) => Transferable[],
): void {
  addEventListener('message', async ({ data }: MessageEvent<Question>) => {
    try {
      const value = await answer(data);
      const done: Answer<Value> = { kind: 'done', value };
      postMessage(done, { transfer: buffersOf(value) });
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      const failed: Answer<Value> = { kind: 'failed', message };
      postMessage(failed);
    }
  });
}
