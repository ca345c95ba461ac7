import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebKitPrograms } from '../webkit.ts';
import { type WebDriver, webDriver } from './web-driver.ts';

/** Smaller than the tests' own, Vitest would draw pages on a smaller scale. */
const WINDOW = { width: 1_400, height: 1_300 } as const;

/** What a window of WebKitGTK can be told, and the end of all that was started for it. */
export type WebKitWindow = { readonly driver: WebDriver; close(): Promise<void> };

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
  const processes: ChildProcess[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(processes.reverse().map(ended));
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const { screen, display } = await startScreen(programs.screen);
    processes.push(screen);
    const port = await freePort();
    const driverProcess = spawn(programs.driver, [`--port=${port}`], {
      stdio: 'ignore',
      env: { ...process.env, ...environment(home), DISPLAY: display },
    });
    processes.push(driverProcess);
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
async function startScreen(program: string): Promise<{ screen: ChildProcess; display: string }> {
  const size = `${WINDOW.width}x${WINDOW.height}x24`;
  const screen = spawn(program, ['-displayfd', '3', '-screen', '0', size, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise<string>((resolve, reject) => {
    screen.once('error', reject);
    screen.once('exit', (code) => reject(new Error(`Xvfb ended with code ${code}`)));
    screen.stdio[3]?.once('data', (said: Buffer) => resolve(said.toString().trim()));
  });
  return { screen, display: `:${number}` };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill();
  });
}
