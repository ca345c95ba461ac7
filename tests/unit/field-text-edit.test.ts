import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findEdit, shiftOffset, shiftOffsetBehind } from '../../src/field/saved-cursors.ts';

const SEED = { seed: 20_261 };
const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });

describe('the change between two texts', () => {
  test('makes the one of the other, whatever caret is given', () => {
    fc.assert(
      fc.property(text, text, fc.option(fc.nat(14)), (before, after, caret) => {
        const edit = findEdit(before, after, caret);
        if (edit === null) {
          expect(before).toBe(after);
          return;
        }
        const inserted = after.slice(edit.start, edit.start + edit.inserted);
        const rest = before.slice(edit.start + edit.removed);
        expect(before.slice(0, edit.start) + inserted + rest).toBe(after);
        expect(edit.removed + edit.inserted).toBeGreaterThan(0);
      }),
      SEED,
    );
  });

  test('of a key typed or deleted at the caret is exactly there', () => {
    fc.assert(
      fc.property(text, fc.nat(12), fc.constantFrom('a', 'b', ''), (before, place, key) => {
        const at = Math.min(place, before.length - 1);
        fc.pre(at >= 0);
        const removed = key === '' ? 1 : 0;
        const after = before.slice(0, at) + key + before.slice(at + removed);
        const edit = findEdit(before, after, at + key.length);
        // A deleted letter beside its like may as well have been the other one to its right.
        expect(edit?.start).toBeGreaterThanOrEqual(at);
        expect(before.slice(at, edit?.start)).toBe(after.slice(at, edit?.start));
        if (key !== '') expect(edit).toEqual({ start: at, removed: 0, inserted: 1 });
      }),
      SEED,
    );
  });
});

describe('an offset', () => {
  const insertion = { start: 3, removed: 0, inserted: 2 };
  const replacement = { start: 3, removed: 4, inserted: 2 };
  test.each([
    ['before an insertion', 2, insertion, 2, 2],
    ['at an insertion', 3, insertion, 3, 5],
    ['after an insertion', 4, insertion, 6, 6],
    ['before a replacement', 3, replacement, 3, 5],
    ['in a replacement', 5, replacement, 5, 5],
    ['at the end of a replacement', 7, replacement, 5, 5],
    ['after a replacement', 9, replacement, 7, 7],
  ])('%s', (_, offset, edit, before, behind) => {
    expect(shiftOffset(offset, edit)).toBe(before);
    expect(shiftOffsetBehind(offset, edit)).toBe(behind);
  });
});
