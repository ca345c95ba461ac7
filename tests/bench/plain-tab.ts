import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright';

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 50;

/**
 * A tab that the driver does not hold. One that it holds believes for ever that it is looked at: it
 * is never hidden, and draws on behind another. And the driver's own world and scripts come into
 * the page in the same task as the page: 20 ms of 120 at 6 x.
 */
export type PlainTab = {
  /** Asks the tab's own DevTools. */
  send(method: string, params: object): Promise<unknown>;
  /** The value of an expression, or of the promise it returns; run as the person's own action. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Waits until an expression is true in the page. */
  until(expression: string): Promise<void>;
  /** Opens another tab in front of it. */
  cover(): Promise<void>;
};

type Answer = {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
};

type Evaluated = {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string };
};

/** Opens a page in a tab, in front and with the focus; in the browser's own context if none is named. */
export async function openPlainTab(
  browser: Browser,
  url: string,
  browserContextId?: string,
): Promise<PlainTab> {
  const session = await browser.newBrowserCDPSession();
  const { targetId } = await session.send('Target.createTarget', {
    url,
    ...(browserContextId ? { browserContextId } : {}),
  });
  // Not flat: sessions of the newer kind are the driver's alone.
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const send = sendTo(session, sessionId);

  async function evaluate<Value>(expression: string): Promise<Value> {
    const params = { expression, userGesture: true, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = (await send('Runtime.evaluate', params)) as Evaluated;
    if (exceptionDetails) throw new Error(`${exceptionDetails.text}: ${expression}`);
    return result.value as Value;
  }

  await session.send('Target.activateTarget', { targetId });
  return {
    send,
    evaluate,
    async until(expression) {
      const deadlineMs = performance.now() + PATIENCE_MS;
      while (performance.now() < deadlineMs) {
        // A page that is only coming has not all that is asked for, or is another one by then.
        if ((await evaluate(expression).catch(() => false)) === true) return;
        await sleep(LOOK_EVERY_MS);
      }
      throw new Error(`Never came true: ${expression}`);
    },
    async cover() {
      await session.send('Target.createTarget', { url: 'about:blank' });
    },
  };
}

function sendTo(session: CDPSession, sessionId: string): PlainTab['send'] {
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const answer = JSON.parse(message) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  return async (method, params) => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    await session.send('Target.sendMessageToTarget', { sessionId, message });
    const { result, error } = await answered;
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}

/** The tab is in front. */
export const hasFocus = (tab: PlainTab): Promise<void> => tab.until('document.hasFocus()');

/** Clicks the page's field, and waits for its toolbar. */
export async function putCaret(tab: PlainTab): Promise<void> {
  await hasFocus(tab);
  await tab.until(`(() => {
    const field = document.querySelector('[role=textbox]');
    field?.focus();
    field?.click();
    return [...document.querySelectorAll('.toolbar button')].length > 0;
  })()`);
}

/** The service worker fetches the build's files once, for opening without a network: no rest. */
export const filesAreKept = (tab: PlainTab): Promise<void> =>
  tab.until(
    `navigator.serviceWorker.getRegistration().then((one) => one?.active?.state === 'activated')`,
  );

/** Presses the first button that has one of these names, until `done`: a page is in the browser's language. */
export const press = (tab: PlainTab, wanted: readonly string[], done: string): Promise<void> =>
  tab.until(`(() => {
    if (${done}) return true;
    const names = (one) => [one.ariaLabel, one.textContent.trim()];
    const button = [...document.querySelectorAll('button')].find((one) => ${JSON.stringify(wanted)}.some((each) => names(one).includes(each)));
    if (button && !button.isPressed) {
      button.isPressed = true;
      button.click();
    }
    return false;
  })()`);

/**
 * Presses Diktera once what the page fetches by itself when it is at rest has come, and waits until
 * it records; tells how many ms that took, on the page's own clock.
 */
export async function recordAtRest(tab: PlainTab): Promise<number> {
  await putCaret(tab);
  await filesAreKept(tab);
  await tab.evaluate(`(() => {
    const records = () => document.querySelector('[data-phase=recording]') !== null;
    document.addEventListener('click', ({ timeStamp }) => {
      const look = () => {
        if (records()) window.recordsAfterMs = performance.now() - timeStamp;
        else requestAnimationFrame(look);
      };
      look();
    }, { capture: true, once: true });
  })()`);
  await press(tab, ['Diktera', 'Dictate'], 'window.recordsAfterMs !== undefined');
  return tab.evaluate<number>('window.recordsAfterMs');
}

/** The harness's pages say so. */
export const saysRecording = (tab: PlainTab): Promise<void> =>
  tab.until(`document.body?.innerText.includes('recording') === true`);
