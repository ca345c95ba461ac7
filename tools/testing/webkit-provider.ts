import { resolve } from 'node:path';
import { defineBrowserProvider } from '@vitest/browser';
import type {
  BrowserCommand,
  BrowserCommandContext,
  BrowserProvider,
  BrowserProviderOption,
} from 'vitest/node';
import { findWebKit } from '../webkit.ts';
import type { Place } from './place.ts';
import { keyActions } from './webkit-keys.ts';
import { openWebKitWindow, type WebKitWindow } from './webkit-window.ts';

/** The keys that are held, as Vitest keeps them between calls. */
type Held = { readonly unreleased: readonly string[] };

/**
 * Vitest's browser mode in WebKitGTK, which no provider of Vitest's own opens without a second
 * automation library: the driver speaks WebDriver, and that is a few requests.
 */
export function webKitGtk(): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'webkitgtk',
    supportedBrowser: ['webkit'],
    providerFactory: createProvider,
  });
}

function createProvider(): BrowserProvider {
  const windows = new Map<string, WebKitWindow>();
  return {
    name: 'webkitgtk',
    supportsParallelism: true,
    initScripts: ['pressing-locators', 'webkit-undo'].map((name) =>
      resolve(`tests/helpers/${name}.ts`),
    ),
    getCommandsContext(sessionId) {
      return { driver: windows.get(sessionId)?.driver };
    },
    async openPage(sessionId, url) {
      const programs = findWebKit();
      if (!programs) throw new Error('WebKitGTK is not here: see tools/webkit.ts.');
      await windows.get(sessionId)?.close();
      const window = await openWebKitWindow(programs);
      windows.set(sessionId, window);
      await window.driver.command('POST', 'url', { url });
    },
    async close() {
      await Promise.all([...windows.values()].map((window) => window.close()));
      windows.clear();
    },
  };
}

function driverOf(context: BrowserCommandContext): WebKitWindow['driver'] {
  const { driver } = context as BrowserCommandContext & {
    readonly driver?: WebKitWindow['driver'];
  };
  if (!driver) throw new Error('The window of WebKitGTK is closed.');
  return driver;
}

const act = (context: BrowserCommandContext, source: object): Promise<unknown> =>
  driverOf(context).command('POST', 'actions', { actions: [source] });

/** Vitest's tests run in a frame, and keys go to the frame that has the focus. */
const FOCUS_FRAME = `
  const { contentWindow, contentDocument } = document.querySelector('iframe[data-vitest]');
  const active = contentDocument.activeElement;
  if (document.activeElement?.contentWindow !== contentWindow || !active || active === contentDocument.body)
    contentWindow.focus();
`;

const keyboard: BrowserCommand<[string, Held]> = async (context, text, { unreleased }) => {
  await driverOf(context).command('POST', 'execute/sync', { script: FOCUS_FRAME, args: [] });
  const { actions, held } = keyActions(text, unreleased);
  await act(context, { type: 'key', id: 'keyboard', actions });
  return { unreleased: held };
};

const letGo: BrowserCommand<[Held]> = async (context) => {
  await driverOf(context).command('DELETE', 'actions');
};

const mouse = (context: BrowserCommandContext, actions: readonly object[]): Promise<unknown> =>
  act(context, { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions });

const moveTo = (place: Place) => ({ type: 'pointerMove', ...place });

const movePointer: BrowserCommand<[Place]> = async (context, place) => {
  await mouse(context, [moveTo(place)]);
};

const press: BrowserCommand<[Place, number]> = async (context, place, waitMs) => {
  const button = 0;
  const wait = { type: 'pause', duration: waitMs };
  const pressing = [
    { type: 'pointerDown', button },
    { type: 'pointerUp', button },
  ];
  await mouse(context, [moveTo(place), wait, ...pressing]);
};

/** The window as it is seen: a PNG, base64. */
const picture: BrowserCommand<[]> = (context) => driverOf(context).command('GET', 'screenshot');

/** What the tests' page calls: two by Vitest's own names, for `userEvent.keyboard`. */
export const WEBKIT_COMMANDS = {
  __vitest_keyboard: keyboard,
  __vitest_cleanup: letGo,
  movePointer,
  press,
  picture,
};
