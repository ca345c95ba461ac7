import type { PlainTab } from './plain-tab.ts';

/** The tab is in front. */
export const hasFocus = (tab: PlainTab): Promise<void> => tab.until('document.hasFocus()');

/** Clicks the page's field, and waits for its toolbar. */
export async function putCaret(tab: PlainTab): Promise<void> {
  await hasFocus(tab);
  await tab.until(`(() => {
    document.querySelector('[role=textbox]')?.focus();
    return [...document.querySelectorAll('.toolbar button')].length > 0;
  })()`);
}

/** The service worker fetches the build's files once, for opening without a network: no rest. */
export const filesAreKept = (tab: PlainTab): Promise<void> =>
  tab.until(
    `navigator.serviceWorker.getRegistration().then((one) => one?.active?.state === 'activated')`,
  );

/** Presses the first button whose name is this, until `done`. */
export const press = (tab: PlainTab, name: string, done: string): Promise<void> =>
  tab.until(`(() => {
    if (${done}) return true;
    const names = (one) => [one.ariaLabel, one.textContent.trim()];
    const button = [...document.querySelectorAll('button')].find((one) => names(one).includes('${name}'));
    if (button && !button.isPressed) {
      button.isPressed = true;
      button.click();
    }
    return false;
  })()`);

/** Presses Diktera, and waits until it records. */
export const record = (tab: PlainTab): Promise<void> =>
  press(tab, 'Diktera', `document.querySelector('[data-phase=recording]') !== null`);

/** The same, once what the page fetches by itself when it is at rest has come. */
export async function recordAtRest(tab: PlainTab): Promise<void> {
  await putCaret(tab);
  await filesAreKept(tab);
  await record(tab);
}

/** The harness's pages say so. */
export const saysRecording = (tab: PlainTab): Promise<void> =>
  tab.until(`document.body?.innerText.includes('recording') === true`);
