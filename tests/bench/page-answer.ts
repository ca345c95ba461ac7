import type { Page } from 'playwright';

/** When what, in ms since the navigation began. */
export type FirstAnswer = {
  /** The text stands on the page. */
  readonly fieldMs: number;
  /** Clicked at once, it has its toolbar with Diktera. */
  readonly buttonMs: number;
  /** Diktera, pressed at once, shows that it has been. */
  readonly answerMs: number;
};

/**
 * Does what an impatient person would, in the page itself: clicks the text as soon as it is there, then Diktera.
 * Text, since a function would be sent with this compiler's helpers in it.
 */
const IMPATIENCE = `
globalThis.firstAnswer = {};
new MutationObserver((_changes, observer) => {
  const seen = globalThis.firstAnswer;
  const field = document.querySelector('[role="textbox"]');
  const button = document.querySelector('.tool-dictate');
  if (field && !seen.fieldMs) {
    seen.fieldMs = performance.now();
    setTimeout(() => { field.focus(); field.click(); });
  }
  if (button && !seen.buttonMs) {
    seen.buttonMs = performance.now();
    setTimeout(() => button.click());
  }
  if (button && button.ariaBusy === 'true') {
    seen.answerMs = performance.now();
    observer.disconnect();
  }
}).observe(document, { subtree: true, childList: true, attributes: true });
`;

/** Opens the address and waits for the first answer. */
export async function openImpatiently(page: Page, url: string): Promise<FirstAnswer> {
  await page.addInitScript(IMPATIENCE);
  await page.goto(url);
  const answer = await page.waitForFunction(() => {
    const { firstAnswer } = globalThis as unknown as { firstAnswer: Partial<FirstAnswer> };
    return firstAnswer.answerMs === undefined ? null : (firstAnswer as FirstAnswer);
  });
  return answer.jsonValue() as Promise<FirstAnswer>;
}
