import { expect, test } from 'vitest';
import { createStandstillWatch } from '../../worklets/capture-pipeline.ts';

const RATE_HZ = 48_000;
const BLOCK_MS = (128 * 1_000) / RATE_HZ;

function setUp() {
  let nowMs = 1_700_000_000_000;
  let looks = 0;
  const watch = createStandstillWatch(RATE_HZ, () => {
    looks += 1;
    return Math.floor(nowMs);
  });
  /** Audio as it comes; what was found out on the way. */
  function play(ms: number, speed = 1): number[] {
    const found: number[] = [];
    for (let at = 0; at < ms; at += BLOCK_MS) {
      nowMs += BLOCK_MS / speed;
      const unheardMs = watch.advance(128);
      if (unheardMs > 0) found.push(unheardMs);
    }
    return found;
  }
  return {
    play,
    wait(ms: number) {
      nowMs += ms;
    },
    looks: () => looks,
  };
}

test('audio that comes as it should: nothing, and the clock is read ten times a second', () => {
  const { play, looks } = setUp();
  expect(play(60_000)).toEqual([]);
  expect(looks()).toBeLessThanOrEqual(601);
});

test('a standstill is found within 100 ms of audio, once, with its length', () => {
  const { play, wait } = setUp();
  play(3_333);
  wait(12_000);
  const [found, ...more] = play(100);
  expect(Math.abs((found ?? 0) - 12_000)).toBeLessThan(5);
  expect(more).toEqual([]);
  expect(play(5_000)).toEqual([]);
});

test('two in a row are two', () => {
  const { play, wait } = setUp();
  play(500);
  wait(2_000);
  expect(play(150)).toHaveLength(1);
  wait(3_000);
  expect(play(150)).toHaveLength(1);
});

test('stutter, bursts, a faster clock and one that is set back are none', () => {
  const { play, wait } = setUp();
  expect(play(500, 100)).toEqual([]);
  for (let burst = 0; burst < 10; burst += 1) {
    wait(900);
    expect(play(900, 1_000)).toEqual([]);
  }
  wait(-3_600_000);
  expect(play(1_000)).toEqual([]);
});
