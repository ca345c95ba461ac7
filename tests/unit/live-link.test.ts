import { afterEach, expect, test, vi } from 'vitest';
import { isLinkFast } from '../../workers/session/live-speech.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['a browser that tells nothing', undefined, true],
  ['a fast link', { saveData: false, effectiveType: '4g' }, true],
  ['a link whose speed is not told', {}, true],
  ['somebody who saves data', { saveData: true, effectiveType: '4g' }, false],
  ['a slow link', { saveData: false, effectiveType: '3g' }, false],
  ['a slower one', { effectiveType: '2g' }, false],
  ['the slowest', { effectiveType: 'slow-2g' }, false],
])('%s', (_name, connection, isFast) => {
  vi.stubGlobal('navigator', { connection });
  expect(isLinkFast()).toBe(isFast);
});
