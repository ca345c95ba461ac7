import { expect, test, vi } from 'vitest';
import { watchLifeLock } from '../../src/client/life-lock.ts';
import { blobUrl } from '../helpers/capture-edges.ts';

/** A worker that holds the lock it is told of, and says when it has it. */
function newHolder() {
  const script = `onmessage = ({ data }) =>
    navigator.locks.request(data, () => { postMessage('held'); return new Promise(() => {}); });`;
  const worker = new Worker(blobUrl(script, 'text/javascript'));
  const hold = (name: string) =>
    new Promise<void>((resolve) => {
      worker.onmessage = () => resolve();
      worker.postMessage(name);
    });
  return { worker, hold };
}

test('a worker that is terminated is known to be dead at once, and one that lives is not', async () => {
  const [dying, living] = [newHolder(), newHolder()];
  const [onDeath, onOther] = [vi.fn(), vi.fn()];
  const held = vi.fn(dying.hold);
  watchLifeLock(held, onDeath);
  const stop = watchLifeLock(living.hold, onOther);
  await held.mock.results[0]?.value;
  dying.worker.terminate();
  await expect.poll(() => onDeath.mock.calls.length).toBe(1);
  expect(onOther).not.toHaveBeenCalled();
  stop();
  living.worker.terminate();
});

test('a watch that has ended says nothing', async () => {
  const { worker, hold } = newHolder();
  const onDeath = vi.fn();
  let name = '';
  const stop = watchLifeLock((given) => {
    name = given;
    return hold(given);
  }, onDeath);
  await expect
    .poll(async () => (await navigator.locks.query()).held?.map((lock) => lock.name))
    .toContain(name);
  stop();
  worker.terminate();
  // The lock is free, and nobody of ours waits for it.
  await navigator.locks.request(name, () => {});
  expect(onDeath).not.toHaveBeenCalled();
});
