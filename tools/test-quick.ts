import { execFileSync } from 'node:child_process';
import { BROWSER_VARIABLE, findOrInstallBrowser, say } from './browsers.ts';
import { nearTests } from './testing/near-tests.ts';
import { type Lane, LINT, resultTable, runGroups, TYPES, vitest } from './testing/run-stages.ts';

// Usage: npm run test:quick [-- COMMIT]. Types, lint, and the tests nearest to what has changed
// since a commit: by default what is not committed, and where there is nothing, the last commit.
// All the rest is run by `npm test`.
/** More files would take longer than somebody waits. */
const MOST_FILES = { unit: 60, browser: 10 } as const;

const [since] = process.argv.slice(2);
const changed = changedSince(since);
say(`${changed.length} changed files`);

const startedMs = performance.now();
const browser = await findOrInstallBrowser();
const env = { ...process.env, [BROWSER_VARIABLE]: browser };
const unit = lane('Unit tests', 'unit', 'unit*');
const results = await runGroups(
  [[[LINT, TYPES], unit, lane('Browser tests', 'browser', 'browser')]],
  env,
);
const isPassed = results.every(({ code }) => code === 0);
say(isPassed ? 'All of these passed' : 'FAILED');
console.log(resultTable(results, (performance.now() - startedMs) / 1_000));
process.exitCode = isPassed ? 0 : 1;

/** The nearest tests of a folder as a lane; empty when none is near. */
function lane(title: string, folder: 'unit' | 'browser', project: string): Lane {
  const near = nearTests(`tests/${folder}`, changed);
  const chosen = near.slice(0, MOST_FILES[folder]);
  say(`${title}: ${chosen.length} of the ${near.length} files that come by what changed`);
  return chosen.length === 0 ? [] : [vitest(title, project, chosen)];
}

function changedSince(commit: string | undefined): readonly string[] {
  if (commit !== undefined) return [...git('diff', '--name-only', commit), ...untracked()];
  const open = [...git('diff', '--name-only', 'HEAD'), ...untracked()];
  return open.length > 0 ? open : git('diff', '--name-only', 'HEAD~1', 'HEAD');
}

function untracked(): readonly string[] {
  return git('ls-files', '--others', '--exclude-standard');
}

function git(...args: readonly string[]): readonly string[] {
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
}
