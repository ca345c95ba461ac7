import { expect, test } from 'vitest';
import { createDeferred, sleep, untilAborted } from '../../src/core/async.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

/** A signal that counts who listens. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener(...given: Parameters<typeof add>) {
      listeners += 1;
      add(...given);
    },
    removeEventListener(...given: Parameters<typeof remove>) {
      listeners -= 1;
      remove(...given);
    },
  });
  return { controller, signal, listeners: () => listeners };
}

test('a sleep that is over listens to its signal no more', async () => {
  const clock = createFakeClock();
  const { signal, listeners } = countedSignal();
  const slept = sleep(clock, 100, signal);
  await clock.advance(100);
  await slept;
  expect(listeners()).toBe(0);
});

test('a sleep ends with its signal and leaves no timer behind', async () => {
  const clock = createFakeClock();
  const { controller, signal, listeners } = countedSignal();
  const slept = sleep(clock, 100, signal);
  controller.abort();
  await slept;
  expect(clock.waits()).toEqual([]);
  expect(listeners()).toBe(0);
  await sleep(clock, 100, signal);
  expect(clock.waits()).toEqual([]);
});

test('work that takes no notice of its signal is left with the reason', async () => {
  const { controller, signal, listeners } = countedSignal();
  const left = untilAborted(new Promise(() => {}), signal);
  controller.abort(new Error('enough'));
  await expect(left).rejects.toThrow('enough');
  await expect(
    untilAborted(Promise.reject(new Error('own')), new AbortController().signal),
  ).rejects.toThrow('own');
  expect(await untilAborted(Promise.resolve(1), new AbortController().signal)).toBe(1);
  await expect.poll(listeners).toBe(0);
});

test('a deferred is settled once', async () => {
  const deferred = createDeferred<number>();
  deferred.resolve(1);
  deferred.resolve(2);
  expect(await deferred.promise).toBe(1);
});
