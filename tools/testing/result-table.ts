import type { StageResult } from './run-stage.ts';

const HEAD = ['stage', 'seconds', 'CPU s', 'tests', 'skipped', 'tried again', 'outcome'];

/** What came of each stage as a table of text; below it the tests that were tried again or failed. */
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
