import type { TranscriptionEngine } from '../../server/engine/engine-port.ts';
import type { RunningServer } from '../helpers/running-server.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { mutate, seedUploads } from './server-fuzz-cases.ts';

/** What a run did and saw. */
export type FuzzReport = {
  readonly uploads: number;
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The longest time one answer took. */
  readonly slowestMs: number;
  /** Everything that must not happen; empty when all is well. */
  readonly faults: readonly string[];
};

/** Answers at once and, other than the tests' engine, keeps nothing: memory is looked at here. */
export const FORGETFUL_ENGINE: TranscriptionEngine = {
  description: { engine: 'none', model: 'none', languages: ['en'], defaultLanguage: 'en' },
  state: () => ({ status: 'ready' }),
  start: async () => undefined,
  transcribe: async () => ({ text: 'words', language: 'en' }),
};

/** How long an answer may take: the decoder gives up a file after less. */
const HANG_MS = 30_000;

/** What a damaged upload may be answered with; 5xx never. */
const ALLOWED = new Set([200, 400, 413, 415, 422]);

/** Sends `count` mutated uploads, a few at a time; the same seed sends the same. */
export async function fuzzServer(
  server: RunningServer,
  count: number,
  seed: number,
  onProgress: (done: number) => void = () => undefined,
): Promise<FuzzReport> {
  const seeds = await seedUploads();
  const statuses: Record<string, number> = {};
  const faults: string[] = [];
  let slowestMs = 0;
  let next = 0;

  async function sendOne(index: number): Promise<void> {
    // Each has a row of its own, so that number 4711 can be sent again alone.
    const random = seededRandom(seed * 1_000_003 + index);
    const origin = seeds[Math.floor(random() * seeds.length)];
    if (origin === undefined) return;
    const { contentType, body } = mutate(origin, random);
    const startedMs = performance.now();
    try {
      const response = await fetch(`${server.url}/api/asr/vad`, {
        method: 'POST',
        headers: { 'content-type': contentType },
        body: body as Uint8Array<ArrayBuffer>,
        signal: AbortSignal.timeout(HANG_MS),
      });
      const answer: unknown = await response.json();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      if (!ALLOWED.has(response.status)) {
        faults.push(`upload ${index}: ${response.status} ${JSON.stringify(answer)}`);
      }
    } catch (error) {
      faults.push(`upload ${index}: ${String(error)}`);
    }
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
  }

  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      await sendOne(index);
      if (index % 500 === 499) onProgress(index + 1);
    }
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  return { uploads: count, statuses, slowestMs, faults };
}
