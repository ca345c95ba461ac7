import { expect, test } from 'vitest';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { createReplay, type SpeechPipeline } from '../../workers/session/speech-pipeline.ts';

const TEN_MINUTES_SAMPLES = 600 * 16_000;

test('a long replay lets others have their turn: the page asks the worker whether it lives', async () => {
  let framesTaken = 0;
  const framesAtTurns: number[] = [];
  const inferredAtOnce = {
    take() {
      framesTaken += 1;
    },
  } as unknown as SpeechPipeline;
  const asking = setInterval(() => framesAtTurns.push(framesTaken), 0);
  const pcm = new Int16Array(TEN_MINUTES_SAMPLES);
  const replay = createReplay('dead', createSampleAccounts(), browserClock);
  await replay.of([{ kind: 'audio', startSample: 0, pcm }], inferredAtOnce);
  clearInterval(asking);
  expect(framesTaken).toBe(6_250);
  const before = framesAtTurns.filter((frames) => frames > 0 && frames < framesTaken);
  expect(before.length).toBeGreaterThan(10);
});
