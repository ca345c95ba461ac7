import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebKitPrograms } from '../webkit.ts';
import { freePort } from './free-port.ts';
import { type EndWatch, killWithParent } from './kill-with-parent.ts';
import { type WebDriver, webDriver } from './web-driver.ts';

/** Smaller than the tests' own, Vitest would draw pages on a smaller scale. */
const WINDOW = { width: 1_400, height: 1_300 } as const;

/** What a window of WebKitGTK can be told, and the end of all that was started for it. */
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
