import { BROWSER_VARIABLE, findOrInstallBrowser } from './browser.ts';
import { buildIfNeeded } from './build-if-needed.ts';
import { localCommand, run } from './run.ts';

// Usage: tsx tools/with-browser.ts [--build] COMMAND ARGS...
// Runs a package's command with a browser found (and the production build up to date).
const words = process.argv.slice(2);
const wantsBuild = words[0] === '--build';
const [command, ...args] = wantsBuild ? words.slice(1) : words;
if (!command) throw new Error('Usage: with-browser [--build] COMMAND ARGS...');

const browser = await findOrInstallBrowser();
if (wantsBuild) await buildIfNeeded();
process.exitCode = await run(localCommand(command), args, {
  ...process.env,
  [BROWSER_VARIABLE]: browser,
});
