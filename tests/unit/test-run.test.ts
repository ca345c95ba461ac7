import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  resultTable,
  runGroups,
  runStage,
  type Stage,
  type StageResult,
} from '../../tools/testing/run-stages.ts';
import { OUTCOME_VARIABLE } from '../../tools/testing/tries-reporter.ts';

const stage = (title: string): Stage => ({ title, command: 'none', args: [] });

const result = (title: string, code = 0, more: Partial<StageResult> = {}): StageResult => ({
  title,
  code,
  seconds: 1,
  processorSeconds: 2,
  tests: null,
  ...more,
});

/** Stages that end when they are told to. */
function createStages() {
  const begun: string[] = [];
  const ends = new Map<string, (code: number) => void>();
  return {
    begun,
    run: ({ title }: Stage) => {
      begun.push(title);
      return new Promise<StageResult>((resolve) => {
        ends.set(title, (code) => resolve(result(title, code)));
      });
    },
    async end(title: string, code = 0) {
      ends.get(title)?.(code);
      for (let turn = 0; turn < 20; turn += 1) await null;
    },
  };
}

const GROUPS = [[[stage('a'), stage('b')], [stage('c')]], [[stage('d')]]];

test('lanes run side by side, stages and groups one after the other', async () => {
  const stages = createStages();
  const all = runGroups(GROUPS, {}, stages.run);
  expect(stages.begun).toEqual(['a', 'c']);
  await stages.end('a');
  expect(stages.begun).toEqual(['a', 'c', 'b']);
  await stages.end('b');
  expect(stages.begun).toEqual(['a', 'c', 'b']);
  await stages.end('c');
  expect(stages.begun).toEqual(['a', 'c', 'b', 'd']);
  await stages.end('d');
  expect((await all).map(({ title }) => title)).toEqual(['a', 'b', 'c', 'd']);
});

test('when a stage fails its group is run to the end, and no other group', async () => {
  const stages = createStages();
  const all = runGroups(GROUPS, {}, stages.run);
  await stages.end('a', 1);
  await stages.end('b');
  await stages.end('c');
  expect((await all).map(({ code }) => code)).toEqual([1, 0, 0]);
  expect(stages.begun).toEqual(['a', 'c', 'b']);
});

test('a stage that gives way has a lower priority than others', async () => {
  const args = ['-e', 'process.exit(require("node:os").getPriority())'];
  const own = { title: 'Of its own priority', command: process.execPath, args };
  const [ordinary, giving] = [
    await runStage(own, process.env),
    await runStage({ ...own, givesWay: true }, process.env),
  ];
  expect(ordinary.code).toBe(getPriority());
  expect(giving.code).toBe(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
});

/** Fails and prints `printed` as often as it is said to, each time with a file more. */
async function runFailing(times: number, printed: string) {
  const folder = await mkdtemp(join(tmpdir(), 'diktera-stage-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = `const { readdirSync, writeFileSync } = require('node:fs');
    const runs = readdirSync(${JSON.stringify(folder)}).length;
    writeFileSync(${JSON.stringify(folder)} + '/' + runs, '');
    const outcome = { passed: 3, skipped: 0, failures: [], triedAgain: [] };
    writeFileSync(process.env.${OUTCOME_VARIABLE}, JSON.stringify(outcome));
    if (runs < ${times}) { console.log(${JSON.stringify(printed)}); process.exitCode = 1; }`;
  const own = { title: 'Of a browser', command: process.execPath, args: ['-e', script] };
  const { code, tests } = await runStage({ ...own, engineDied: /It has died/ }, process.env);
  return { code, runs: (await readdir(folder)).length, triedAgain: tests?.triedAgain };
}

test('a stage whose browser died is run once more, which is told; no other that fails', async () => {
  const once = await runFailing(1, 'Oh no: It has died.');
  expect(once).toEqual({
    code: 0,
    runs: 2,
    triedAgain: ['all of it: the browser had died'],
  });
  expect(await runFailing(2, 'It has died')).toMatchObject({ code: 1, runs: 2 });
  expect(await runFailing(1, 'A test failed')).toEqual({ code: 1, runs: 1, triedAgain: [] });
});

test('the table: each stage, their sum, what was tried again and what failed', () => {
  const tests = { passed: 9, skipped: 2, failures: ['a > b: was 2'], triedAgain: ['x > y'] };
  const results = [
    result('Types', 0, { seconds: 12.34 }),
    result('Unit tests', 1, { processorSeconds: null, tests }),
  ];
  expect(resultTable(results, 13)).toBe(
    [
      'stage       seconds  CPU s  tests  skipped  tried again  outcome',
      'Types          12.3    2.0      -        -            -  passed',
      'Unit tests      1.0      -     10        2            1  FAILED: 1 tests',
      'all            13.0    2.0     10        2            1  FAILED',
      'tried again: Unit tests: x > y',
      'FAILED: Unit tests: a > b: was 2',
    ].join('\n'),
  );
});
