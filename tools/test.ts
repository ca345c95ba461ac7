import { BROWSER_VARIABLE, findOrInstallBrowser } from './browser.ts';
import { say } from './run.ts';
import { resultTable } from './testing/result-table.ts';
import { type Group, runGroups } from './testing/run-groups.ts';
import { BUILD, LINT, TYPES, vitest } from './testing/stages.ts';

const BENCHMARK = 'tests/e2e/benchmark.test.ts';

// What is cheap comes first, so that a slip is told at once.
const GROUPS: readonly Group[] = [
  [[LINT], [TYPES, BUILD]],
  // Two at a time keep two cores busy; with more beside each other tests come past their deadlines.
  [
    [
      vitest('Browser tests', 'browser'),
      vitest('End-to-end tests', 'e2e', ['--exclude', BENCHMARK]),
    ],
    [vitest('Unit tests', 'unit*'), vitest('The package', 'package')],
  ],
  // By themselves: seven browsers, with those of the end-to-end tests, are too many for two cores.
  [[vitest('Fault tests', 'faults')]],
  // By themselves: the one takes all of the machine, the other measures it.
  [[vitest('Attacks on the server', 'attacks'), vitest('The benchmark page', 'e2e', [BENCHMARK])]],
];

const startedMs = performance.now();
const browser = await findOrInstallBrowser();
const results = await runGroups(GROUPS, { ...process.env, [BROWSER_VARIABLE]: browser });
const isPassed = results.every(({ code }) => code === 0);
say(isPassed ? 'All passed' : 'FAILED');
console.log(resultTable(results, (performance.now() - startedMs) / 1_000));
process.exitCode = isPassed ? 0 : 1;
