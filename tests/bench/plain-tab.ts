import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright';

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 50;

/**
 * A tab that the driver does not hold. One that it holds believes for ever that it is looked at:
 * it is never hidden, and draws on behind another.
 */
export type PlainTab = {
  /** Waits until an expression is true in the page; what it does counts as the person's own. */
  until(expression: string): Promise<void>;
  /** Opens another tab in front of it. */
  cover(): Promise<void>;
};

type Legacy = {
  send(method: string, params: object): Promise<unknown>;
  on(event: string, listener: (told: { readonly message: string }) => void): void;
};
type Answer = {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
};

/** Opens a page in a tab, in front and with the focus. */
export async function openPlainTab(browser: Browser, url: string): Promise<PlainTab> {
  const session = await browser.newBrowserCDPSession();
  const { targetId } = await session.send('Target.createTarget', { url });
  const { sessionId } = await session.send('Target.attachToTarget', { targetId });
  // Sessions of the newer kind are the driver's alone; these it passes on, and has no types for.
  const legacy = session as CDPSession & Legacy;
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  legacy.on('Target.receivedMessageFromTarget', ({ message }) => {
    const answer = JSON.parse(message) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });

  function evaluate(expression: string): Promise<Answer> {
    lastId += 1;
    const id = lastId;
    const params = { expression, userGesture: true, awaitPromise: true };
    const message = JSON.stringify({ id, method: 'Runtime.evaluate', params });
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    return legacy.send('Target.sendMessageToTarget', { sessionId, message }).then(() => answered);
  }

  await session.send('Target.activateTarget', { targetId });
  return {
    async until(expression) {
      const deadlineMs = performance.now() + PATIENCE_MS;
      while (performance.now() < deadlineMs) {
        const { result } = await evaluate(expression);
        if (result?.result?.value === true) return;
        await sleep(LOOK_EVERY_MS);
      }
      throw new Error(`Never came true: ${expression}`);
    },
    async cover() {
      await session.send('Target.createTarget', { url: 'about:blank' });
    },
  };
}
