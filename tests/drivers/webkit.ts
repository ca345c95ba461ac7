import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineBrowserProvider, parseKeyDef } from '@vitest/browser';
import type {
  BrowserCommand,
  BrowserCommandContext,
  BrowserProvider,
  BrowserProviderOption,
} from 'vitest/node';
import { findWebKit, type WebKitPrograms } from '../../tools/browsers.ts';
import { type EndWatch, freePort, killWithParent } from './processes.ts';

/** A place of the tests' window in pixels, from its upper left corner. */
export type Place = { readonly x: number; readonly y: number };

/** A session of WebDriver (https://www.w3.org/TR/webdriver2/): what our tests need of it. */
export type WebDriver = {
  /** A command of the session by its path; what it answers. Throws what the driver says. */
  command(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
};

/** The longest wait until a driver answers at all. */
const START_MS = 30_000;
const ASK_AGAIN_MS = 50;

/** Waits for the driver at an address and begins a session. */
export async function webDriver(address: string, capabilities: object): Promise<WebDriver> {
  await answering(address);
  const { sessionId } = (await ask('POST', `${address}/session`, {
    capabilities: { alwaysMatch: capabilities },
  })) as { readonly sessionId: string };
  const session = `${address}/session/${sessionId}`;
  return {
    command: (method, path, body) => ask(method, `${session}/${path}`, body),
    close: async () => void (await ask('DELETE', session)),
  };
}

async function answering(address: string): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      await ask('GET', `${address}/status`);
      return;
    } catch (error) {
      if (performance.now() - startedMs > START_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }
}

async function ask(method: string, url: string, body?: object): Promise<unknown> {
  const content = method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {};
  const response = await fetch(url, { method, ...content });
  const { value } = (await response.json()) as { readonly value: unknown };
  if (response.ok) return value;
  const { error, message } = value as { readonly error: string; readonly message: string };
  throw new Error(`WebDriver: ${error}: ${message}`);
}

/** One movement of a key, as WebDriver has it. */
export type KeyAction = { readonly type: 'keyDown' | 'keyUp'; readonly value: string };

/** The letters that stand for keys without any (WebDriver, 17.4.2). */
const CODES: Readonly<Record<string, string>> = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE006',
  Shift: '\uE008',
  Control: '\uE009',
  Alt: '\uE00A',
  Escape: '\uE00C',
  PageUp: '\uE00E',
  PageDown: '\uE00F',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Insert: '\uE016',
  Delete: '\uE017',
  F8: '\uE038',
  F9: '\uE039',
  Meta: '\uE03D',
};

/** The movements for keys as `userEvent.keyboard` writes them, and which are held after them. */
export function keyActions(
  text: string,
  heldBefore: readonly string[],
): { readonly actions: readonly KeyAction[]; readonly held: readonly string[] } {
  const actions: KeyAction[] = [];
  const held = new Set(heldBefore);
  for (const { key, releasePrevious, releaseSelf, repeat } of keysOf(text)) {
    const value = CODES[key] ?? key;
    if (held.delete(key)) actions.push({ type: 'keyUp', value });
    if (releasePrevious) continue;
    for (let time = 0; time < repeat; time += 1) {
      // WebDriver presses no key that is down.
      if (time > 0) actions.push({ type: 'keyUp', value });
      actions.push({ type: 'keyDown', value });
    }
    if (releaseSelf) actions.push({ type: 'keyUp', value });
    else held.add(key);
  }
  return { actions, held: [...held] };
}

/** The keys by name, a letter of two units of UTF-16 as the one it is. */
function keysOf(text: string) {
  const keys = parseKeyDef(text).map(({ keyDef, ...how }) => ({ key: keyDef.key ?? '', ...how }));
  return keys.flatMap((one, at) => {
    if (isHalf(one.key, 'low')) return [];
    const next = keys[at + 1];
    return isHalf(one.key, 'high') && next ? [{ ...one, key: one.key + next.key }] : [one];
  });
}

function isHalf(key: string, which: 'high' | 'low'): boolean {
  const unit = key.charCodeAt(0);
  const first = which === 'high' ? 0xd800 : 0xdc00;
  return key.length === 1 && unit >= first && unit < first + 0x400;
}

/** Smaller than the tests' own, Vitest would draw pages on a smaller scale. */
const WINDOW = { width: 1_400, height: 1_300 } as const;

/** A window of WebKitGTK; `close` ends all that was started for it. */
export type WebKitWindow = { readonly driver: WebDriver; close(): Promise<void> };

type Program = { readonly child: ChildProcess; readonly endWatch: EndWatch };

/**
 * Opens a window of WebKitGTK on a screen of its own, where nothing takes its focus, with a driver
 * of its own, since one has one session. Its storage is gone with it. Real microphones are those of
 * the sound server that runs.
 */
export async function openWebKitWindow(
  programs: WebKitPrograms,
  microphones: 'mock' | 'real' = 'mock',
): Promise<WebKitWindow> {
  const home = mkdtempSync(join(tmpdir(), 'diktera-webkit-'));
  const started: Program[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(started.reverse().map(ended));
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const { screen, display } = await startScreen(programs.screen);
    started.push(screen);
    const port = await freePort();
    const env = { ...process.env, ...environment(home), DISPLAY: display };
    started.push(start(programs.driver, [`--port=${port}`], { stdio: 'ignore', env }, home));
    const driver = await webDriver(
      `http://127.0.0.1:${port}`,
      capabilities(programs.browser, microphones),
    );
    await driver.command('POST', 'window/rect', { x: 0, y: 0, ...WINDOW });
    return {
      driver,
      async close() {
        await driver.close().catch(() => {});
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function capabilities(binary: string, microphones: 'mock' | 'real'): object {
  const args = [
    '--automation',
    '--enable-media-stream=true',
    `--enable-mock-capture-devices=${microphones === 'mock'}`,
    '--features=+StorageAPI,+FileSystem',
  ];
  return {
    browserName: 'MiniBrowser',
    pageLoadStrategy: 'normal',
    'webkitgtk:browserOptions': { binary, args },
  };
}

const environment = (home: string): NodeJS.ProcessEnv => ({
  HOME: home,
  XDG_RUNTIME_DIR: home,
  // As Safari has it where pages are isolated.
  JSC_useSharedArrayBuffer: '1',
  // No accessibility bus, no desktop's settings: alike on every machine.
  NO_AT_BRIDGE: '1',
  GTK_A11Y: 'none',
  GSETTINGS_BACKEND: 'memory',
  GDK_BACKEND: 'x11',
});

/** An X server picks its number and says it. */
async function startScreen(program: string): Promise<{ screen: Program; display: string }> {
  const size = `${WINDOW.width}x${WINDOW.height}x24`;
  const screen = start(program, ['-displayfd', '3', '-screen', '0', size, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise<string>((resolve, reject) => {
    screen.child.once('error', reject);
    screen.child.once('exit', (code) => reject(new Error(`Xvfb ended with code ${code}`)));
    screen.child.stdio[3]?.once('data', (said: Buffer) => resolve(said.toString().trim()));
  });
  return { screen, display: `:${number}` };
}

/**
 * Starts a program at the head of a group, which ends with this process in whatever way, and its
 * folders with it.
 */
function start(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
  ...folders: readonly string[]
): Program {
  const child = spawn(program, [...args], { ...options, detached: true });
  const endWatch = child.pid === undefined ? () => {} : killWithParent(child.pid, ...folders);
  return { child, endWatch };
}

async function ended({ child, endWatch }: Program): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill();
    });
  }
  endWatch();
}

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
      if (!programs) throw new Error('WebKitGTK is not here: see tools/browsers.ts.');
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

/** The commands for the tests' page: two by Vitest's own names, for `userEvent.keyboard`. */
export const WEBKIT_COMMANDS = {
  __vitest_keyboard: keyboard,
  __vitest_cleanup: letGo,
  movePointer,
  press,
  picture,
};
