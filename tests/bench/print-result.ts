import type { BenchmarkRow } from '../../src/benchmark/report.ts';
import type { SideBySide } from './harness/side-by-side.ts';
import type { LiveRow } from './live-cost.ts';
import { START_STATES, type StartupRow } from './startup.ts';

export type BenchResult = SideBySide & {
  readonly machine: SideBySide['machine'] & {
    readonly processor: string;
    /** Programs that wanted to run when the bench began; null where the system does not say. */
    readonly loadBefore: number | null;
  };
  readonly date: string;
  readonly live: readonly LiveRow[];
  readonly startup: readonly StartupRow[];
  readonly ratios: Readonly<Record<string, number>>;
};

/** Our figures relative to the others', by name: above 1 is better. */
export function ratiosOf(
  rows: readonly BenchmarkRow[],
  live: readonly LiveRow[],
  startup: readonly StartupRow[],
): Record<string, number> {
  const ratios: Record<string, number> = {};
  const kernel = rows.find((row) => row.engine === 'kernel');
  for (const engine of ['ort', 'vad-web'] as const) {
    const other = rows.find((row) => row.engine === engine && row.threads === 1);
    if (!kernel || !other) continue;
    const name = `kernel/${engine}`;
    ratios[`${name} speed`] = kernel.xRealtime / other.xRealtime;
    ratios[`${name} start`] = other.startupMs / kernel.startupMs;
    ratios[`${name} bytes`] = other.bytes / kernel.bytes;
  }
  const [ours, peer] = live;
  if (ours?.rendererCoreShare && peer?.rendererCoreShare) {
    ratios['live diktera/vad-web'] = peer.rendererCoreShare / ours.rendererCoreShare;
  }
  if (ours?.mainCoreShare && peer?.mainCoreShare) {
    ratios['live main thread diktera/vad-web'] = peer.mainCoreShare / ours.mainCoreShare;
  }
  for (const page of START_STATES) {
    const msOf = (engine: StartupRow['engine']) =>
      startup.find((row) => row.engine === engine && row.page === page)?.firstFrameMs ?? Number.NaN;
    ratios[`${page} start microphone/diktera`] = msOf('microphone') / msOf('diktera');
    ratios[`${page} start diktera/vad-web`] = msOf('vad-web') / msOf('diktera');
  }
  return ratios;
}

/** The figures as a table on the terminal. */
export function printResult({ machine, rows, failures, live, startup, ratios }: BenchResult): void {
  console.log(`\n${machine.browser}, ${machine.cores} cores; medians of interleaved rounds\n`);
  if ((machine.loadBefore ?? 0) > machine.cores / 2) {
    const load = machine.loadBefore?.toFixed(1);
    console.log(
      `Other programs were running (load ${load}): tails and starts are longer for it.\n`,
    );
  }
  console.table(
    Object.fromEntries(
      rows.map(({ engine, threads, xRealtime, usPerFrame, ...row }) => [
        `${engine} x${threads}`,
        {
          'x real time': Math.round(xRealtime),
          'us p50': round(usPerFrame.p50),
          'us p95': round(usPerFrame.p95),
          'us p99': round(usPerFrame.p99),
          'start ms': Math.round(row.startupMs),
          MB: round(row.bytes / 1e6),
          'live % of a core': row.live && round(row.live.coreShare * 100),
          'max difference': row.maxDifference?.toExponential(1),
        },
      ]),
    ),
  );
  for (const { key, error } of failures)
    console.log(`Not measured: ${JSON.stringify(key)}: ${error.message}`);
  console.log('\nListening to a microphone, % of a core');
  console.table(
    Object.fromEntries(
      live.map((row) => [
        row.engine,
        {
          seconds: row.seconds,
          'main thread': percent(row.mainCoreShare),
          workers: percent(row.workerCoreShare),
          'whole renderer': percent(row.rendererCoreShare),
        },
      ]),
    ),
  );
  console.log(
    '\nFrom a press to the first frame, ms (the microphone alone: heard; the others: inferred)',
  );
  console.table(
    Object.fromEntries(
      startup.map(({ engine, page, firstFrameMs, roundsMs }) => [
        `${engine}, ${page}`,
        { median: Math.round(firstFrameMs), rounds: roundsMs.map(Math.round).join(' ') },
      ]),
    ),
  );
  console.log('\nTimes better than the others');
  console.table(
    Object.fromEntries(Object.entries(ratios).map(([name, ratio]) => [name, round(ratio)])),
  );
}

function percent(share: number | null): number | string {
  return share === null ? 'not known here' : round(share * 100);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
