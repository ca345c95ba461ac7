import { test } from 'vitest';
import { server } from 'vitest/browser';

/** Which engine the tests run in: each has its own ways, and a test says which it means. */
export const isFirefox = server.browser === 'firefox';
/** WebKitGTK, the nearest to Safari that can be had without a Mac. */
export const isWebKit = server.browser === 'webkit';

export const isChromium = !isFirefox && !isWebKit;

/** A test that is left out somewhere: the reason stands in the test's name. */
type Except = (name: string, run: () => unknown, timeoutMs?: number) => void;

/** A test of what Firefox has not, or does not let a test do. */
export const exceptFirefox: Except = test.skipIf(isFirefox);
/** A test of what WebKitGTK has not, or does not let a test do. */
export const exceptWebKit: Except = test.skipIf(isWebKit);
/** A test of what only Chromium has, or lets a test do. */
export const inChromium: Except = test.skipIf(!isChromium);
