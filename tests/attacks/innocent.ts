import { nameOf, post } from './post.ts';

/** Somebody who dictates, one piece after the other, all the time. */
export type Innocent = {
  /** Begins a count from now on; `workDone` counts the attacker's work. */
  fromNow(workDone?: () => number): InnocentWatch;
  stop(): Promise<void>;
};

/** The innocent client's experience since a moment. */
export type InnocentWatch = {
  /** Its results; waits for requests that are still under way. */
  seen(): Promise<InnocentView>;
};

export type InnocentView = {
  /** Of answers with 200, in ms; NaN without any. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly answers: number;
  /** Everything but 200, by name. */
  readonly failures: readonly string[];
  /** The most work of the attacker that was done while one innocent request waited. */
  readonly mostWorkBetween: number;
};

/** A person speaks longer than this; faster would be a load of its own. */
const AT_MOST_EVERY_MS = 400;

type Account = {
  readonly workDone: () => number;
  readonly latencies: number[];
  readonly failures: string[];
  mostWorkBetween: number;
};

/** Starts one that sends `file` to the server at `url`. */
export function startInnocent(
  url: string,
  file: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Innocent {
  const accounts: Account[] = [];
  let isOver = false;
  let sent = 0;
  let latest: Promise<void> = Promise.resolve();

  async function sendOne(): Promise<void> {
    const startedMs = performance.now();
    const workBefore = new Map(accounts.map((account) => [account, account.workDone()]));
    // As the page does: a key for each piece.
    const key = { 'idempotency-key': `piece-${process.pid}-${sent++}` };
    const outcome = await post(url, '127.0.0.1', {
      file,
      fields: { language: 'en', fixSpelling: 'true' },
      headers: { ...headers, ...key },
    });
    const tookMs = performance.now() - startedMs;
    for (const account of accounts) {
      const work = account.workDone() - (workBefore.get(account) ?? 0);
      account.mostWorkBetween = Math.max(account.mostWorkBetween, work);
      if (nameOf(outcome) === '200') account.latencies.push(tookMs);
      else account.failures.push(nameOf(outcome));
    }
    await new Promise((resolve) => setTimeout(resolve, AT_MOST_EVERY_MS - tookMs));
  }

  const going = (async () => {
    while (!isOver) {
      latest = sendOne();
      await latest;
    }
  })();

  return {
    fromNow(workDone = () => 0) {
      const account: Account = { workDone, latencies: [], failures: [], mostWorkBetween: 0 };
      accounts.push(account);
      return {
        async seen() {
          await latest;
          return viewOf(account);
        },
      };
    },
    async stop() {
      isOver = true;
      await going;
    },
  };
}

function viewOf({ latencies, failures, mostWorkBetween }: Account): InnocentView {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  return {
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    answers: sorted.length,
    failures: [...failures],
    mostWorkBetween,
  };
}
