import { expect, test } from 'vitest';

test('isolated', () => {
  expect(crossOriginIsolated).toBe(true);
});
