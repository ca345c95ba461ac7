import { expect, test } from 'vitest';
import { createGapWatch } from '../../worklets/capture-pipeline.ts';

/** What is lost before each block of 128, by the clock it came with. */
function losses(...blockFrames: number[]): number[] {
  const watch = createGapWatch();
  return blockFrames.map((blockFrame) => watch.advance(blockFrame, 128));
}

test('block after block: nothing lost', () => {
  expect(losses(0, 128, 256, 384)).toEqual([0, 0, 0, 0]);
});

test('a leap of the clock is what was lost', () => {
  expect(losses(0, 128, 384, 512, 1_024)).toEqual([0, 0, 128, 0, 384]);
});

test('a clock that stands still and catches up lost nothing', () => {
  expect(losses(0, 128, 128, 128, 512, 640)).toEqual([0, 0, 0, 0, 0, 0]);
});

test('a loss is seen behind a clock that stood still', () => {
  expect(losses(0, 128, 128, 512)).toEqual([0, 0, 0, 128]);
});

test('the first block may come with a clock that has not been set yet', () => {
  expect(losses(0, 4_992, 5_120)).toEqual([0, 0, 0]);
  expect(losses(0, 0, 5_120, 5_248, 5_504)).toEqual([0, 0, 0, 0, 128]);
});

test('blocks may change in size', () => {
  const watch = createGapWatch();
  expect([watch.advance(0, 128), watch.advance(128, 256), watch.advance(384, 128)]).toEqual([
    0, 0, 0,
  ]);
});
