import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright';
import { openPlainTab } from './plain-tab.ts';

/** When what could be seen, in ms since the navigation began. */
export type FirstAnswer = {
  /** The text, styled: it can be clicked and written in. */
  readonly fieldMs: number;
  /** Clicked at once, it has its toolbar with Diktera. */
  readonly buttonMs: number;
  /** Diktera is pressed, at once. */
  readonly pressMs: number;
  /** A frame that shows that it has been. */
  readonly answerMs: number;
  /** A frame that shows that it records, from the first that is heard. */
  readonly recordingMs: number;
};

/** A page that is about to be opened. */
export type Navigable = {
  /** Resolves when the page is the address's. */
  readonly navigate: (url: string) => Promise<unknown>;
  /** The value of the expression, or of the promise that it returns. */
  readonly evaluate: <Value>(expression: string) => Promise<Value>;
};

/**
 * Does what an impatient person would, in the page itself, frame by frame: clicks the text as soon
 * as it is to be seen, then Diktera. A string: a function would bring this compiler's helpers
 * along.
 */
const IMPATIENCE = `new Promise((resolve) => {
  const seen = {};
  const look = () => {
    const visible = (selector) => [...document.querySelectorAll(selector)].find(
      (each) => each.checkVisibility({ visibilityProperty: true }),
    );
    // Looking costs the page as well: no more than is still to be seen.
    const field = !seen.fieldMs && visible('[role="textbox"]');
    const button = visible('.tool-dictate');
    const isBusy = button && button.ariaBusy === 'true';
    const afterFrame = (run) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = run;
      port2.postMessage(null);
    };
    if (field) {
      seen.fieldMs = performance.now();
      setTimeout(() => { field.focus(); field.click(); });
    }
    if (button && !seen.buttonMs) {
      seen.buttonMs = performance.now();
      setTimeout(() => {
        seen.pressMs = performance.now();
        visible('.tool-dictate').click();
      });
    }
    if (isBusy && !seen.isBusy) {
      seen.isBusy = true;
      afterFrame(() => { seen.answerMs = performance.now(); });
    }
    if (button && button.ariaPressed === 'true') {
      afterFrame(() => {
        seen.recordingMs = performance.now();
        resolve(seen);
      });
      return;
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

/** The first action on a page at rest. */
const FOCUS = `document.querySelector('[role="textbox"]').focus()`;

/** Presses Diktera, and watches for its answer frame by frame. */
const PRESS = `new Promise((resolve) => {
  const pressedMs = performance.now();
  const look = () => {
    if (document.querySelector('.tool-dictate').ariaBusy !== 'true') return requestAnimationFrame(look);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now() - pressedMs);
    port2.postMessage(null);
  };
  requestAnimationFrame(look);
  document.querySelector('.tool-dictate').click();
})`;

/** Presses Diktera again, and waits until the recording is over and answered. */
const STOP = `new Promise((resolve) => {
  const look = setInterval(() => {
    if (document.querySelector('.recording-bar')) return;
    clearInterval(look);
    resolve();
  }, 50);
  document.querySelector('.tool-dictate').click();
})`;

/**
 * Opens the address and dictates without haste, waiting `restMs` between one step and the next.
 * Milliseconds from the press to a frame that shows it.
 */
export async function dictateCalmly(page: Navigable, url: string, restMs: number): Promise<number> {
  await page.navigate(url);
  await sleep(restMs);
  await page.evaluate(FOCUS);
  await sleep(restMs);
  const pressMs = await page.evaluate<number>(PRESS);
  await sleep(restMs);
  await page.evaluate(STOP);
  await sleep(restMs);
  return pressMs;
}

/** Opens the address and waits for the first answer. */
export async function openImpatiently(page: Navigable, url: string): Promise<FirstAnswer> {
  await page.navigate(url);
  return page.evaluate<FirstAnswer>(IMPATIENCE);
}

/** A browser that has just been started has other things to do, on the same cores. */
const BROWSER_STARTS_MS = 1_500;

/** A page to be opened on a processor slowed `rate` times, in a tab that the driver does not hold. */
export async function openSlowed(browser: Browser, rate: number): Promise<Navigable> {
  const session = await browser.newBrowserCDPSession();
  const { browserContextId } = await session.send('Target.createBrowserContext');
  await session.send('Browser.grantPermissions', {
    browserContextId,
    permissions: ['audioCapture'],
  });
  const { userAgent } = await session.send('Browser.getVersion');
  const { send, evaluate } = await openPlainTab(browser, 'about:blank', browserContextId);
  await send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: 'sv-SE' });
  await send('Emulation.setCPUThrottlingRate', { rate });
  await sleep(BROWSER_STARTS_MS);
  return { navigate: (url) => send('Page.navigate', { url }), evaluate };
}
