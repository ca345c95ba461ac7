import { describe, expect, test } from 'vitest';
import { createFrameWatch } from '../../src/capture/liveness.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

function setUp() {
  const clock = createFakeClock();
  const told: (readonly [what: string, atMs: number, ...more: unknown[]])[] = [];
  const startMs = clock.nowMs();
  const tell = (what: string, ...more: unknown[]): void => {
    told.push([what, clock.nowMs() - startMs, ...more]);
  };
  /** A browser's timers take no notice when the computer's clock is set. */
  let setByMs = 0;
  const watch = createFrameWatch({
    clock: { ...clock, nowMs: () => clock.nowMs() + setByMs },
    mend: () => tell('mend'),
    onStalled: () => tell('stalled'),
    onFlowing: (unheardMs, hasSlept) => tell('flowing', unheardMs, hasSlept),
  });
  /** Seconds of audio, as they come. */
  async function hear(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1_000);
      watch.heard(0);
    }
  }
  function setClock(byMs: number): void {
    setByMs += byMs;
  }
  return { clock, watch, told, hear, setClock };
}

test('as long as audio comes, nothing happens and one timer waits', async () => {
  const { clock, told, hear } = setUp();
  await hear(60);
  expect(told).toEqual([]);
  expect(clock.waits()).toHaveLength(1);
});

test('nothing for 1.5 s is mended, 1.75 s more are told, and mended again and again', async () => {
  const { clock, told, hear } = setUp();
  await hear(1);
  await clock.advance(8_000);
  expect(told).toEqual([
    ['mend', 2_500],
    ['stalled', 4_250],
    ['mend', 6_000],
    ['mend', 7_750],
  ]);
});

test('what comes again ends the alarm, and says for how long nothing came', async () => {
  const { clock, watch, told, hear } = setUp();
  await hear(1);
  await clock.advance(11_400);
  watch.heard(11_000);
  expect(told.at(-1)).toEqual(['flowing', 12_400, 11_000, false]);
  const before = told.length;
  await hear(5);
  expect(told).toHaveLength(before);
});

test('mended in time: no alarm, and the gap is told', async () => {
  const { clock, watch, told, hear } = setUp();
  await hear(1);
  await clock.advance(2_000);
  watch.heard(1_900);
  expect(told).toEqual([
    ['mend', 2_500],
    ['flowing', 3_000, 1_900, false],
  ]);
});

test('a false alarm is taken back without a gap', async () => {
  const { clock, watch, told } = setUp();
  await clock.advance(4_000);
  watch.heard(0);
  expect(told.at(-1)).toEqual(['flowing', 4_000, 0, false]);
});

describe('no alarm', () => {
  test('of a busy page: the signs are there before it looks again', async () => {
    const { clock, watch, told, hear } = setUp();
    await hear(1);
    // Five seconds in which nothing runs; then the timer comes first, as browsers like it.
    clock.jump(5_000);
    await clock.advance(0);
    for (let second = 0; second < 5; second += 1) watch.heard(0);
    await clock.advance(1_000);
    expect(told).toEqual([]);
  });

  test('of a clock that is set back or forward', async () => {
    const { told, hear, setClock } = setUp();
    await hear(3);
    setClock(-3_600_000);
    await hear(3);
    setClock(7_200_000);
    await hear(3);
    expect(told).toEqual([]);
  });

  test('while paused', async () => {
    const { clock, watch, told, hear } = setUp();
    await hear(1);
    watch.pause();
    await clock.advance(60_000);
    expect(told).toEqual([]);
    watch.resume();
    await clock.advance(3_000);
    expect(told.map(([what]) => what)).toEqual(['mend', 'mend']);
    await clock.advance(250);
    expect(told.at(-1)?.[0]).toBe('stalled');
  });

  test('after the end', async () => {
    const { clock, watch, told } = setUp();
    watch.end();
    watch.heard(5_000);
    watch.resume();
    await clock.advance(60_000);
    expect(told).toEqual([]);
    expect(clock.waits()).toEqual([]);
  });
});

test('a clock that is set back during a standstill does not hide it', async () => {
  const { clock, told, hear, setClock } = setUp();
  await hear(1);
  await clock.advance(1_000);
  setClock(-3_600_000);
  await clock.advance(2_500);
  expect(told.map(([what]) => what)).toEqual(['mend', 'stalled']);
});

test('a computer that slept: what comes first afterwards says so, timer or sign', async () => {
  for (const isTimerFirst of [true, false]) {
    const { clock, watch, told, hear } = setUp();
    await hear(1);
    clock.jump(600_000);
    if (isTimerFirst) await clock.advance(0);
    watch.heard(599_000);
    expect(told).toEqual([['flowing', 601_000, 599_000, true]]);
  }
});

test('a computer that slept, and whose sound does not come back: the alarm, and then that it slept', async () => {
  const { clock, watch, told, hear } = setUp();
  await hear(1);
  clock.jump(600_000);
  await clock.advance(5_000);
  expect(told.map(([what]) => what)).toContain('stalled');
  watch.heard(604_000);
  expect(told.at(-1)).toEqual(['flowing', 606_000, 604_000, true]);
});

test.each(['pause', 'end'] as const)('%s in an alarm ends it, with its length', async (how) => {
  const { clock, watch, told, hear } = setUp();
  await hear(1);
  await clock.advance(10_000);
  watch[how]();
  expect(told.at(-1)).toEqual(['flowing', 11_000, 10_000, false]);
});
