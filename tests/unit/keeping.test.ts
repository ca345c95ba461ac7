import { expect, test } from 'vitest';
import { completeKeeping, DEFAULT_KEEPING } from '../../src/core/recordings/recording.ts';

test('what is not given stays as it was', () => {
  expect(completeKeeping({}, DEFAULT_KEEPING)).toEqual(DEFAULT_KEEPING);
  const base = { keepRecordings: 2, keepRecordingsBytes: 5 };
  expect(completeKeeping({ keepRecordings: 0 }, base)).toEqual({ ...base, keepRecordings: 0 });
  expect(completeKeeping({ keepRecordings: 720, keepRecordingsBytes: 0 }, base)).toEqual({
    keepRecordings: 720,
    keepRecordingsBytes: 0,
  });
});

test.each([
  { keepRecordings: -1 },
  { keepRecordings: 720.1 },
  { keepRecordings: Number.NaN },
  { keepRecordingsBytes: -1 },
  { keepRecordingsBytes: Number.POSITIVE_INFINITY },
  { keepRecordingsBytes: Number.NaN },
])('what cannot be is refused: %j', (given) => {
  expect(() => completeKeeping(given, DEFAULT_KEEPING)).toThrow(
    expect.objectContaining({ code: 'bad-option' }),
  );
});
