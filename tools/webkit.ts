import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasSoundServer } from './firefox.ts';
import { say } from './run.ts';
import {
  commandPaths,
  installDebianPackages,
  isRootOnDebian,
  namedByVariable,
} from './system-programs.ts';

/** Names this machine's MiniBrowser of WebKitGTK for the tests; its value is its path. */
export const WEBKIT_VARIABLE = 'DIKTERA_WEBKIT';

/** MiniBrowser comes with the library that the driver needs; the sound is as Firefox's. */
const DEBIAN_PACKAGES = ['webkit2gtk-driver', 'xvfb', 'pulseaudio', 'pulseaudio-utils'];

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
    say(`Not all that WebKitGTK’s tests need is here: installing ${DEBIAN_PACKAGES.join(', ')}`);
    await installDebianPackages(DEBIAN_PACKAGES).catch((error: unknown) => say(String(error)));
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

/** What of WebKitGTK is here; null when something is missing. */
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
