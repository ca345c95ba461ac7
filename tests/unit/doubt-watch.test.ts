import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createDoubtWatch,
  DOUBT_PROBABILITY,
  type FreshTask,
  RECENT_FRAMES,
} from '../../src/core/speech/steady-engine.ts';

/** The tasks for a row of probabilities of the carried hearing; the fresh one says the same. */
function tasksOf(carried: readonly number[], watch = createDoubtWatch()): FreshTask[] {
  return carried.map((probability) => {
    const task = watch.task(probability);
    watch.settled(probability);
    return task;
  });
}

const times = <T>(count: number, value: T): T[] => Array(count).fill(value);

const rows = fc
  .array(
    fc.tuple(
      fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.0009, 0.001, 0.8)),
      fc.integer({ min: 1, max: 40 }),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((runs) => runs.flatMap(([probability, count]) => times(count, probability)));

test('quiet asks for nothing, nor does speech that is sure from its first frame', () => {
  expect(new Set(tasksOf([...times(700, 0.0009), ...times(50, 0.95)]))).toEqual(new Set(['rest']));
});

test('a doubt is heard again at once, then followed until twenty frames without one', () => {
  const tasks = tasksOf([0, 0.001, 0.7, 0.99, ...times(20, 0), 0.5]);
  expect(tasks).toEqual(['rest', 'relisten', 'follow', ...times(20, 'follow'), 'rest', 'relisten']);
});

test('a doubt that goes on without words is heard anew; speech is not broken off', () => {
  const wordless = tasksOf(times(160, 0.1)).flatMap((task, i) => (task === 'relisten' ? [i] : []));
  expect(wordless).toEqual([0, RECENT_FRAMES, 2 * RECENT_FRAMES, 3 * RECENT_FRAMES]);
  const spoken = tasksOf(Array.from({ length: 300 }, (_, i) => (i % 8 === 7 ? 0.9 : 0.3)));
  expect(spoken.filter((task) => task === 'relisten')).toHaveLength(1);
});

test('whatever is heard: nothing is followed that was not begun, every new doubt is heard', () => {
  fc.assert(
    fc.property(rows, (carried) => {
      let isBegun = false;
      for (const [i, task] of tasksOf(carried).entries()) {
        const probability = carried[i]!;
        if (task === 'relisten') {
          expect(probability).toBeGreaterThanOrEqual(DOUBT_PROBABILITY);
          isBegun = true;
        } else if (task === 'follow') expect(isBegun).toBe(true);
        else {
          isBegun = false;
          expect(probability < DOUBT_PROBABILITY || probability >= 0.8).toBe(true);
        }
      }
    }),
  );
});

test('a reset watch is a new one', () => {
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const watch = createDoubtWatch();
      tasksOf(before, watch);
      watch.reset();
      expect(tasksOf(after, watch)).toEqual(tasksOf(after));
    }),
  );
});
