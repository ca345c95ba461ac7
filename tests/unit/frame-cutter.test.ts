import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio-format.ts';
import { createFrameCutter, type FrameCutter } from '../../src/core/frame-cutter.ts';

type Emitted = { samples: Float32Array; startSample: number };

function newCutter(): { cutter: FrameCutter; emitted: Emitted[] } {
  const emitted: Emitted[] = [];
  const cutter = createFrameCutter({
    // Dirty memory, as from a pool.
    take: () => new Float32Array(FRAME_SAMPLES).fill(99),
    emit: (samples, startSample) => emitted.push({ samples, startSample }),
  });
  return { cutter, emitted };
}

/** Counting samples, so that a lost, doubled or misplaced one shows. */
function pushNumbers(cutter: FrameCutter, count: number): void {
  const start = cutter.positionSamples;
  cutter.push(
    Float32Array.from({ length: count + 5 }, (_, i) => start + i),
    count,
  );
}

test('any pieces and flushes: each sample once, in its place, in full frames but at flushes', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 4_096 }) },
    fc.constant('flush' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { cutter, emitted } = newCutter();
      const flushedAt = new Set<number>();
      for (const next of [...steps, 'flush' as const]) {
        if (next === 'flush') {
          cutter.flush();
          flushedAt.add(cutter.positionSamples);
        } else pushNumbers(cutter, next);
      }
      let position = 0;
      for (const { samples, startSample } of emitted) {
        expect(startSample).toBe(position);
        expect(samples.every((value, i) => value === position + i)).toBe(true);
        expect(samples.length).toBeGreaterThan(0);
        position += samples.length;
        if (samples.length !== FRAME_SAMPLES) expect(flushedAt).toContain(position);
      }
      expect(position).toBe(cutter.positionSamples);
    }),
    { seed: 2 },
  );
});

test('a short frame has memory of its own size', () => {
  const { cutter, emitted } = newCutter();
  pushNumbers(cutter, 10);
  cutter.flush();
  expect(emitted[0]?.samples.buffer.byteLength).toBe(40);
});

test('a flush with nothing to give gives nothing', () => {
  const { cutter, emitted } = newCutter();
  cutter.flush();
  pushNumbers(cutter, FRAME_SAMPLES);
  cutter.flush();
  cutter.flush();
  expect(emitted).toHaveLength(1);
});
