import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright';
import { localCommand, run, say } from './run.ts';

/** Names this machine for the tests' browser; its value is the path of a Chromium or Chrome. */
export const BROWSER_VARIABLE = 'DIKTERA_BROWSER';

const COMMAND_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const APPLICATION_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * The path of a browser for the tests: the environment variable's, the system's or Playwright's own,
 * and if there is none, one that is installed now. Throws when that fails too.
 */
export async function findOrInstallBrowser(): Promise<string> {
  const found = findBrowser();
  if (found) {
    say(`Browser: ${found.path} (${found.origin})`);
    return found.path;
  }
  await installBrowser();
  const installed = findBrowser();
  if (!installed) throw new Error(`No browser even after installing one; set ${BROWSER_VARIABLE}.`);
  say(`Browser: ${installed.path} (installed now)`);
  return installed.path;
}

type FoundBrowser = { readonly path: string; readonly origin: string };

function findBrowser(): FoundBrowser | null {
  const named = process.env[BROWSER_VARIABLE];
  if (named) {
    if (!existsSync(named))
      throw new Error(`${BROWSER_VARIABLE} names ${named}, which is not there.`);
    return { path: named, origin: BROWSER_VARIABLE };
  }
  const system = [...commandPaths(), ...APPLICATION_PATHS].find((path) => existsSync(path));
  if (system) return { path: system, origin: 'the system’s' };
  const own = chromium.executablePath();
  return own && existsSync(own) ? { path: own, origin: 'Playwright’s' } : null;
}

function commandPaths(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return COMMAND_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

async function installBrowser(): Promise<void> {
  const isRootOnDebian = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!isRootOnDebian) {
    say('No Chromium or Chrome here: installing Playwright’s Chromium');
    await mustRun(localCommand('playwright'), ['install', 'chromium']);
    return;
  }
  say('No Chromium or Chrome here: installing Debian’s chromium');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await mustRun('apt-get', ['update', '-qq'], env);
  const packages = ['chromium', 'fonts-liberation'];
  await mustRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], env);
}

async function mustRun(command: string, args: string[], env?: NodeJS.ProcessEnv): Promise<void> {
  const code = await run(command, args, env);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}`);
}
