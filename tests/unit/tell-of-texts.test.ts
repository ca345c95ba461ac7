import { afterEach, expect, test, vi } from 'vitest';
import { openOnPress, tellOfTexts } from '../../workers/offline/tell-of-texts.ts';

afterEach(() => vi.unstubAllGlobals());

/** Where the pages are, below a proxy's path too. */
const SCOPE = 'https://host/diktera/';

/** As much of a service worker as is asked: the pages that are open, in `states`. */
function makeScope(states: readonly DocumentVisibilityState[] = []) {
  const focused: string[] = [];
  const pages = states.map((visibilityState) => ({
    visibilityState,
    focus: async () => focused.push(visibilityState),
  }));
  const openWindow = vi.fn(async () => null);
  const showNotification = vi.fn(async () => undefined);
  const target = new EventTarget();
  const parts = {
    clients: { matchAll: async () => pages, openWindow },
    registration: { showNotification, scope: SCOPE },
    addEventListener: target.addEventListener.bind(target),
  };
  const press = async () => {
    const underWay: Promise<unknown>[] = [];
    const close = vi.fn();
    const waitUntil = (work: Promise<unknown>) => underWay.push(work);
    const event = Object.assign(new Event('notificationclick'), {
      notification: { close },
      waitUntil,
    });
    target.dispatchEvent(event);
    await Promise.all(underWay);
    expect(close).toHaveBeenCalledTimes(1);
  };
  const scope = parts as unknown as Parameters<typeof tellOfTexts>[0];
  return { scope, showNotification, openWindow, focused, press };
}

const allow = (permission: NotificationPermission) => vi.stubGlobal('Notification', { permission });

test('says how many texts there are, in the language of the page', async () => {
  allow('granted');
  const { scope, showNotification } = makeScope(['hidden']);
  await tellOfTexts(scope, 1, 'sv');
  await tellOfTexts(scope, 3, 'en');
  expect(showNotification.mock.calls).toMatchObject([
    ['Text klar', { body: 'En diktering är nedskriven och väntar på dig.', tag: 'diktera:texts' }],
    ['Text ready', { body: '3 pieces are written down and wait for you.', tag: 'diktera:texts' }],
  ]);
});

test.each(['default', 'denied'] as const)('says nothing where that is %s', async (permission) => {
  allow(permission);
  const { scope, showNotification } = makeScope();
  await tellOfTexts(scope, 1, 'sv');
  expect(showNotification).not.toHaveBeenCalled();
});

test('says nothing to who sees a page of ours', async () => {
  allow('granted');
  const { scope, showNotification } = makeScope(['hidden', 'visible']);
  await tellOfTexts(scope, 1, 'sv');
  expect(showNotification).not.toHaveBeenCalled();
});

test('a press leads to a page that is open, or opens one', async () => {
  const open = makeScope(['hidden']);
  openOnPress(open.scope);
  await open.press();
  expect(open.focused).toEqual(['hidden']);
  expect(open.openWindow).not.toHaveBeenCalled();

  const closed = makeScope();
  openOnPress(closed.scope);
  await closed.press();
  expect(closed.openWindow).toHaveBeenCalledWith(SCOPE);
});
