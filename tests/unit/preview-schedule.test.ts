import { expect, test } from 'vitest';
import { msToSamples } from '../../src/core/audio/audio-format.ts';
import { createPreviewSchedule } from '../../src/core/speech/live-pieces.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const BUSY = { kind: 'busy', retryAfterMs: null } as const;

function setUp() {
  const clock = createFakeClock();
  const schedule = createPreviewSchedule(clock);
  const isDueAfter = (grownMs: number, number = 0, fromMs = 0) =>
    schedule.isDue(number, msToSamples(fromMs + grownMs));
  /** Asks at so much speech; the answer takes so long. */
  const ask = (atMs: number, tookMs: number, number = 0) => {
    schedule.asked(number, msToSamples(atMs));
    clock.jump(tookMs);
    schedule.ended('answered');
  };
  return { clock, schedule, isDueAfter, ask };
}

test('a piece is asked for after 1.4 s of speech, and again after as much more', () => {
  const { isDueAfter, ask } = setUp();
  expect(isDueAfter(1_399)).toBe(false);
  expect(isDueAfter(1_400)).toBe(true);
  ask(1_400, 250);
  expect(isDueAfter(1_399, 0, 1_400)).toBe(false);
  expect(isDueAfter(1_400, 0, 1_400)).toBe(true);
  expect(isDueAfter(1_400, 1), 'the next piece begins anew').toBe(true);
});

test('the slower the answers, the rarer: never before the piece has grown by as much', () => {
  const { isDueAfter, ask } = setUp();
  ask(1_400, 750);
  expect(isDueAfter(1_499, 0, 1_400)).toBe(false);
  expect(isDueAfter(1_500, 0, 1_400)).toBe(true);
  ask(3_000, 1_200);
  expect(isDueAfter(1_799, 0, 3_000)).toBe(false);
  expect(isDueAfter(1_800, 0, 3_000)).toBe(true);
  ask(5_000, 3_000);
  expect(isDueAfter(2_999, 0, 5_000)).toBe(false);
  expect(isDueAfter(3_000, 0, 5_000)).toBe(true);
});

test('the longer the piece, the rarer: all of it is heard again each time', () => {
  const { isDueAfter, ask } = setUp();
  ask(4_800, 250);
  expect(isDueAfter(1_599, 0, 4_800)).toBe(false);
  expect(isDueAfter(1_600, 0, 4_800)).toBe(true);
  ask(12_000, 250);
  expect(isDueAfter(1_799, 0, 12_000)).toBe(false);
  expect(isDueAfter(1_800, 0, 12_000)).toBe(true);
});

test('a server that is busy is left alone, longer each time, and at least as long as it says', () => {
  const { clock, schedule, ask } = setUp();
  for (const restMs of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    schedule.ended(BUSY);
    clock.jump(restMs - 1);
    expect(schedule.isOpen).toBe(false);
    clock.jump(1);
    expect(schedule.isOpen).toBe(true);
  }
  ask(800, 100);
  schedule.ended({ kind: 'busy', retryAfterMs: 7_000 });
  clock.jump(6_999);
  expect(schedule.isOpen).toBe(false);
  clock.jump(1);
  expect(schedule.isOpen).toBe(true);
});

test('a clock that is set back does not make a rest of seconds one of hours', () => {
  const { clock, schedule } = setUp();
  schedule.ended(BUSY);
  clock.jump(-3_600_000);
  expect(schedule.isOpen).toBe(true);
});

test('a server that takes no previews is asked for none any more', () => {
  const { clock, schedule } = setUp();
  schedule.ended('refused');
  clock.jump(3_600_000);
  expect(schedule.isOpen).toBe(false);
});
