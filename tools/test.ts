import { BROWSER_VARIABLE, findOrInstallBrowser } from './browser.ts';
import { buildIfNeeded } from './build-if-needed.ts';
import { localCommand, run, say } from './run.ts';

type Step = { readonly title: string; readonly run: () => Promise<number> };

// Cheapest first, so that a slip is told at once; every step must pass.
const browser = await findOrInstallBrowser();
const env = { ...process.env, [BROWSER_VARIABLE]: browser };
const vitest = (project: string) => () =>
  run(localCommand('vitest'), ['run', '--project', project], env);

const STEPS: readonly Step[] = [
  {
    title: 'Format and lint',
    run: () => run(localCommand('biome'), ['check', '--error-on-warnings', '.']),
  },
  { title: 'Types', run: () => run(localCommand('tsc'), ['-b']) },
  { title: 'Unit tests', run: vitest('unit') },
  { title: 'Browser tests', run: vitest('browser') },
  { title: 'Production build', run: () => buildIfNeeded().then(() => 0) },
  { title: 'Attacks on the server', run: vitest('attacks') },
  { title: 'The package', run: vitest('package') },
  { title: 'End-to-end tests', run: vitest('e2e') },
  { title: 'Fault tests', run: vitest('faults') },
];

for (const step of STEPS) {
  say(step.title);
  const startedMs = Date.now();
  const code = await step.run();
  if (code !== 0) {
    say(`${step.title}: failed (code ${code})`);
    process.exit(code);
  }
  say(`${step.title}: passed in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
}
say('All passed');
