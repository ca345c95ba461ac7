import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { say } from '../run.ts';
import { watchProcessorTime } from './processor-time.ts';
import { OUTCOME_VARIABLE, type TestOutcome } from './tries-reporter.ts';

/** A command that has to end with 0. */
export type Stage = {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /**
   * What runs beside it goes first, wherever both want a core: it has deadlines to meet.
   * @default false
   */
  readonly givesWay?: boolean;
  /**
   * What the stage prints when the browser itself has died: then it is run once more, and said to
   * have been.
   * @default it is not
   */
  readonly engineDied?: RegExp;
  /** What it has in its environment beside what all have. @default nothing */
  readonly env?: Readonly<Record<string, string>>;
};

/** What came of a stage. */
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
 * Runs a stage. What it prints is kept and shown when it has ended: others may run beside it, and
 * their lines would mix.
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
