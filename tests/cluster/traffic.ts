import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../helpers/seeded-random.ts';
import { PUBLIC_HOST } from './cluster.ts';
import type { ChunkRecord } from './figures.ts';
import {
  chunkLengths,
  mean,
  poissonArrivals,
  type RecordingMould,
  recordingMoulds,
} from './recordings.ts';
import { createSpeaker, createSpeakerFetch, type SeenAnswer, type Speaker } from './speaker.ts';

/** The load on the servers. */
export type TrafficOptions = {
  readonly url: string;
  readonly speakers: number;
  readonly forMs: number;
  /** Audio seconds handed in each second, at this time of the traffic. */
  readonly demandAt: (atMs: number) => number;
  readonly maxDemand: number;
  /** The longest wait for chunks after the last one was said, in ms. */
  readonly drainMs: number;
  readonly seed: number;
};

/** The answers that the speakers got. */
export type TrafficResult = {
  readonly records: readonly ChunkRecord[];
  /** POSTs by how they ended: `200`, `503 queue_full`, `no answer`. */
  readonly answers: Readonly<Record<string, number>>;
  /** Refusals (429, 503), and how many of them did not say when to come back. */
  readonly refusals: number;
  readonly refusalsWithoutRetryAfter: number;
  /** Texts that are none of this chunk's: too long, too short, or another one's as well. */
  readonly wrongTexts: number;
  /** The chunks that the servers will never take, by reason. */
  readonly refused: readonly string[];
};

const MOULDS = 32;

/** Their lengths are always the same, whatever the seed: runs can be compared. */
const LENGTHS_SEED = 1;

/** Makes the recordings of all stories; takes some seconds. */
export function makeMoulds(): Promise<readonly RecordingMould[]> {
  return recordingMoulds(chunkLengths(MOULDS, seededRandom(LENGTHS_SEED)));
}

/**
 * Has speakers dictate, open loop: nobody waits for an answer before speaking again. `onStart` is
 * called as the first one may begin. Ends when every chunk has its text, or when they have waited
 * long enough.
 */
export async function runTraffic(
  options: TrafficOptions,
  moulds: readonly RecordingMould[],
  onStart: (startedMs: number) => void,
): Promise<TrafficResult> {
  const { url, forMs, demandAt, maxDemand, drainMs, seed } = options;
  const random = seededRandom(seed);
  const meanS = mean(moulds.map(({ seconds }) => seconds));
  const arrivals = poissonArrivals(
    forMs,
    maxDemand / meanS,
    (atMs) => demandAt(atMs) / meanS,
    random,
  );
  const chunks = new Map<string, { seconds: number; saidAtMs: number; textAtMs: number | null }>();
  const answers: Record<string, number> = {};
  const texts = new Set<string>();
  const refused = new Map<string, string>();
  let waiting = 0;
  let wrongTexts = 0;
  let refusals = 0;
  let refusalsWithoutRetryAfter = 0;

  function note({ status, code, hasRetryAfter }: SeenAnswer): void {
    const what = `${status === 0 ? 'no answer' : status} ${code}`.trim();
    answers[what] = (answers[what] ?? 0) + 1;
    if (status !== 429 && status !== 503) return;
    refusals++;
    if (!hasRetryAfter) refusalsWithoutRetryAfter++;
  }

  function onText(id: string, text: string): void {
    const chunk = chunks.get(id);
    if (chunk === undefined || chunk.textAtMs !== null) return;
    chunk.textAtMs = performance.now() - startedMs;
    waiting--;
    const seconds = Number(/\d+/.exec(text)?.[0]) / 16_000;
    const isWrong = !(Math.abs(seconds - chunk.seconds) < 0.1) || texts.has(text);
    if (isWrong) wrongTexts++;
    texts.add(text);
  }

  const speakers: readonly Speaker[] = Array.from({ length: options.speakers }, (_, index) =>
    createSpeaker({
      url,
      fetch: createSpeakerFetch(addressOf(index), PUBLIC_HOST, note),
      random: Math.random,
      onText,
      onRefused: (id, why) => refused.set(id, why),
    }),
  );

  const startedMs = performance.now();
  onStart(startedMs);
  for (const [index, atMs] of arrivals.entries()) {
    const mould = moulds[Math.floor(random() * moulds.length)]!;
    const speaker = speakers[Math.floor(random() * speakers.length)]!;
    await sleep(Math.max(0, atMs - (performance.now() - startedMs)));
    const id = `${seed}-${index}`;
    const { seconds, durationSamples } = mould;
    chunks.set(id, { seconds, saidAtMs: performance.now() - startedMs, textAtMs: null });
    waiting++;
    speaker.say({ id, file: mould.make(seed * 100_000 + index), durationSamples });
  }
  await sleep(Math.max(0, forMs - (performance.now() - startedMs)));
  const deadlineMs = performance.now() + drainMs;
  while (waiting > refused.size && performance.now() < deadlineMs) await sleep(50);
  for (const speaker of speakers) speaker.leave();
  return {
    records: [...chunks.values()],
    answers,
    refusals,
    refusalsWithoutRetryAfter,
    wrongTexts,
    refused: [...refused.values()],
  };
}

/** Each its own: 127.1.0.1 and on. */
const addressOf = (index: number) =>
  `127.${1 + Math.floor(index / 62_500)}.${Math.floor(index / 250) % 250}.${1 + (index % 250)}`;
