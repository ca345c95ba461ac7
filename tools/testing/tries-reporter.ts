import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Names the file in which the outcome is left for whoever started the run. */
export const OUTCOME_VARIABLE = 'DIKTERA_TEST_OUTCOME';

/** The outcome of one run of vitest. */
export type TestOutcome = {
  readonly passed: number;
  readonly skipped: number;
  /** Tests that failed, and files that could not be read, each with what it said first. */
  readonly failures: readonly string[];
  /** Tests that passed only when they were tried again. */
  readonly triedAgain: readonly string[];
};

/** The rounds of a test are the same test. */
const ROUND = /\bround \d+/gi;

/**
 * Names each test that needed another try, and fails the run when the same test needed two: once is
 * a busy machine, twice is a fault.
 */
export class TriesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const outcome = outcomeOf(modules);
    const { triedAgain } = outcome;
    for (const name of triedAgain) console.log(`Tried again: ${name}`);
    for (const reason of reasonsOf(modules)) console.log(reason);
    const known = new Set<string>();
    for (const name of triedAgain.map((each) => each.replace(ROUND, 'round'))) {
      if (known.has(name)) {
        console.log(`Tried again twice, which fails the run: ${name}`);
        process.exitCode = 1;
      }
      known.add(name);
    }
    const path = process.env[OUTCOME_VARIABLE];
    if (path !== undefined) writeFileSync(path, JSON.stringify(outcome));
  }
}

/** Why tests that passed at last had failed before: their runner shows errors of failed ones only. */
function reasonsOf(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) =>
    [...module.children.allTests('passed')].flatMap((test) =>
      (test.result().errors ?? []).map(
        ({ message, stacks }) =>
          `Had failed: ${test.fullName}: ${message}${(stacks ?? []).map(({ file, line }) => `\n  at ${file}:${line}`).join('')}`,
      ),
    ),
  );
}

function outcomeOf(modules: readonly TestModule[]): TestOutcome {
  const count = { passed: 0, skipped: 0 };
  const triedAgain: string[] = [];
  const failures: string[] = [];
  for (const module of modules) {
    for (const error of module.errors()) {
      failures.push(`${module.relativeModuleId}: ${firstLineOf(error.message)}`);
    }
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      const { retryCount = 0 } = test.diagnostic() ?? {};
      const name = `${module.relativeModuleId} > ${test.fullName}`;
      if (state === 'failed') failures.push(`${name}: ${firstLineOf(errors[0]?.message)}`);
      else if (state !== 'pending') count[state] += 1;
      for (let retry = 0; retry < retryCount; retry += 1) triedAgain.push(name);
    }
  }
  return { ...count, failures, triedAgain };
}

const firstLineOf = (text = ''): string => text.split('\n', 1)[0] ?? '';
