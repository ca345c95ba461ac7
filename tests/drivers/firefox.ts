import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PlaywrightProviderOptions, playwright } from '@vitest/browser-playwright';
import type { Frame, Mouse, Page } from 'playwright';
import type {
  BrowserCommand,
  BrowserCommandContext,
  BrowserProvider,
  BrowserProviderOption,
  BrowserScript,
} from 'vitest/node';
import type { Place } from './webkit.ts';

/** A new page of Firefox: smaller than the tests' own, Vitest would draw them on a smaller scale. */
const WINDOW = { width: 1_280, height: 900 } as const;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Playwright speaks to an unchanged Firefox over WebDriver BiDi, where the names of frames are not
 * always known: the tests' frame is then the last one that is not the page itself.
 */
export function firefox(
  launchOptions: NonNullable<PlaywrightProviderOptions['launchOptions']>,
): BrowserProviderOption<PlaywrightProviderOptions> {
  const option = playwright({
    launchOptions: { channel: 'moz-firefox', ...launchOptions },
    contextOptions: { viewport: WINDOW },
  });
  return {
    ...option,
    providerFactory(project) {
      const provider: Writable<BrowserProvider> = option.providerFactory(project);
      provider.initScripts = [resolve('tests/helpers/pressing-locators.ts')];
      const getContext = provider.getCommandsContext.bind(provider);
      provider.getCommandsContext = (sessionId) => {
        const context = getContext(sessionId);
        const page = context.page as Page;
        // A spread would ask `iframe`, which is read when it is used.
        return Object.defineProperty(context, 'frame', { value: () => testFrame(page) });
      };
      return provider;
    },
  };
}

async function testFrame(page: Page): Promise<Frame> {
  const named = page.frame('vitest-iframe');
  const last = page
    .frames()
    .filter((frame) => frame !== page.mainFrame() && frame.parentFrame() === page.mainFrame())
    .at(-1);
  return named ?? last ?? (await page.waitForEvent('frameattached'));
}

/**
 * Firefox gives the places of what is in a transformed frame wrongly to those who press it from
 * outside: the frame is not scaled, not even by 1.
 */
export const UNSCALED: BrowserScript = {
  id: 'unscaled.js',
  content: `
    const style = document.createElement('style');
    style.textContent = '#vitest-tester, #vitest-tester > * { transform: none !important; }';
    document.head.append(style);
  `,
};

/** Prompts to the person are answered. */
export const FIREFOX_PREFERENCES = {
  'permissions.default.microphone': 1,
  'media.navigator.permission.disabled': true,
  'media.autoplay.default': 0,
  'media.autoplay.blocking_policy': 0,
} as const;

/** The provider is Playwright's, which Vitest's type of a command does not know. */
const pageOf = (context: BrowserCommandContext): Page =>
  (context as BrowserCommandContext & { readonly page: Page }).page;
const mouseOf = (context: BrowserCommandContext): Mouse => pageOf(context).mouse;

const movePointer: BrowserCommand<[Place]> = (context, { x, y }) => mouseOf(context).move(x, y);

const press: BrowserCommand<[Place, number]> = async (context, { x, y }, waitMs) => {
  await delay(waitMs);
  await mouseOf(context).click(x, y);
};

const picture: BrowserCommand<[]> = async (context) =>
  (await pageOf(context).screenshot({ caret: 'initial' })).toString('base64');

/** The commands for the tests' page. */
export const FIREFOX_COMMANDS = { movePointer, press, picture };
