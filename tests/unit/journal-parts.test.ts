import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JournalMark, JournalPart } from '../../src/core/session/journal.ts';
import { assembleParts } from '../../workers/store/journal-audio.ts';
import { outline } from '../helpers/journal-session.ts';

/** A frame whose every sample tells its own place. */
function frame(startSample: number, length: number) {
  const pcm = Int16Array.from({ length }, (_, index) => startSample + index);
  return { startSample, endSample: startSample + length, pcm };
}

function lengthOf(part: JournalPart): number {
  if (part.kind === 'audio') return part.pcm.length;
  return part.kind === 'hole' ? part.endSample - part.startSample : 0;
}

function startOf(part: JournalPart): number {
  return 'atSample' in part ? part.atSample : part.startSample;
}

describe('a journal read back', () => {
  test('neighbours are one stretch, what was dropped is a hole', () => {
    const parts = assembleParts([frame(10, 5), frame(15, 5), frame(30, 5)], [], 0);
    expect(outline(parts)).toEqual(['hole 0-10', [10, 20], 'hole 20-30', [30, 35]]);
  });

  test('a mark splits audio where it stands, in a frame, at its end and in a hole', () => {
    const marks: JournalMark[] = [
      { kind: 'gap', atSample: 3 },
      { kind: 'paused', atSample: 10 },
      { kind: 'gap', atSample: 15 },
      { kind: 'paused', atSample: 40 },
    ];
    const parts = assembleParts([frame(0, 5), frame(5, 5), frame(20, 5)], marks, 0);
    expect(outline(parts)).toEqual([
      [0, 3],
      'gap 3',
      [3, 10],
      'paused 10',
      'hole 10-15',
      'gap 15',
      'hole 15-20',
      [20, 25],
      'hole 25-40',
      'paused 40',
    ]);
  });

  test('what cannot be read is a hole of its own, told from what was silent', () => {
    const broken = { startSample: 10, endSample: 20, pcm: undefined };
    const parts = assembleParts([frame(0, 5), broken, frame(20, 5)], [], 0);
    expect(outline(parts)).toEqual([[0, 5], 'hole 5-10', 'hole 10-20', [20, 25]]);
    expect(parts.flatMap((part) => (part.kind === 'hole' ? [part.cause] : []))).toEqual([
      'silent',
      'unreadable',
    ]);
    const atTheEnd = assembleParts([frame(0, 5), broken], [], 12);
    expect(atTheEnd).toEqual([
      { kind: 'hole', cause: 'unreadable', startSample: 12, endSample: 20 },
    ]);
  });

  test('from a cut, the frame it goes through is taken from there', () => {
    const parts = assembleParts([frame(0, 5), frame(5, 5)], [{ kind: 'gap', atSample: 2 }], 7);
    expect(outline(parts)).toEqual([[7, 10]]);
    expect(parts[0]).toMatchObject({ pcm: Int16Array.of(7, 8, 9) });
  });

  test('every stored sample comes once and in its place, whatever overlaps or is missing', () => {
    const frames = fc
      .array(fc.record({ step: fc.nat(12), length: fc.integer({ min: 1, max: 9 }) }))
      .map((steps) => {
        let startSample = 0;
        return steps.map(({ step, length }) => {
          startSample += step;
          return frame(startSample, length);
        });
      });
    const marks = fc
      .array(fc.record({ kind: fc.constantFrom('gap', 'paused'), atSample: fc.nat(150) } as const))
      .map((list) => list.sort((a, b) => a.atSample - b.atSample));

    fc.assert(
      fc.property(frames, marks, fc.nat(30), (stored, marked, fromSample) => {
        const parts = assembleParts(stored, marked, fromSample);
        const expected = new Set(
          stored.flatMap(({ pcm }) => [...pcm]).filter((sample) => sample >= fromSample),
        );
        let position = fromSample;
        for (const part of parts) {
          expect(startOf(part)).toBe(position);
          position += lengthOf(part);
          if (part.kind !== 'audio') continue;
          for (const [index, sample] of part.pcm.entries()) {
            expect(sample).toBe(part.startSample + index);
            expect(expected.delete(part.startSample + index)).toBe(true);
          }
        }
        expect(expected.size).toBe(0);
        expect(parts.filter((part) => 'atSample' in part)).toEqual(
          marked.filter(({ atSample }) => atSample >= fromSample),
        );
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});
