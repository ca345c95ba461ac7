import { test } from 'vitest';
import { server } from 'vitest/browser';

/** Which engine the tests run in: each has its own ways, and a test says which it means. */
export const isFirefox = server.browser === 'firefox';

/**
 * A test of what Firefox has not, or does not let a test do: the reason stands in the test's name.
 */
export const exceptFirefox: (name: string, run: () => unknown, timeoutMs?: number) => void =
  test.skipIf(isFirefox);
