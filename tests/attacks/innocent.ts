import { post } from './post.ts';

/** Somebody who dictates, one piece after the other, all the time. */
export type Innocent = {
  /** Begins to count anew. */
  mark(): void;
  /** What became of the requests since then, those under way included when they have ended. */
  seen(): Promise<InnocentView>;
  stop(): Promise<void>;
};

/** What it saw. */
export type InnocentView = {
  /** Of answers with 200, in ms; NaN without any. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly answers: number;
  /** Everything but 200, by name. */
  readonly failures: readonly string[];
  /** How much work of the attacker was done, at most, while one request of it waited. */
  readonly mostWorkBetween: number;
};

/** A person speaks longer than this; faster would be a load of its own. */
const AT_MOST_EVERY_MS = 400;

/** Starts one that sends `file` to the server at `url`; `workDone` counts the attacker's work. */
export function startInnocent(
  url: string,
  file: Uint8Array,
  headers: Readonly<Record<string, string>>,
  workDone: () => number,
): Innocent {
  let latencies: number[] = [];
  let failures: string[] = [];
  let mostWorkBetween = 0;
  let isOver = false;
  let sent = 0;
  let latest: Promise<void> = Promise.resolve();

  async function sendOne(): Promise<void> {
    const startedMs = performance.now();
    const workBefore = workDone();
    // As the page does: a key for each piece.
    const key = { 'idempotency-key': `piece-${process.pid}-${sent++}` };
    const outcome = await post(url, '127.0.0.1', {
      file,
      fields: { language: 'en', fixSpelling: 'true' },
      headers: { ...headers, ...key },
    });
    const tookMs = performance.now() - startedMs;
    mostWorkBetween = Math.max(mostWorkBetween, workDone() - workBefore);
    if (outcome.kind === 'answered' && outcome.status === 200) latencies.push(tookMs);
    else
      failures.push(
        outcome.kind === 'answered' ? `${outcome.status} ${outcome.code}` : outcome.kind,
      );
    await new Promise((resolve) => setTimeout(resolve, AT_MOST_EVERY_MS - tookMs));
  }

  const going = (async () => {
    while (!isOver) {
      latest = sendOne();
      await latest;
    }
  })();

  return {
    mark() {
      latencies = [];
      failures = [];
      mostWorkBetween = 0;
    },
    async seen() {
      await latest;
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (part: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
      return {
        p50Ms: at(0.5),
        p95Ms: at(0.95),
        answers: sorted.length,
        failures,
        mostWorkBetween,
      };
    },
    async stop() {
      isOver = true;
      await going;
    },
  };
}
