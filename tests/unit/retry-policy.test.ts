import { describe, expect, it } from 'vitest';
import {
  classifyStatus,
  honoursRetryAfter,
  parseRetryAfterMs,
  retryDelayMs,
} from '../../src/core/queue/queue-policy.ts';

const NOW_MS = Date.parse('Wed, 21 Oct 2015 07:28:00 GMT');
const lowest = () => 0;
const highest = () => 0.999_999;

describe('classifyStatus', () => {
  it.each([
    [200, 'ok'],
    [204, 'ok'],
    [302, 'retryable'],
    [400, 'rejected'],
    [401, 'unauthorised'],
    [403, 'unauthorised'],
    [404, 'rejected'],
    [408, 'retryable'],
    [413, 'rejected'],
    [415, 'rejected'],
    [422, 'rejected'],
    [425, 'retryable'],
    [429, 'retryable'],
    [500, 'retryable'],
    [503, 'retryable'],
    [599, 'retryable'],
  ])('%i is %s', (status, verdict) => {
    expect(classifyStatus(status)).toBe(verdict);
  });
});

describe('retryDelayMs', () => {
  it('is 0.3 * 2^(attempt-1) s and at most a quarter more', () => {
    expect([1, 2, 3].map((attempt) => retryDelayMs(attempt, null, lowest))).toEqual([
      300, 600, 1_200,
    ]);
    expect([1, 2, 3].map((attempt) => retryDelayMs(attempt, null, highest))).toEqual([
      375, 750, 1_500,
    ]);
  });

  it('is never sooner than the server asked for, nor than the formula', () => {
    expect(retryDelayMs(1, 5_000, highest)).toBe(5_000);
    expect(retryDelayMs(3, 0, lowest)).toBe(1_200);
  });
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 1.5 ', 1_500],
    ['60', 60_000],
    ['86400', 60_000],
    ['Wed, 21 Oct 2015 07:28:09 GMT', 9_000],
    ['Wed, 21 Oct 2015 07:27:00 GMT', 0],
    ['Wednesday, 21-Oct-15 07:28:30 GMT', 30_000],
    ['Thu, 22 Oct 2015 07:28:00 GMT', 60_000],
    [null, null],
    ['', null],
    ['soon', null],
    ['-5', null],
    ['Wed, 99 Foo 2015', null],
    ['2015', 60_000],
  ])('%j is a wait of %j ms', (header, ms) => {
    expect(parseRetryAfterMs(header, NOW_MS)).toBe(ms);
  });

  it('counts for 413, 429 and 503', () => {
    const honoured = [400, 408, 413, 429, 500, 502, 503, 504].filter(honoursRetryAfter);
    expect(honoured).toEqual([413, 429, 503]);
  });
});
