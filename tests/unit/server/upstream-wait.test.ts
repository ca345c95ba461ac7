import { expect, test } from 'vitest';
import { retryAfterMsOf } from '../../../server/engine/ask-upstream.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

test.each<[string, Record<string, string>, number | null]>([
  ['none', {}, null],
  ['whole seconds', { 'retry-after': '20' }, 20_000],
  ['a fraction of a second', { 'retry-after': '1.5' }, 1_500],
  ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5_000],
  ['a date that is over', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
  ['less than nothing', { 'retry-after': '-5' }, null],
  ['no date', { 'retry-after': '2027-01' }, null],
  ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
])('an engine that asks to wait: %s', (_name, headers, waitMs) => {
  expect(retryAfterMsOf(new Headers(headers), NOW_MS)).toBe(waitMs);
});
