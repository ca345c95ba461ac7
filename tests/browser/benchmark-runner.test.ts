import { expect, test, vi } from 'vitest';
import { assetAddresses } from '../../src/assets/addresses.ts';
import { createWorkerRunner } from '../../src/benchmark/worker-runner.ts';
import type { BenchmarkCase } from '../../src/core/contracts/benchmark.ts';
import { blobUrl } from '../helpers/capture-edges.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const KERNEL: BenchmarkCase = { engine: 'kernel', threads: 1 };
const SAMPLES = new Float32Array(16_000);

const workerOf = (script: string) => new Worker(blobUrl(script, 'text/javascript'));

/** One whose threads never come: it hears everything and answers nothing. */
const createSilent = () => workerOf('onmessage = () => {};');

/** Answers all but what is named so. */
const createSilentOn = (name: string) =>
  workerOf(`onmessage = ({ data: { id, path } }) => {
    if (path[0] !== '${name}') postMessage({ id, type: 'RAW', value: null });
  };`);

const createReal = () =>
  new Worker(new URL('../../workers/benchmark.worker.ts', import.meta.url), { type: 'module' });

/** An engine in these workers, the last of them again and again. */
function runnerIn(...workers: readonly [() => Worker, ...(() => Worker)[]]) {
  const clock = createFakeClock();
  let opened = 0;
  const createWorker = vi.fn(() => {
    const open = workers[Math.min(opened, workers.length - 1)] ?? workers[0];
    opened += 1;
    return open();
  });
  const { forWorker } = assetAddresses();
  return {
    runner: createWorkerRunner(KERNEL, forWorker, { clock, createWorker }),
    clock,
    createWorker,
  };
}

test('an engine whose worker is silent is started once more in another', async () => {
  const { runner, clock, createWorker } = runnerIn(createSilent, createReal);
  const start = runner.start();
  await clock.advance(29_000);
  expect(createWorker).toHaveBeenCalledTimes(1);
  await clock.advance(1_000);
  expect((await start).startupMs).toBeGreaterThan(0);
  expect(createWorker).toHaveBeenCalledTimes(2);
  await runner.setAudio(SAMPLES);
  expect(await runner.inferAll()).toHaveLength(11);
  runner.dispose();
});

test('one that is silent in the other as well has failed', async () => {
  const { runner, clock, createWorker } = runnerIn(createSilent);
  const start = runner.start();
  const failed = expect(start).rejects.toMatchObject({ code: 'worker-timeout' });
  await clock.advance(60_000);
  await failed;
  expect(createWorker).toHaveBeenCalledTimes(2);
  expect(clock.waits()).toEqual([]);
  runner.dispose();
});

test('one that takes long and answers meanwhile is waited for', async () => {
  const worker = createSilentOn('start');
  const asked = vi.spyOn(worker, 'postMessage');
  const onAnswer = vi.fn();
  worker.addEventListener('message', onAnswer);
  const { runner, clock, createWorker } = runnerIn(() => worker);
  const onEnd = vi.fn();
  const start = runner.start().finally(onEnd);
  const allButStart = () => asked.mock.calls.length - 1;
  for (let second = 0; second < 90; second += 1) {
    await clock.advance(1_000);
    await vi.waitFor(() => expect(onAnswer).toHaveBeenCalledTimes(allButStart()), { interval: 1 });
  }
  expect(allButStart()).toBeGreaterThan(80);
  expect(onEnd).not.toHaveBeenCalled();
  expect(createWorker).toHaveBeenCalledTimes(1);
  runner.dispose();
  await expect(start).rejects.toMatchObject({ code: 'disposed' });
});

test('one that is disposed of as it starts is not started again', async () => {
  const { runner, clock, createWorker } = runnerIn(createSilent);
  const start = runner.start();
  await clock.advance(10_000);
  runner.dispose();
  await expect(start).rejects.toMatchObject({ code: 'disposed' });
  expect(clock.waits()).toEqual([]);
  await clock.advance(60_000);
  expect(createWorker).toHaveBeenCalledTimes(1);
});

test.each([
  ['setAudio', 30_000],
  ['inferAll', 31_000],
  ['run', 30_250],
  ['inferNext', 30_000],
] as const)('one that never answers %s has failed after %d ms', async (name, deadlineMs) => {
  const { runner, clock } = runnerIn(() => createSilentOn(name));
  await runner.start();
  const ask = {
    setAudio: () => runner.setAudio(SAMPLES),
    inferAll: () => runner.inferAll(),
    run: () => runner.run(250),
    inferNext: () => runner.inferNext(),
  }[name];
  if (name !== 'setAudio') await runner.setAudio(SAMPLES);
  const onEnd = vi.fn();
  const failed = expect(ask().finally(onEnd)).rejects.toMatchObject({ code: 'worker-timeout' });
  await clock.advance(deadlineMs - 1);
  expect(onEnd).not.toHaveBeenCalled();
  await clock.advance(1);
  await failed;
  runner.dispose();
});
