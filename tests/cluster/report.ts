import { type ChunkRecord, recoverySeconds, transcribedTwice, waitsOf } from './figures.ts';
import type { ProcessorUse } from './processor-time.ts';
import type { TrafficResult } from './traffic.ts';

/** All that is known of a story that was played. */
export type StoryResult = {
  readonly name: string;
  readonly traffic: TrafficResult;
  /** Recordings transcribed to their end, as often as they were. */
  readonly heard: readonly string[];
  readonly use: ProcessorUse;
  readonly forMs: number;
  readonly faultAtMs: number | null;
  /** The speed of an engine on each of its places. */
  readonly audioSecondsPerSecond: number;
  readonly seen: string;
};

/** Violations of the rules; empty when all is well. */
export function faultsOf({ name, traffic, heard }: StoryResult): readonly string[] {
  const { records, refusalsWithoutRetryAfter, wrongTexts, refused } = traffic;
  const recordings = new Set(heard).size;
  const found = [
    { count: lost(records), what: 'chunks without a text' },
    { count: refusalsWithoutRetryAfter, what: 'refusals without Retry-After' },
    { count: wrongTexts, what: 'texts that belong to another chunk' },
    { count: refused.length, what: `chunks that the server will never take (${refused[0]})` },
    // More than were said: a recording does not always sound the same, and nothing can be counted.
    { count: Math.max(0, recordings - records.length), what: 'recordings that nobody made' },
  ];
  return found
    .filter(({ count }) => count > 0)
    .map(({ count, what }) => `${name}: ${count} ${what}`);
}

/** The story in a few lines. */
export function describe(result: StoryResult): string {
  const { traffic, heard, use, seen } = result;
  const { records, answers, refusals, refusalsWithoutRetryAfter } = traffic;
  const { p50, p95, p99, longest } = waitsOf(records);
  const twice = transcribedTwice(heard);
  const lines = [
    `${records.length} chunks (${Math.round(audioSeconds(records))} audio s), ${lost(records)} lost, ` +
      `${twice} transcribed twice (${((100 * twice) / records.length).toFixed(1)} %)`,
    `text after p50 ${s(p50)}, p95 ${s(p95)}, p99 ${s(p99)}, longest ${s(longest)}`,
    `answers ${JSON.stringify(answers)}; ${refusals} refusals, ${refusalsWithoutRetryAfter} without Retry-After`,
    recoveryLine(result),
    seen,
    `machine ${Math.round(100 * use.busyShare)} % busy; cores: ${coresOf(use)}; ` +
      `servers ${Math.round(use.serverBytes / 1e6)} MB`,
  ];
  return lines
    .filter((line) => line !== '')
    .map((line) => `  ${line}\n`)
    .join('');
}

/** All stories as a table in Markdown, for the documentation. */
export function table(results: readonly StoryResult[]): string {
  const head =
    '| story | chunks | lost | twice | p50 | p95 | p99 | refusals | without Retry-After | recovered after | last text |';
  const rows = results.map((result) => {
    const { name, traffic, heard, forMs } = result;
    const { records, refusals, refusalsWithoutRetryAfter } = traffic;
    const { p50, p95, p99 } = waitsOf(records);
    const cells = [
      name,
      records.length,
      lost(records),
      transcribedTwice(heard),
      s(p50),
      s(p95),
      s(p99),
      refusals,
      refusalsWithoutRetryAfter,
      recovery(result) ?? '',
      s(lastTextSeconds(records, forMs)),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [head, `|${'---|'.repeat(11)}`, ...rows, ''].join('\n');
}

function recoveryLine(result: StoryResult): string {
  const { traffic, forMs } = result;
  const drained = `the last text came ${s(lastTextSeconds(traffic.records, forMs))} after the story's end`;
  const recovered = recovery(result);
  return recovered === null ? drained : `recovered ${recovered} after the fault; ${drained}`;
}

function recovery({ traffic, faultAtMs, audioSecondsPerSecond }: StoryResult): string | null {
  if (faultAtMs === null) return null;
  return s(recoverySeconds(traffic.records, faultAtMs, audioSecondsPerSecond));
}

/** After nobody spoke any more. */
const lastTextSeconds = (records: readonly ChunkRecord[], forMs: number) =>
  (Math.max(...records.map(({ textAtMs }) => textAtMs ?? 0)) - forMs) / 1_000;

const lost = (records: readonly ChunkRecord[]) =>
  records.filter(({ textAtMs }) => textAtMs === null).length;

const audioSeconds = (records: readonly ChunkRecord[]) =>
  records.reduce((sum, { seconds }) => sum + seconds, 0);

const s = (seconds: number) => `${seconds.toFixed(1)} s`;

const coresOf = ({ cores }: ProcessorUse) =>
  Object.entries(cores)
    .map(([part, used]) => `${part} ${used.toFixed(2)}`)
    .join(', ');
