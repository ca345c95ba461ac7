import { expect, test } from 'vitest';
import type { ScreenPorts } from '../../src/capture/screen-hold.ts';
import { holdScreen } from '../../src/capture/screen-hold.ts';
import { openCapture } from '../helpers/open-capture.ts';

/** A screen whose locks the test sees, and a page that it hides. */
function fakeScreen({ isDenied = false } = {}) {
  const locks: { released: boolean }[] = [];
  const page = Object.assign(new EventTarget(), {
    visibilityState: 'visible' as DocumentVisibilityState,
  });
  const answers: (() => void)[] = [];
  let isSlow = false;
  const ports: ScreenPorts = {
    page: page as unknown as ScreenPorts['page'],
    wakeLock: {
      async request() {
        if (isSlow) await new Promise<void>((resolve) => answers.push(resolve));
        if (isDenied) throw new DOMException('low battery', 'NotAllowedError');
        const lock = {
          released: false,
          async release() {
            lock.released = true;
          },
        };
        locks.push(lock);
        return lock as unknown as WakeLockSentinel;
      },
    },
  };
  return {
    ports,
    locks,
    held: () => locks.filter(({ released }) => !released).length,
    answerLate() {
      isSlow = true;
    },
    answer: () => answers.shift()?.(),
    show(visibilityState: DocumentVisibilityState) {
      page.visibilityState = visibilityState;
      // As browsers do with a page that is hidden.
      if (visibilityState === 'hidden') for (const lock of locks) lock.released = true;
      page.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

test('the screen stays lit while recording, not while paused, and not afterwards', async () => {
  const screen = fakeScreen();
  const { handle } = await openCapture({ screen: screen.ports });
  await expect.poll(screen.held).toBe(1);
  handle.pause();
  expect(screen.held()).toBe(0);
  handle.resume();
  await expect.poll(screen.held).toBe(1);
  await handle.end();
  expect(screen.held()).toBe(0);
  screen.show('hidden');
  screen.show('visible');
  expect(screen.locks).toHaveLength(2);
});

test('a page that was hidden asks again when it is seen, once', async () => {
  const screen = fakeScreen();
  const hold = holdScreen(screen.ports);
  hold.hold();
  hold.hold();
  await expect.poll(screen.held).toBe(1);
  screen.show('hidden');
  expect(screen.held()).toBe(0);
  screen.show('visible');
  await expect.poll(screen.held).toBe(1);
  expect(screen.locks).toHaveLength(2);
  hold.end();
  expect(screen.held()).toBe(0);
});

test('a lock that comes when nobody wants it any more is given back', async () => {
  const screen = fakeScreen();
  screen.answerLate();
  const hold = holdScreen(screen.ports);
  hold.hold();
  hold.letGo();
  screen.answer();
  await expect.poll(() => screen.locks).toHaveLength(1);
  await expect.poll(screen.held).toBe(0);
});

test('wanted again while the browser still answers: it is had', async () => {
  const screen = fakeScreen();
  screen.answerLate();
  const hold = holdScreen(screen.ports);
  hold.hold();
  hold.letGo();
  hold.hold();
  screen.answer();
  await expect.poll(screen.held).toBe(1);
  hold.end();
});

test.each([
  ['refused', () => fakeScreen({ isDenied: true }).ports],
  ['not there', () => ({ ...fakeScreen().ports, wakeLock: undefined })],
])('%s: recording goes on, and nothing is logged', async (_name, ports) => {
  const { handle, lost, watched } = await openCapture({ screen: ports() });
  await expect.poll(() => watched.contexts[0]!.currentTime).toBeGreaterThan(0.8);
  await handle.end();
  expect(lost).toEqual([]);
  expect(watched.logged).toEqual([]);
});
