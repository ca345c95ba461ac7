import { constants, getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { resultTable } from '../../tools/testing/result-table.ts';
import { runGroups } from '../../tools/testing/run-groups.ts';
import { runStage, type Stage, type StageResult } from '../../tools/testing/run-stage.ts';

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

test('the table: each stage, their sum, and what was tried again', () => {
  const tests = { passed: 9, failed: 1, skipped: 2, triedAgain: ['x > y'] };
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
    ].join('\n'),
  );
});
