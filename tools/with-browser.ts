import {
  BROWSER_VARIABLE,
  FIREFOX_VARIABLE,
  findOrInstallBrowser,
  findOrInstallFirefox,
  findOrInstallWebKit,
  findWholeFirefox,
  localCommand,
  run,
  WEBKIT_VARIABLE,
} from './browsers.ts';
import { buildIfNeeded } from './build-all.ts';

// Usage: tsx tools/with-browser.ts [--firefox | --webkit] [--build] COMMAND ARGS...
// Runs a package's command with a Chromium, a Firefox or a WebKitGTK found (and the production
// build up to date). Beside a Chromium the others are found too where they are; none is installed.
const options = new Set(['--firefox', '--webkit', '--build']);
const words = process.argv.slice(2);
const begin = words.findIndex((word) => !options.has(word));
const asked = words.slice(0, begin);
const [command, ...args] = words.slice(begin);
if (begin < 0 || !command)
  throw new Error('Usage: with-browser [--firefox | --webkit] [--build] COMMAND ARGS...');

const browser = await found();
if (asked.includes('--build')) await buildIfNeeded();
// Without one it has been said, and nothing can be run.
process.exitCode = Object.values(browser).every(Boolean)
  ? await run(localCommand(command), args, { ...process.env, ...beside(), ...browser })
  : 1;

/** The other browsers that some end-to-end tests run in. */
function beside(): NodeJS.ProcessEnv {
  if (asked.join() !== '--build') return {};
  const firefox = findWholeFirefox();
  return firefox ? { [FIREFOX_VARIABLE]: firefox } : {};
}

async function found(): Promise<NodeJS.ProcessEnv> {
  if (asked.includes('--firefox')) {
    return { [FIREFOX_VARIABLE]: (await findOrInstallFirefox()) ?? undefined };
  }
  if (asked.includes('--webkit')) {
    return { [WEBKIT_VARIABLE]: (await findOrInstallWebKit()) ?? undefined };
  }
  return { [BROWSER_VARIABLE]: await findOrInstallBrowser() };
}
