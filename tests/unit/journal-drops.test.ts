import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FRAME_SAMPLES, type SampleRange } from '../../src/core/audio/audio-format.ts';
import { createJournalAudio } from '../../workers/store/journal-audio.ts';
import { MAX_RECORD_SAMPLES } from '../../workers/store/write-behind.ts';

describe('silence gathered for deletion', () => {
  test('is given rarely, as one range while it goes on', () => {
    const drops = createJournalAudio();
    const given: SampleRange[] = [];
    for (let frame = 0; frame < 600; frame += 1) {
      const range = {
        startSample: frame * FRAME_SAMPLES,
        endSample: (frame + 1) * FRAME_SAMPLES,
      };
      given.push(...drops.drop(range));
    }
    expect(given.length).toBeGreaterThan(5);
    expect(given.length).toBeLessThan(10);
  });

  test('every record inside what was dropped is inside what is given, and no other', () => {
    const steps = fc.array(
      fc.record({ pause: fc.constantFrom(0, 0, 0, 500, 5_000), length: fc.nat(40_000) }),
    );
    const offset = fc.nat(FRAME_SAMPLES - 1);
    fc.assert(
      fc.property(steps, offset, (list, firstSample) => {
        const drops = createJournalAudio();
        const given: SampleRange[] = [];
        const dropped: { startSample: number; endSample: number }[] = [];
        let position = firstSample;
        for (const { pause, length } of list) {
          position += pause;
          const range = { startSample: position, endSample: position + length };
          given.push(...drops.drop(range));
          position += length;
          const last = dropped.at(-1);
          if (last?.endSample === range.startSample) last.endSample = range.endSample;
          else dropped.push(range);
        }
        given.push(...drops.takeAll());
        for (const samples of [FRAME_SAMPLES, MAX_RECORD_SAMPLES]) {
          const isInside = (ranges: readonly SampleRange[], start: number) =>
            ranges.some((r) => r.startSample <= start && start + samples <= r.endSample);
          for (let start = 0; start < position; start += FRAME_SAMPLES) {
            expect(isInside(given, start)).toBe(isInside(dropped, start));
          }
        }
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});
