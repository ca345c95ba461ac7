import { BROWSER_VARIABLE, findOrInstallBrowser } from './browser.ts';
import { FIREFOX_VARIABLE, findOrInstallFirefox, hasSoundServer } from './firefox.ts';
import { say } from './run.ts';
import { resultTable } from './testing/result-table.ts';
import { type Group, runGroups } from './testing/run-groups.ts';
import type { Stage } from './testing/run-stage.ts';
import { BUILD, FIREFOX, LINT, LIVE_FAULTS, TYPES, vitest, WEBKIT } from './testing/stages.ts';
import { findOrInstallWebKit, WEBKIT_VARIABLE } from './webkit.ts';

/** In each browser a file. */
const BENCHMARK = 'benchmark.test.ts';

/** What is said to a microphone of a real sound server is heard at once, or garbled. */
const IN_REAL_TIME = ['e2e/firefox', 'e2e/webkit'];

const without = (parts: readonly string[]): readonly string[] =>
  parts.flatMap((part) => ['--exclude', `**/*${part}*`]);

/** What computes takes what is left of the cores by what has deadlines, and waits much. */
const givingWay = (stage: Stage): Stage => ({ ...stage, givesWay: true });

// What is cheap comes first, so that a slip is told at once. Unit tests take every core by
// themselves. Two of the other stages at a time keep two cores busy; with more beside each other
// tests come past their deadlines.
const groups = (hasFirefox: boolean, hasWebKit: boolean): readonly Group[] => [
  [[LINT], [TYPES, BUILD]],
  [[vitest('Unit tests', 'unit*')]],
  [
    [
      vitest('Fault tests', 'faults'),
      LIVE_FAULTS,
      vitest('End-to-end tests', 'e2e', without([BENCHMARK, ...IN_REAL_TIME])),
      vitest('The package', 'package'),
    ],
    [
      givingWay(vitest('Browser tests', 'browser')),
      ...(hasFirefox ? [givingWay(FIREFOX)] : []),
      ...(hasWebKit ? [givingWay(WEBKIT)] : []),
    ],
  ],
  // By themselves: the first takes all of the machine, the last measures it.
  [
    [
      vitest('Attacks on the server', 'attacks'),
      vitest('End-to-end tests by voice, Firefox and WebKitGTK', 'e2e', [
        ...IN_REAL_TIME,
        ...without([BENCHMARK]),
        '--maxWorkers=1',
      ]),
      vitest('The benchmark pages', 'e2e', [BENCHMARK]),
    ],
  ],
];

const startedMs = performance.now();
const browser = await findOrInstallBrowser();
const firefox = await findOrInstallFirefox();
const webkit = await findOrInstallWebKit();
const env = {
  ...process.env,
  [BROWSER_VARIABLE]: browser,
  ...(firefox ? { [FIREFOX_VARIABLE]: firefox } : {}),
  ...(webkit ? { [WEBKIT_VARIABLE]: webkit } : {}),
};
const results = await runGroups(groups(firefox !== null, webkit !== null), env);
const isPassed = results.every(({ code }) => code === 0);
const hasVoice = hasSoundServer() ? '' : ' (but for a voice: no PulseAudio)';
const inWebKit = webkit ? `in WebKitGTK${hasVoice}` : 'without a WebKitGTK';
const engines = `in Chromium, ${firefox ? 'in Firefox' : 'without a Firefox that has sound'}, ${inWebKit}`;
say(`${isPassed ? 'All passed' : 'FAILED'}: ${engines}`);
console.log(resultTable(results, (performance.now() - startedMs) / 1_000));
process.exitCode = isPassed ? 0 : 1;
