import { BROWSER_VARIABLE, findOrInstallBrowser } from './browser.ts';
import { buildIfNeeded } from './build-if-needed.ts';
import { FIREFOX_VARIABLE, findOrInstallFirefox } from './firefox.ts';
import { localCommand, run } from './run.ts';

// Usage: tsx tools/with-browser.ts [--firefox] [--build] COMMAND ARGS...
// Runs a package's command with a Chromium, or a Firefox, found (and the production build up to
// date).
const options = new Set(['--firefox', '--build']);
const words = process.argv.slice(2);
const begin = words.findIndex((word) => !options.has(word));
const asked = words.slice(0, begin);
const [command, ...args] = words.slice(begin);
if (begin < 0 || !command)
  throw new Error('Usage: with-browser [--firefox] [--build] COMMAND ARGS...');

const browser = asked.includes('--firefox')
  ? { [FIREFOX_VARIABLE]: (await findOrInstallFirefox()) ?? undefined }
  : { [BROWSER_VARIABLE]: await findOrInstallBrowser() };
if (asked.includes('--build')) await buildIfNeeded();
// Without a Firefox it has been said, and nothing can be run.
process.exitCode = Object.values(browser).every(Boolean)
  ? await run(localCommand(command), args, { ...process.env, ...browser })
  : 1;
