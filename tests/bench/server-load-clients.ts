import { speechForm } from '../helpers/running-server.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';

/** A recording with the words in it. */
export type SpokenFile = {
  readonly name: string;
  readonly file: Uint8Array;
  readonly seconds: number;
  readonly words: string;
};

/** What some clients saw together. */
export type LoadResult = {
  readonly clients: number;
  /** Answers by status; `0` is no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Refusals (429 and 503) that did not say when to come back. */
  readonly withoutRetryAfter: number;
  readonly audioSeconds: number;
  readonly audioSecondsPerSecond: number;
  /** Of answers with 200, in ms: p50, p95, p99. */
  readonly latencyMs: readonly [number, number, number];
  /** The longest time a refusal took, in ms. */
  readonly slowestRefusalMs: number;
  /** Of answers with 200; NaN without any. */
  readonly wordErrorRate: number;
};

/** A client waits as long as the page does. */
const TIMEOUT_MS = 120_000;

/** Lets `clients` send file after file for `forMs`, and waits for those under way. */
export async function runClients(
  url: string,
  spoken: SpokenFile,
  clients: number,
  forMs: number,
): Promise<LoadResult> {
  const statuses: Record<string, number> = {};
  const latencies: number[] = [];
  const errorRates: number[] = [];
  let withoutRetryAfter = 0;
  let slowestRefusalMs = 0;
  const startedMs = performance.now();

  async function client(): Promise<void> {
    while (performance.now() - startedMs < forMs) {
      const sentMs = performance.now();
      const { status, text, hasRetryAfter } = await send(url, spoken);
      const tookMs = performance.now() - sentMs;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 200) {
        latencies.push(tookMs);
        errorRates.push(wordErrorRate(spoken.words, text));
      } else {
        if (!hasRetryAfter) withoutRetryAfter++;
        slowestRefusalMs = Math.max(slowestRefusalMs, tookMs);
        // As an impatient client would: Retry-After is longer.
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, client));

  const tookS = (performance.now() - startedMs) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (part: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(part * latencies.length))] ?? Number.NaN;
  return {
    clients,
    statuses,
    withoutRetryAfter,
    audioSeconds: latencies.length * spoken.seconds,
    audioSecondsPerSecond: (latencies.length * spoken.seconds) / tookS,
    latencyMs: [at(0.5), at(0.95), at(0.99)],
    slowestRefusalMs,
    wordErrorRate: errorRates.reduce((sum, rate) => sum + rate, 0) / errorRates.length,
  };
}

type Reply = { readonly status: number; readonly text: string; readonly hasRetryAfter: boolean };

async function send(url: string, { file }: SpokenFile): Promise<Reply> {
  try {
    const response = await fetch(`${url}/api/asr/vad`, {
      method: 'POST',
      body: speechForm(file, { fixSpelling: 'false' }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = (await response.json()) as { transcription?: string };
    return {
      status: response.status,
      text: body.transcription ?? '',
      hasRetryAfter: response.headers.has('retry-after'),
    };
  } catch {
    return { status: 0, text: '', hasRetryAfter: false };
  }
}
