import { expect, test, vi } from 'vitest';
import { createHeartbeat } from '../../src/bridge/heartbeat.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

function setUp(patience = 5) {
  const clock = createFakeClock();
  const onSilent = vi.fn();
  let answer = (): void => {};
  let isAlive = true;
  const ping = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve;
        if (isAlive) resolve();
      }),
  );
  const heartbeat = createHeartbeat({ clock, ping, silenceLimitTicks: () => patience, onSilent });
  return {
    clock,
    heartbeat,
    onSilent,
    ping,
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
      onSilent,
    });
    if (isDoubted) heartbeat.doubt();
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
