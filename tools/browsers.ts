import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright';

/**
 * Runs a command with its output shown; the promise gives its exit code (130 if a signal ended it).
 */
export function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { stdio: 'inherit', env });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 130));
  });
}

/** The path of a command of an installed package. */
export function localCommand(name: string): string {
  return `node_modules/.bin/${name}${process.platform === 'win32' ? '.cmd' : ''}`;
}

/** Says what is being done: one line, easy to find in a long log. */
export function say(text: string): void {
  console.log(`\n> ${text}`);
}

/** Debian keeps servers' programs where only root's PATH looks. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Where a program may be, by any of these names in their order; the first that exists counts. */
export function commandPaths(names: readonly string[]): readonly string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...SYSTEM_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** The path a variable of the environment names, else null. Throws when nothing is there. */
export function namedByVariable(variable: string): string | null {
  const path = process.env[variable];
  if (!path) return null;
  if (!existsSync(path)) throw new Error(`${variable} names ${path}, which is not there.`);
  return path;
}

/** True if packages can be installed here without asking anybody. */
export function isRootOnDebian(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/** Installs packages of Debian. Throws when that fails. */
export async function installDebianPackages(packages: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await mustRun('apt-get', ['update', '-qq'], env);
  await mustRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], env);
}

/** Runs a command; throws when it fails. */
async function mustRun(
  command: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<void> {
  const code = await run(command, args, env);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}`);
}

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

/** Names this machine's Firefox for the tests; its value is its path. */
export const FIREFOX_VARIABLE = 'DIKTERA_FIREFOX';

const FIREFOX_NAMES = ['firefox-esr', 'firefox'];

const FIREFOX_PATHS = [
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

/** Without a sound server Firefox's audio stands still. */
const FIREFOX_PACKAGES = ['firefox-esr', 'pulseaudio', 'pulseaudio-utils'];

/**
 * The path of a Firefox for the tests: the environment variable's, the system's, or Debian's, which
 * is installed now, with PulseAudio, when root on Debian. Null, and a sentence, where one of them is
 * missing: the tests go on without it.
 */
export async function findOrInstallFirefox(): Promise<string | null> {
  if (!findFirefoxWithSound() && isRootOnDebian()) {
    say(
      `Not all that Firefox’s tests need is here: installing Debian’s ${FIREFOX_PACKAGES.join(', ')}`,
    );
    await installDebianPackages(FIREFOX_PACKAGES).catch((error: unknown) => say(String(error)));
  }
  return findWholeFirefox();
}

/**
 * The path of a Firefox with sound, if one is here. Null, and a sentence, where there is none, or
 * where its audio would stand still: half of its tests would fail there.
 */
export function findWholeFirefox(): string | null {
  const path = findFirefoxWithSound();
  if (path) say(`Firefox: ${path}`);
  else if (findFirefox())
    say('Firefox is here, but no PulseAudio, and its audio stands still: its tests are left out.');
  else say(`No Firefox here: its tests are left out. Install one, or set ${FIREFOX_VARIABLE}.`);
  return path;
}

function findFirefoxWithSound(): string | null {
  const isHeard = process.platform !== 'linux' || hasSoundServer();
  return isHeard ? findFirefox() : null;
}

function findFirefox(): string | null {
  const named = namedByVariable(FIREFOX_VARIABLE);
  if (named) return named;
  const known = [...commandPaths(FIREFOX_NAMES), ...FIREFOX_PATHS];
  return known.find((path) => existsSync(path)) ?? null;
}

/** True if a voice can be played into Firefox's microphone here. */
export function hasSoundServer(): boolean {
  return ['pulseaudio', 'paplay'].every((name) => commandPaths([name]).some(existsSync));
}

/** Names this machine's MiniBrowser of WebKitGTK for the tests; its value is its path. */
export const WEBKIT_VARIABLE = 'DIKTERA_WEBKIT';

/** MiniBrowser comes with the library that the driver needs; the sound is as Firefox's. */
const WEBKIT_PACKAGES = ['webkit2gtk-driver', 'xvfb', 'pulseaudio', 'pulseaudio-utils'];

/** Where distributions put the programs of the library. */
const LIBRARY_FOLDERS = ['/usr/lib', '/usr/libexec', '/usr/lib64'];
const VERSIONS = ['webkit2gtk-4.1', 'webkit2gtk-4.0'];

/** The programs a page of WebKitGTK needs for the tests. */
export type WebKitPrograms = {
  readonly browser: string;
  readonly driver: string;
  /** The X server that nobody sees. */
  readonly screen: string;
};

/**
 * The path of WebKitGTK's MiniBrowser for the tests, with its driver and a screen beside it: the
 * environment variable's, the system's, or Debian's, which are installed now when root on Debian.
 * Null, and a sentence, where something is missing: the tests go on without it.
 */
export async function findOrInstallWebKit(): Promise<string | null> {
  let found = findWebKit();
  if (!(found && hasSoundServer()) && isRootOnDebian()) {
    say(`Not all that WebKitGTK’s tests need is here: installing ${WEBKIT_PACKAGES.join(', ')}`);
    await installDebianPackages(WEBKIT_PACKAGES).catch((error: unknown) => say(String(error)));
    found = findWebKit();
  }
  if (found && !hasSoundServer()) {
    say(
      `WebKitGTK: ${found.browser}, but no PulseAudio: what is spoken into a real microphone there (e2e/webkit) is left out.`,
    );
  } else if (found) say(`WebKitGTK: ${found.browser}`);
  else {
    say(
      `No WebKitGTK here: its tests are left out. Install MiniBrowser, WebKitWebDriver and Xvfb, or set ${WEBKIT_VARIABLE}.`,
    );
  }
  return found?.browser ?? null;
}

/** The programs of WebKitGTK that are here; null when one is missing. */
export function findWebKit(): WebKitPrograms | null {
  const browser = namedByVariable(WEBKIT_VARIABLE) ?? findMiniBrowser();
  const driver = commandPaths(['WebKitWebDriver']).find(existsSync);
  const screen = commandPaths(['Xvfb']).find(existsSync);
  return browser && driver && screen ? { browser, driver, screen } : null;
}

function findMiniBrowser(): string | null {
  // Debian has a folder for each processor.
  const folders = LIBRARY_FOLDERS.filter(existsSync).flatMap((folder) => [
    folder,
    ...readdirSync(folder)
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => join(folder, name)),
  ]);
  const paths = folders.flatMap((folder) =>
    VERSIONS.map((version) => join(folder, version, 'MiniBrowser')),
  );
  return paths.find(existsSync) ?? null;
}
