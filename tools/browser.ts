import { existsSync } from 'node:fs';
import { chromium } from 'playwright';
import { localCommand, say } from './run.ts';
import {
  commandPaths,
  installDebianPackages,
  isRootOnDebian,
  mustRun,
  namedByVariable,
} from './system-programs.ts';

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
 * The path of a browser for the tests: the environment variable's, the system's, Playwright's, or
 * one that is installed now. Throws when that fails too.
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
  const named = namedByVariable(BROWSER_VARIABLE);
  if (named) return { path: named, origin: BROWSER_VARIABLE };
  const known = [...commandPaths(COMMAND_NAMES), ...APPLICATION_PATHS];
  const system = known.find((path) => existsSync(path));
  if (system) return { path: system, origin: 'the system’s' };
  const own = chromium.executablePath();
  return own && existsSync(own) ? { path: own, origin: 'Playwright’s' } : null;
}

async function installBrowser(): Promise<void> {
  if (!isRootOnDebian()) {
    say('No Chromium or Chrome here: installing Playwright’s Chromium');
    await mustRun(localCommand('playwright'), ['install', 'chromium']);
    return;
  }
  say('No Chromium or Chrome here: installing Debian’s chromium');
  await installDebianPackages(['chromium', 'fonts-liberation']);
}
