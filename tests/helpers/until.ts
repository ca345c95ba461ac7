import { vi } from 'vitest';

/** As `expect.poll` waits, see `vitest.config.ts`: the second that `vi.waitUntil` gives is short. */
const PATIENCE_MS = 10_000;

/** Waits until something is true or there, and answers it. */
export const until: typeof vi.waitUntil = (find, options = PATIENCE_MS) =>
  vi.waitUntil(find, options);
