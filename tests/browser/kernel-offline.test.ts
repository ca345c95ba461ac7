import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio-format.ts';
import { createHttpClient } from '../../workers/http/http-client.ts';
import { createKernelEngine, type KernelEngine } from '../../workers/kernel/kernel-engine.ts';
import { fetchKernel } from '../../workers/kernel/kernel-factory.ts';
import { createOfflineEngine, type OfflineEngine } from '../../workers/offline/offline-engine.ts';
import { systemClock } from '../../workers/system-clock.ts';
import dictationUrl from '../fixtures/dictation-one.wav?url';
import { readWave } from '../helpers/read-wave.ts';

const http = createHttpClient({ clock: systemClock });

let speech: Float32Array = new Float32Array();
beforeAll(async () => {
  speech = await readWave(await (await fetch(dictationUrl)).arrayBuffer(), 3);
});

/** What the kernel answers, frame by frame. */
function oneByOne(kernel: KernelEngine, samples: Float32Array): number[] {
  kernel.reset();
  const answers: number[] = [];
  for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
    answers.push(kernel.judge(samples.subarray(at, at + FRAME_SAMPLES)));
  }
  return answers;
}

describe.each([
  { model: 'v6', threads: 1 },
  { model: 'v6', threads: 2 },
  { model: 'v6', threads: 4 },
  { model: 'v4', threads: 2 },
] as const)('$model on $threads threads', ({ model, threads }) => {
  let kernel: KernelEngine;
  let offline: OfflineEngine;
  beforeAll(async () => {
    kernel = createKernelEngine({ model, ...(await fetchKernel({ model, http })) });
    offline = await createOfflineEngine({ model, threads, http });
  });
  afterAll(() => offline.dispose());

  test.each([1, 7.5, 8, 9, 40, 100])('%d frames give what one thread gives', async (frames) => {
    const samples = speech.subarray(0, frames * FRAME_SAMPLES);
    const wanted = oneByOne(kernel, samples);
    expect(Math.max(...wanted.slice(0, frames))).toBeGreaterThan(frames > 30 ? 0.9 : 0);
    expect([...(await offline.judgeAll(samples))]).toEqual(wanted);
  });

  test('a second run starts from a clean state', async () => {
    const samples = speech.subarray(20 * FRAME_SAMPLES, 60 * FRAME_SAMPLES);
    const first = await offline.judgeAll(samples);
    expect(await offline.judgeAll(samples)).toEqual(first);
  });

  test('no audio, no answers', async () => {
    expect(await offline.judgeAll(new Float32Array())).toHaveLength(0);
  });
});
