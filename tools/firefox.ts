import { existsSync } from 'node:fs';
import { say } from './run.ts';
import {
  commandPaths,
  installDebianPackages,
  isRootOnDebian,
  namedByVariable,
} from './system-programs.ts';

/** Names this machine's Firefox for the tests; its value is its path. */
export const FIREFOX_VARIABLE = 'DIKTERA_FIREFOX';

const COMMAND_NAMES = ['firefox-esr', 'firefox'];

const APPLICATION_PATHS = [
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

/** Without a sound server Firefox's audio stands still. */
const DEBIAN_PACKAGES = ['firefox-esr', 'pulseaudio', 'pulseaudio-utils'];

/**
 * The path of a Firefox for the tests: the environment variable's, the system's, or Debian's, which
 * is installed now, with PulseAudio, when root on Debian. Null, and a sentence, where one of them is
 * missing: the tests go on without it.
 */
export async function findOrInstallFirefox(): Promise<string | null> {
  if (!findFirefoxWithSound() && isRootOnDebian()) {
    say(
      `Not all that Firefox’s tests need is here: installing Debian’s ${DEBIAN_PACKAGES.join(', ')}`,
    );
    await installDebianPackages(DEBIAN_PACKAGES).catch((error: unknown) => say(String(error)));
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
  const known = [...commandPaths(COMMAND_NAMES), ...APPLICATION_PATHS];
  return known.find((path) => existsSync(path)) ?? null;
}

/** Whether a voice can be played into Firefox's microphone here. */
export function hasSoundServer(): boolean {
  return ['pulseaudio', 'paplay'].every((name) => commandPaths([name]).some(existsSync));
}
