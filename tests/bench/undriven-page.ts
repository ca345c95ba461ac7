import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright';
import type { Navigable } from './page-answer.ts';

type Send = (method: string, params: object) => Promise<unknown>;

/** As much of an answer as is read here. */
type Answer = {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
};

type Evaluated = {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string };
};

/** A browser that has just been started has other things to do, on the same cores. */
const BROWSER_STARTS_MS = 1_500;

/**
 * A page on a processor slowed `rate` times. Playwright puts a world of its own and its scripts
 * into each page that it knows, in the task in which the page comes: 20 ms of 120 at 6 x. It leaves
 * alone a page whose context is not one of its own.
 */
export async function openUndriven(browser: Browser, rate: number): Promise<Navigable> {
  const session = await browser.newBrowserCDPSession();
  const { browserContextId } = await session.send('Target.createBrowserContext');
  await session.send('Browser.grantPermissions', {
    browserContextId,
    permissions: ['audioCapture'],
  });
  const { targetId } = await session.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
  });
  // Not flat: Playwright passes nothing on to sessions that it has not opened.
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const send = sendTo(session, sessionId);
  const { userAgent } = await session.send('Browser.getVersion');
  await send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: 'sv-SE' });
  await send('Emulation.setCPUThrottlingRate', { rate });
  await sleep(BROWSER_STARTS_MS);
  return {
    navigate: async (url) => void (await send('Page.navigate', { url })),
    evaluate: async <Value>(expression: string) => {
      const params = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = (await send('Runtime.evaluate', params)) as Evaluated;
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result.value as Value;
    },
  };
}

function sendTo(session: CDPSession, sessionId: string): Send {
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
    await session.send('Target.sendMessageToTarget', {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    });
    const { result, error } = await answered;
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}
