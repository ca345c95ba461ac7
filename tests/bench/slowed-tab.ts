import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright';
import type { Navigable } from './page-answer.ts';
import { openPlainTab } from './plain-tab.ts';

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
