import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { OUTCOME_VARIABLE, type TestOutcome } from '../../tools/testing/tries-reporter.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the tests of a folder as `npm test` does; its argument is the folder. */
const PROGRAM = `
  import { startVitest } from 'vitest/node';
  import { TriesReporter } from './tools/testing/tries-reporter.ts';
  const settings = { config: false, root: process.argv[1], globals: true, retry: 1, watch: false };
  const vitest = await startVitest('test', [], { ...settings, reporters: [new TriesReporter()] });
  await vitest.close();
`;

type Run = { readonly code: number | null; readonly said: string; readonly outcome: TestOutcome };

/** Runs tests in a folder of their own: a file of this text. */
async function run(tests: string): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'diktera-tries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'some.test.js'), tests);
  const outcomePath = join(folder, 'outcome.json');
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, folder],
    { cwd: ROOT, env: { ...process.env, [OUTCOME_VARIABLE]: outcomePath } },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said, outcome: JSON.parse(readFileSync(outcomePath, 'utf8')) as TestOutcome };
}

/** A test that fails at first. */
const failsOnce = (name: string) => `{
  let tries = 0;
  test('${name}', () => { tries += 1; expect(tries).toBe(2); });
}`;

test('a test that needed another try is named, and the run passes', async () => {
  const { code, said, outcome } = await run(
    `test('steady', () => {}); test.skip('later', () => {}); ${failsOnce('shaky')}`,
  );
  expect(said).toContain('Tried again: some.test.js > shaky\n');
  expect(said).toContain('Had failed: shaky: expected 1 to be 2');
  expect(outcome).toEqual({
    passed: 2,
    skipped: 1,
    failures: [],
    triedAgain: ['some.test.js > shaky'],
  });
  expect(code, said).toBe(0);
});

test('the same test in two rounds: each is named, and the run fails', async () => {
  const { code, said, outcome } = await run(
    `${failsOnce('shaky, round 1')} ${failsOnce('shaky, round 2')}`,
  );
  expect(said).toContain('Tried again twice, which fails the run: some.test.js > shaky, round\n');
  expect(outcome.triedAgain).toHaveLength(2);
  expect(outcome.failures).toEqual([]);
  expect(code, said).toBe(1);
});

test('what failed is named with what it said, a file that cannot be read too', async () => {
  const failing = await run(`test('wrong', () => { expect(1).toBe(2); });`);
  expect(failing.outcome.failures).toEqual([
    'some.test.js > wrong: expected 1 to be 2 // Object.is equality',
  ]);
  expect(failing.code).toBe(1);
  const unreadable = await run(`throw new Error('no such thing\\nat all');`);
  expect(unreadable.outcome.failures).toEqual(['some.test.js: no such thing']);
});
