import { expect, test } from 'vitest';
import { deadline, endedWith, withDeadline } from '../../src/platform/deadline.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

test('work ends with the first of its signals, with its reason, or by itself', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const { signal } = endedWith(one.signal, other.signal);
  expect(signal.aborted).toBe(false);
  other.abort('enough');
  one.abort('too late');
  expect(signal.reason).toBe('enough');
  expect(endedWith(other.signal).signal.reason).toBe('enough');

  const own = endedWith(new AbortController().signal);
  own.end();
  expect(own.signal.aborted).toBe(true);
});

test('time that is over aborts with a time-out, counted from the last restart', async () => {
  const clock = createFakeClock();
  const work = deadline(clock, 100);
  await clock.advance(99);
  work.restart();
  await clock.advance(99);
  expect(work.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(work.signal.reason).toMatchObject({ name: 'TimeoutError' });
  work.restart();
  expect(clock.waits()).toEqual([]);
});

test('work that is over leaves no timer, however it ends', () => {
  const clock = createFakeClock();
  const stopping = new AbortController();
  const [stopped, ended] = [deadline(clock, 100, stopping.signal), deadline(clock, 100)];
  expect(clock.waits()).toHaveLength(2);
  stopping.abort('stopped');
  ended.end();
  expect(clock.waits()).toEqual([]);
  expect(stopped.signal.reason).toBe('stopped');
  // What was stopped before it began has none, either.
  expect(deadline(clock, 100, stopping.signal).signal.aborted).toBe(true);
  expect(clock.waits()).toEqual([]);
});

test('what is late gives what was said for it, and a promise in time leaves no timer', async () => {
  const clock = createFakeClock();
  const late = withDeadline(clock, new Promise<string>(() => {}), 50, () => 'late');
  await clock.advance(50);
  expect(await late).toBe('late');
  const thrown = withDeadline(clock, new Promise<string>(() => {}), 50, () => {
    throw new Error('too late');
  });
  thrown.catch(() => {});
  await clock.advance(50);
  await expect(thrown).rejects.toThrow('too late');
  expect(await withDeadline(clock, Promise.resolve('in time'), 50, () => 'late')).toBe('in time');
  await expect.poll(() => clock.waits()).toEqual([]);
});
