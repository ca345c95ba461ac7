import { describe, expect, test, vi } from 'vitest';
import { createHeartbeat } from '../../src/core/heartbeat.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

function setUp(patience = 5) {
  const clock = createFakeClock();
  const onSilent = vi.fn();
  let answer = (): void => {};
  let isAlive = true;
  let isAtRest = false;
  const ping = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve;
        if (isAlive) resolve();
      }),
  );
  const heartbeat = createHeartbeat({
    clock,
    ping,
    silenceLimitTicks: () => patience,
    isAtRest: () => isAtRest,
    onSilent,
  });
  return {
    clock,
    heartbeat,
    onSilent,
    ping,
    rest: (isResting: boolean) => {
      isAtRest = isResting;
    },
    hang: () => {
      isAlive = false;
    },
    revive: () => {
      isAlive = true;
      answer();
    },
  };
}

test('a worker that answers is asked about once a second and never given up', async () => {
  const { clock, onSilent, ping } = setUp();
  await clock.advance(600_000);
  expect(onSilent).not.toHaveBeenCalled();
  expect(ping.mock.calls.length).toBeGreaterThan(500);
});

test('a worker that hangs is given up after 6 s at the latest', async () => {
  const { clock, hang, onSilent } = setUp();
  await clock.advance(10_500);
  hang();
  await clock.advance(4_500);
  expect(onSilent).not.toHaveBeenCalled();
  await clock.advance(1_500);
  expect(onSilent).toHaveBeenCalledTimes(1);
  await clock.advance(60_000);
  expect(onSilent, 'told once').toHaveBeenCalledTimes(1);
});

test('what the worker tells by itself is a sign of life, and its silence afterwards is not', async () => {
  const { clock, heartbeat, hang, onSilent, ping } = setUp();
  await clock.advance(1_500);
  hang();
  const asked = ping.mock.calls.length;
  for (let second = 0; second < 60; second += 1) {
    heartbeat.sign();
    await clock.advance(1_000);
  }
  expect(ping).toHaveBeenCalledTimes(asked);
  await clock.advance(4_000);
  expect(onSilent).not.toHaveBeenCalled();
  await clock.advance(3_000);
  expect(onSilent).toHaveBeenCalledTimes(1);
});

test('one that was asked in vain and tells something after all begins anew', async () => {
  const { clock, heartbeat, hang, onSilent } = setUp();
  await clock.advance(1_500);
  hang();
  for (let round = 0; round < 5; round += 1) {
    await clock.advance(4_000);
    heartbeat.sign();
  }
  expect(onSilent).not.toHaveBeenCalled();
});

describe('at rest', () => {
  test('a worker is asked about every five seconds, and one that hangs is given up all the same', async () => {
    const { clock, hang, onSilent, ping, rest } = setUp();
    rest(true);
    await clock.advance(60_000);
    expect(ping.mock.calls.length).toBeLessThan(15);
    hang();
    await clock.advance(6_000 + 3_500);
    expect(onSilent).not.toHaveBeenCalled();
    await clock.advance(5_000);
    expect(onSilent).toHaveBeenCalledTimes(1);
  });

  test('what begins is watched from its first moment: one that hung is given up after 6 s', async () => {
    const { clock, heartbeat, hang, onSilent, ping, rest } = setUp();
    rest(true);
    await clock.advance(21_000);
    hang();
    const asked = ping.mock.calls.length;
    heartbeat.attend();
    expect(ping).toHaveBeenCalledTimes(asked + 1);
    await clock.advance(6_000);
    expect(onSilent).toHaveBeenCalledTimes(1);
  });

  test('being told often that something goes on asks no more often', async () => {
    const { clock, heartbeat, ping } = setUp();
    for (let time = 0; time < 100; time += 1) {
      heartbeat.attend();
      await clock.advance(100);
    }
    expect(ping.mock.calls.length).toBeLessThan(12);
  });

  test('is over: a second between two looks again', async () => {
    const { clock, heartbeat, ping, rest } = setUp();
    rest(true);
    await clock.advance(20_000);
    rest(false);
    heartbeat.attend();
    const asked = ping.mock.calls.length;
    await clock.advance(10_000);
    expect(ping.mock.calls.length).toBeGreaterThan(asked + 8);
  });
});

test('a worker that is slow, but answers within 5 s, is not given up', async () => {
  const { clock, hang, revive, onSilent } = setUp();
  for (let round = 0; round < 5; round += 1) {
    hang();
    await clock.advance(4_500);
    revive();
    await clock.advance(1_000);
  }
  expect(onSilent).not.toHaveBeenCalled();
});

test('a page that stood still, or slept for hours, has not heard silence for that long', async () => {
  const { clock, hang, revive, onSilent } = setUp();
  for (const standstillMs of [5_000, 60_000, 8 * 3_600_000]) {
    hang();
    await clock.advance(1_000);
    clock.jump(standstillMs);
    // The page's own timer comes first, the worker's answer right behind it.
    await clock.advance(0);
    revive();
    await clock.advance(2_000);
  }
  expect(onSilent).not.toHaveBeenCalled();
});

test('a script that is slow to come has half a minute; one that failed has not', async () => {
  const start = (isDoubted: boolean) => {
    const clock = createFakeClock();
    const onSilent = vi.fn();
    const heartbeat = createHeartbeat({
      clock,
      ping: () => new Promise(() => {}),
      silenceLimitTicks: () => 5,
      isAtRest: () => true,
      onSilent,
    });
    if (isDoubted) heartbeat.suspect();
    return { clock, onSilent };
  };
  const loading = start(false);
  await loading.clock.advance(29_000);
  expect(loading.onSilent).not.toHaveBeenCalled();
  await loading.clock.advance(2_000);
  expect(loading.onSilent).toHaveBeenCalled();
  const broken = start(true);
  await broken.clock.advance(6_000);
  expect(broken.onSilent).toHaveBeenCalled();
});

test('stopped, it asks nothing more', async () => {
  const { clock, heartbeat, ping, onSilent, hang } = setUp();
  await clock.advance(2_000);
  hang();
  heartbeat.stop();
  const asked = ping.mock.calls.length;
  await clock.advance(60_000);
  expect(ping).toHaveBeenCalledTimes(asked);
  expect(onSilent).not.toHaveBeenCalled();
});
