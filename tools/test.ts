import { readdirSync } from 'node:fs';
import {
  BROWSER_VARIABLE,
  FIREFOX_VARIABLE,
  findOrInstallBrowser,
  findOrInstallFirefox,
  findOrInstallWebKit,
  hasSoundServer,
  say,
  WEBKIT_VARIABLE,
} from './browsers.ts';
import {
  BUILD,
  FIREFOX,
  type Group,
  type Lane,
  LINT,
  LIVE_FAULTS,
  resultTable,
  runGroups,
  type Stage,
  TYPES,
  vitest,
  WEBKIT,
} from './testing/run-stages.ts';

// Usage: tsx tools/test.ts [short | engines | all]
// `npm test` is the short round, of about a quarter of an hour; `npm run test:engines` runs
// Firefox and WebKitGTK whole, by page and by voice; `npm run test:all` runs everything once.

/** Measures the machine, so that it runs by itself. */
const BENCHMARK = 'benchmark.test.ts';

/** Speech to a microphone of a real sound server is heard at once, or garbled. */
const IN_REAL_TIME = ['e2e/firefox', 'e2e/webkit'];

/** The kinds of loss that cannot be seen by reading: killed, cut off, full, refused, and live. */
const FAULT_CORE = ['exact-samples', 'held-texts', 'killed-browser', 'full-disk', 'storage-faults'];

/** A person's ways through the page, the words judged, and each server a person may meet. */
const E2E_CORE = [
  ...['e2e/dictation', 'e2e/loss', 'e2e/draft', 'e2e/live-field', 'e2e/recent', 'e2e/trouble'],
  ...['e2e/embed.', 'e2e/network', 'e2e/swedish', 'e2e/sign-in', 'e2e/ui-page', 'e2e/no-codec'],
];

/** Engines differ most in fields, storage, microphones and encoders. */
const ENGINE_CORE = [
  ...['field-cursor', 'field-insert', 'field-paste', 'field-composition'],
  ...['queue-store', 'journal-crash', 'journal-durability'],
  ...['browser/capture.test', 'capture-failures', 'capture-microphones', 'audio-encoder'],
];

/** The browser extension on the strictest page there is. */
const EXTENSION_CORE = ['extension/dictation'];

/** Installing into every bundler takes minutes: `npm run test:package`. */
const PACKAGE_CORE = ['package/vite', 'package/contents'];

const without = (parts: readonly string[]): readonly string[] =>
  parts.flatMap((part) => ['--exclude', `**/*${part}*`]);

/** A stage that computes leaves the cores to one that has deadlines to meet and waits much. */
const givingWay = (stage: Stage): Stage => ({ ...stage, givesWay: true });

const some = (stage: Stage, parts: readonly string[]): Stage => ({
  ...stage,
  args: [...stage.args, ...parts.map(known)],
});

/** Throws for a name that no test file has: vitest would leave it out and say nothing. */
function known(part: string): string {
  const files = readdirSync('tests', { recursive: true, encoding: 'utf8' });
  if (files.some((path) => `tests/${path}`.includes(part) && /\.test\.tsx?$/.test(path))) {
    return part;
  }
  throw new Error(`No test file is called ${part}: see tools/test.ts`);
}

type Engines = { readonly hasFirefox: boolean; readonly hasWebKit: boolean };

const inEngines = ({ hasFirefox, hasWebKit }: Engines, parts: readonly string[]): Lane => [
  ...(hasFirefox ? [givingWay(some(FIREFOX, parts))] : []),
  ...(hasWebKit ? [givingWay(some(WEBKIT, parts))] : []),
];

// Slips that are cheap to find come first. Unit tests take every core by themselves. Two lanes keep
// two cores busy; with more beside each other tests come past their deadlines. The attacks take all
// of the machine, and the benchmark measures it.
const CHEAP: Group = [[LINT], [TYPES, BUILD]];
const UNIT: Group = [[vitest('Unit tests', 'unit*')]];
const ATTACKS = vitest('Attacks on the server', 'attacks');
const VOICE = vitest('End-to-end tests by voice, Firefox and WebKitGTK', 'e2e', [
  ...IN_REAL_TIME,
  '--maxWorkers=1',
]);

const ROUNDS = {
  short: (engines: Engines): readonly Group[] => [
    CHEAP,
    UNIT,
    [
      [
        some(vitest('End-to-end tests', 'e2e'), E2E_CORE),
        some(vitest('Fault tests', 'faults'), FAULT_CORE),
        some(vitest('The package', 'package'), PACKAGE_CORE),
        some(vitest('The extension', 'extension'), EXTENSION_CORE),
        ...inEngines(engines, ENGINE_CORE),
      ],
      [givingWay(vitest('Browser tests', 'browser'))],
    ],
    [[ATTACKS]],
  ],
  engines: (engines: Engines): readonly Group[] => [
    [[BUILD]],
    inEngines(engines, []).map((stage) => [stage]),
    [[VOICE]],
  ],
  all: (engines: Engines): readonly Group[] => [
    CHEAP,
    UNIT,
    [
      [
        vitest('Fault tests', 'faults'),
        LIVE_FAULTS,
        vitest('End-to-end tests', 'e2e', without([BENCHMARK, ...IN_REAL_TIME])),
        vitest('The package', 'package'),
        vitest('The extension', 'extension'),
      ],
      [givingWay(vitest('Browser tests', 'browser')), ...inEngines(engines, [])],
    ],
    [[ATTACKS, VOICE, vitest('The benchmark pages', 'e2e', [BENCHMARK])]],
  ],
} as const;

const isRound = (word: string): word is keyof typeof ROUNDS => Object.hasOwn(ROUNDS, word);
const [asked = 'short'] = process.argv.slice(2);
if (!isRound(asked))
  throw new Error(`Usage: tsx tools/test.ts [${Object.keys(ROUNDS).join(' | ')}]`);

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
const engines = { hasFirefox: firefox !== null, hasWebKit: webkit !== null };
const results = await runGroups(ROUNDS[asked](engines), env);
const isPassed = results.every(({ code }) => code === 0);
const hasVoice = hasSoundServer() ? '' : ' (but for a voice: no PulseAudio)';
const inWebKit = webkit ? `in WebKitGTK${hasVoice}` : 'without a WebKitGTK';
const where = `in Chromium, ${firefox ? 'in Firefox' : 'without a Firefox that has sound'}, ${inWebKit}`;
say(`${isPassed ? 'All passed' : 'FAILED'}: ${where}`);
console.log(resultTable(results, (performance.now() - startedMs) / 1_000));
process.exitCode = isPassed ? 0 : 1;
