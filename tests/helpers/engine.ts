import { server } from 'vitest/browser';

/** Which engine the tests run in: each has its own ways, and a test says which it means. */
export const isFirefox = server.browser === 'firefox';
