import type { Page, Route } from 'playwright';

/**
 * Has a file changed on its way to the page. A page that is closed meanwhile wants no answer any
 * more; one that is not, and gets none, fails its test by waiting.
 */
export async function changeFile(
  page: Page,
  address: RegExp,
  answer: (route: Route) => Promise<void>,
): Promise<void> {
  await page.route(address, (route) => answer(route).catch(() => {}));
}

/** The dictation worker's script, with code that it runs first. */
export function runFirstInWorker(page: Page, script: string): Promise<void> {
  return changeFile(page, /dictation\.worker-.*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${script}\n${await response.text()}` });
  });
}
