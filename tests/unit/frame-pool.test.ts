import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { createFramePool } from '../../worklets/frame-stream.ts';

test('memory that is given back is taken again', () => {
  const pool = createFramePool(1);
  const first = pool.take();
  pool.give(first.buffer);
  expect(pool.take().buffer).toBe(first.buffer);
});

test('an empty pool makes new memory, and does not grow by it', () => {
  const pool = createFramePool(2);
  const taken = [pool.take(), pool.take(), pool.take()];
  expect(taken.map((frame) => frame.length)).toEqual([FRAME_SAMPLES, FRAME_SAMPLES, FRAME_SAMPLES]);
  for (const frame of taken) pool.give(frame.buffer);
  expect(pool.freeFrames).toBe(2);
});

test('memory that is not a frame is refused: a short frame, one that is already gone', () => {
  const pool = createFramePool(2);
  pool.take();
  pool.give(new ArrayBuffer(40));
  const gone = new ArrayBuffer(FRAME_SAMPLES * 4);
  structuredClone(gone, { transfer: [gone] });
  pool.give(gone);
  expect(pool.freeFrames).toBe(1);
});
