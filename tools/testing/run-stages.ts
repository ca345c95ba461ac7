import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { localCommand, say } from '../browsers.ts';
import { watchProcessorTime } from './processor-time.ts';
import { OUTCOME_VARIABLE, type TestOutcome } from './tries-reporter.ts';

/** A command that has to end with 0. */
export type Stage = {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /**
   * The stage beside it goes first, wherever both want a core: it has deadlines to meet.
   * @default false
   */
  readonly givesWay?: boolean;
  /**
   * The text the stage prints when the browser itself has died: then it is run once more, and said to
   * have been.
   * @default it is not
   */
  readonly engineDied?: RegExp;
  /** The variables it has beside those that all have. @default none */
  readonly env?: Readonly<Record<string, string>>;
};

/** The outcome of a stage. */
export type StageResult = {
  readonly title: string;
  readonly code: number;
  readonly seconds: number;
  /** Null where it cannot be known. */
  readonly processorSeconds: number | null;
  /** Null when no tests are in it, or it ended before they did. */
  readonly tests: TestOutcome | null;
};

/**
 * Names the folder where vitest keeps how long each file took; stages beside each other would share
 * a file.
 */
export const CACHE_VARIABLE = 'DIKTERA_TEST_CACHE';

/** Where output is written while a stage runs: one file each. */
const FOLDER = join('.cache', 'test');

/**
 * Runs a stage. Its output is shown when it has ended: others may run beside it, and their lines
 * would mix.
 */
export async function runStage(stage: Stage, env: NodeJS.ProcessEnv): Promise<StageResult> {
  const { engineDied, ...rest } = stage;
  const first = await runOnce(stage, env);
  if (first.code === 0 || engineDied === undefined || !engineDied.test(first.printed)) {
    return first;
  }
  say(`${stage.title}: the browser has died, and all of it is run again`);
  const second = await runOnce(rest, env);
  const { tests } = second;
  const triedAgain = [...(tests?.triedAgain ?? []), 'all of it: the browser had died'];
  return {
    ...second,
    seconds: first.seconds + second.seconds,
    tests: tests && { ...tests, triedAgain },
  };
}

async function runOnce(
  stage: Stage,
  env: NodeJS.ProcessEnv,
): Promise<StageResult & { readonly printed: string }> {
  const { title, command, args, givesWay = false } = stage;
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, title.toLowerCase().replaceAll(/[^a-z]+/g, '-'));
  const outcomePath = `${path}.json`;
  rmSync(outcomePath, { force: true });
  const log = openSync(`${path}.log`, 'w');
  say(`${title}: begins (${path}.log)`);
  const startedMs = performance.now();
  const child = spawn(command, [...args], {
    stdio: ['ignore', log, log],
    env: { ...env, ...stage.env, [OUTCOME_VARIABLE]: outcomePath, [CACHE_VARIABLE]: path },
  });
  // Before it starts processes of its own, which are given the same.
  if (givesWay && child.pid) giveWay(child.pid);
  const endWatch = watchProcessorTime(child.pid ?? 0);
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => resolve(status ?? 130));
  });
  const processorSeconds = endWatch();
  const seconds = (performance.now() - startedMs) / 1_000;
  closeSync(log);
  say(title);
  const printed = readFileSync(`${path}.log`, 'utf8');
  process.stdout.write(printed);
  say(`${title}: ${code === 0 ? 'passed' : `FAILED (code ${code})`} in ${seconds.toFixed(1)} s`);
  return { title, code, seconds, processorSeconds, tests: readOutcome(outcomePath), printed };
}

function giveWay(pid: number): void {
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL;
  // Nobody but an administrator may raise it again.
  if (getPriority(pid) < wanted) setPriority(pid, wanted);
}

function readOutcome(path: string): TestOutcome | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as TestOutcome;
  } catch {
    return null;
  }
}

/** Stages that run one after the other. */
export type Lane = readonly Stage[];

/** Lanes that run side by side. */
export type Group = readonly Lane[];

/**
 * Runs one group after the other. When a stage fails its group is run to the end, so that one run
 * tells of all that is wrong, and no other group begins.
 */
export async function runGroups(
  groups: readonly Group[],
  env: NodeJS.ProcessEnv,
  run: typeof runStage = runStage,
): Promise<readonly StageResult[]> {
  const results: StageResult[] = [];
  for (const group of groups) {
    await Promise.all(
      group.map(async (lane) => {
        for (const stage of lane) results.push(await run(stage, env));
      }),
    );
    if (results.some(({ code }) => code !== 0)) return results;
  }
  return results;
}

const HEAD = ['stage', 'seconds', 'CPU s', 'tests', 'skipped', 'tried again', 'outcome'];

/** The outcomes of the stages as a table of text; below it the tests that were tried again or failed. */
export function resultTable(results: readonly StageResult[], wholeSeconds: number): string {
  const rows = results.map(({ title, code, seconds, processorSeconds, tests }) => [
    title,
    seconds.toFixed(1),
    processorSeconds?.toFixed(1) ?? '-',
    tests ? String(tests.passed + tests.failures.length) : '-',
    tests ? String(tests.skipped) : '-',
    tests ? String(tests.triedAgain.length) : '-',
    outcomeOf(code, tests?.failures.length ?? 0),
  ]);
  const sum = (value: (result: StageResult) => number | null | undefined): number =>
    results.reduce((total, each) => total + (value(each) ?? 0), 0);
  rows.push([
    'all',
    wholeSeconds.toFixed(1),
    sum(({ processorSeconds }) => processorSeconds).toFixed(1),
    String(sum(({ tests }) => tests && tests.passed + tests.failures.length)),
    String(sum(({ tests }) => tests?.skipped)),
    String(sum(({ tests }) => tests?.triedAgain.length)),
    results.every(({ code }) => code === 0) ? 'passed' : 'FAILED',
  ]);
  const lines = [HEAD, ...rows];
  const widths = HEAD.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const drawn = lines.map((line) =>
    line
      .map((cell, at) =>
        isText(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const again = results.flatMap(({ title, tests }) =>
    (tests?.triedAgain ?? []).map((name) => `tried again: ${title}: ${name}`),
  );
  const failures = results.flatMap(({ title, tests }) =>
    (tests?.failures ?? []).map((failure) => `FAILED: ${title}: ${failure}`),
  );
  return [...drawn, ...again, ...failures].join('\n');
}

const isText = (column: number): boolean => column === 0 || column === HEAD.length - 1;

function outcomeOf(code: number, failed: number): string {
  if (code === 0) return 'passed';
  return failed > 0 ? `FAILED: ${failed} tests` : `FAILED (code ${code})`;
}

export const LINT: Stage = {
  title: 'Format and lint',
  command: localCommand('biome'),
  args: ['check', '--error-on-warnings', '.'],
};

export const TYPES: Stage = { title: 'Types', command: localCommand('tsc'), args: ['-b'] };

export const BUILD: Stage = {
  title: 'Production build',
  command: localCommand('tsx'),
  args: ['tools/build.ts', '--if-needed'],
};

/**
 * The tests of one of vitest's projects, or of several with a `*`; `more` are its own arguments, as the files that are meant.
 */
export function vitest(title: string, project: string, more: readonly string[] = []): Stage {
  const args = ['run', '--project', project, ...more];
  return { title, command: localCommand('vitest'), args };
}

/** The fault tests that tell most with live pieces, in the field at each pause. */
export const LIVE_FAULTS: Stage = {
  ...vitest('Fault tests, live', 'faults', ['exact-samples', 'held-texts', 'live-pieces']),
  env: { FAULT_LIVE: 'at-pause' },
};

/** One page after the other: only the window in front takes what is typed. */
export const FIREFOX: Stage = vitest('Browser tests, Firefox', 'firefox');

/**
 * WebKitGTK is the nearest to Safari. A crash of its audio thread ends the whole page, and it gives
 * the addresses of WASM memories back late.
 */
export const WEBKIT: Stage = {
  ...vitest('Browser tests, WebKitGTK', 'webkit*'),
  engineDied: /Browser connection was closed while running tests|RangeError: Out of memory/,
};
