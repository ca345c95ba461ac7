import axe from 'axe-core';
import type { Page } from 'playwright';

/**
 * What axe finds on the page as it is, everything included. Waits for what fades: colours on their
 * way from one scheme to the other have contrasts that nobody is left with.
 */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const fading = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.allSettled(fading.map(({ finished }) => finished));
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}
