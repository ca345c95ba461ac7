import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page, type Request } from 'playwright';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import { CHROMIUM_ARGUMENTS } from '../../tools/testing/browser-project.ts';
import { buildLivePage, LIVE_PAGE_FOLDER } from '../e2e/helpers/live-page.ts';
import { startServer } from '../e2e/helpers/server.ts';
import type { LiveBench, SeenAt } from '../e2e/live/page.ts';
import { commandOf, familyCpuSeconds, familyOf } from '../helpers/process-family.ts';
import { waveFile } from '../helpers/wave-file.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { makeVoice, type SpokenSentence } from './live-voice.ts';
import { readThreadTimes } from './process-figures.ts';

/** Pauses after each sentence, from a breath to a long one; the last one is heard to its end. */
const PAUSES_MS = [1_200, 500, 900, 2_000, 700, 1_500, 400, 1_100, 3_000, 600, 1_300, 2_500];
/** A pause that long ends a piece; sentences before shorter ones run on. */
const SURE_PAUSE_MS = 1_000;
/** A segment begins so long before the frame in which speech was found. */
const PADDING_MS = 960;
const VOICE = resolve('.cache/live-bench.wav');
/** One chunk is what live dictation is held against. */
const WAYS = {
  'one chunk': {},
  'live, inserted at the stop': { live: true },
  'live, inserted at pauses': { live: true, insert: 'at-pause' },
  'live, inserted at pauses, without previews': {
    live: true,
    insert: 'at-pause',
    livePreview: false,
  },
} as const satisfies Record<string, Partial<SessionOptions>>;

/** The ways measured on a slowed page. */
const LIVE_WAYS = ['live, inserted at the stop', 'live, inserted at pauses'] as const;

type Window = { readonly bench: LiveBench };

/** The server's time for the whole minute as one chunk. */
let wholeServerMs: number | undefined;

/** Counts of final texts, of early requests without a key before the pause, and of bytes. */
type Sent = { finals: number; early: number; bytes: number };

async function measure(way: keyof typeof WAYS, slowed: number): Promise<void> {
  const executablePath = process.env.DIKTERA_BROWSER;
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${VOICE}%noloop`,
    ],
  });
  const page = await browser.newPage({ permissions: ['microphone'] });
  await page.goto(server.url);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowed });
  const sent: Sent = { finals: 0, early: 0, bytes: 0 };
  page.on('requestfinished', (request) => void count(request, sent));
  const before = await processorTimes(browser);
  await page.evaluate(
    (options) => (globalThis as unknown as Window).bench.start(options),
    WAYS[way],
  );
  await untilRecorded(page, lastMs + 1_500);
  const { text, tookMs } = await page.evaluate(() =>
    (globalThis as unknown as Window).bench.stop(),
  );
  const after = await processorTimes(browser);
  const seen = await page.evaluate(() => (globalThis as unknown as Window).bench.seen());
  const lost = await page.evaluate(() => (globalThis as unknown as Window).bench.lostSamples());
  await browser.close();
  const minutes = lastMs / 60_000;
  console.log(slowed === 1 ? `${way}:` : `${way}, the page's thread slowed ${slowed} x:`);
  console.log(`  stop to text ${tookMs.toFixed(0)} ms`);
  console.log(`  samples lost ${lost}`);
  const wrong = wordErrorRate(spoken, text);
  console.log(`  words wrong ${(100 * wrong).toFixed(1)} %${wrong > 0 ? `: ${text}` : ''}`);
  console.log(
    `  a minute: ${(sent.finals / minutes).toFixed(1)} chunks asked for, ` +
      `${(sent.early / minutes).toFixed(1)} asked for early, ${(sent.bytes / minutes / 1_000).toFixed(0)} kB`,
  );
  const msOf = (part: keyof typeof after) => (after[part] - before[part]) / minutes;
  const ms = (part: keyof typeof after) => msOf(part).toFixed(0);
  if (way === 'one chunk') wholeServerMs = msOf('serverMs');
  const ratio = wholeServerMs && `${(msOf('serverMs') / wholeServerMs).toFixed(2)} x one chunk`;
  console.log(
    `  processor time a minute: worker ${ms('workerMs')}, page's process ${ms('pageMs')}, ` +
      `server ${ms('serverMs')} ms${ratio ? `, ${ratio}` : ''}`,
  );
  // Words are found by their place, which a long dictation's mistakes move.
  if (Number(values.minutes) <= 2 && seen.some(({ firm }) => firm !== '')) tellTimes(seen);
}

/** Where Linux tells. */
async function processorTimes(browser: Browser) {
  const page = await readThreadTimes(browser);
  const servers = familyOf(process.pid).filter((id) => commandOf(id).includes('server/main.js'));
  const [serverPid = 0] = servers;
  return {
    workerMs: page?.workerMs ?? 0,
    pageMs: page?.totalMs ?? 0,
    serverMs: 1_000 * familyCpuSeconds(serverPid),
  };
}

async function count(request: Request, sent: Sent): Promise<void> {
  if (!request.url().endsWith('/api/asr/vad')) return;
  const headers = await request.allHeaders();
  sent['idempotency-key' in headers ? 'finals' : 'early'] += 1;
  sent.bytes += Number(headers['content-length'] ?? 0);
}

async function untilRecorded(page: Page, ms: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => (globalThis as unknown as Window).bench.session().accumulatedRecordingMs >= wanted,
    ms,
    { timeout: ms + 60_000, polling: 20 },
  );
}

/** Within 0.1 s: the voice's beginning is known by the frame in which speech was found. */
function tellTimes(seen: readonly SeenAt[]): void {
  const clockMs = Math.min(...seen.map(({ atMs, recordedMs }) => atMs - recordedMs));
  const onset = seen.find(({ speechFromMs }) => speechFromMs !== null)?.speechFromMs ?? 0;
  const voiceMs = onset + PADDING_MS - (sentences[0]?.startMs ?? 0);
  const inVoice = seen.map((one) => ({ ...one, atMs: one.atMs - clockMs - voiceMs }));
  const wordsBefore = (index: number): number =>
    sentences.slice(0, index).reduce((sum, { text }) => sum + wordsOf(text).length, 0);
  const finals = sentences.flatMap(({ text, endMs }, index) => {
    if ((pausesMs[index] ?? 0) < SURE_PAUSE_MS) return [];
    const wanted = wordsBefore(index) + wordsOf(text).length;
    const at = inVoice.find(({ finalText }) => wordsOf(finalText).length >= wanted);
    return [(at?.atMs ?? Number.NaN) - endMs];
  });
  const words = sentences.flatMap((sentence, index) =>
    wordEnds(sentence).map((endMs, place) => {
      const position = wordsBefore(index) + place;
      const wanted = bare(wordsOf(sentence.text)[place]);
      const isThere = (words: readonly string[]) =>
        words.slice(Math.max(0, position - 2), position + 3).some((word) => bare(word) === wanted);
      const at = inVoice.find((one) => isThere(wordsOf(allOf(one))));
      return (at?.atMs ?? Number.NaN) - endMs;
    }),
  );
  console.log(`  word said (about) to seen: ${spread(words)}`);
  console.log(`  last sound before a pause to its final text: ${spread(finals)}`);
  const changed = inVoice.filter(({ firm, finalText }, index) => {
    const before = inVoice[index - 1];
    return before?.finalText === finalText && !firm.startsWith(before.firm);
  });
  console.log(`  firm words changed: ${changed.length}`);
  console.log(`  tentative words changed: ${tentativeChanges(inVoice)} of ${words.length} said`);
}

/** Words that were seen as tentative and are others when they are seen next, counted each time. */
function tentativeChanges(seen: readonly SeenAt[]): number {
  return seen.reduce((sum, one, index) => {
    const before = seen[index - 1];
    if (!before) return sum;
    const sure = wordsOf(`${before.finalText} ${before.firm}`).length;
    const now = wordsOf(allOf(one)).slice(sure).map(bare);
    const were = wordsOf(before.tentative).map(bare);
    return sum + were.filter((word, place) => now[place] !== word).length;
  }, 0);
}

const allOf = ({ finalText, firm, tentative }: SeenAt): string =>
  `${finalText} ${firm} ${tentative}`;

const bare = (word = ''): string => word.toLowerCase().replace(/[^a-z]/g, '');

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** The voice speaks evenly: a word takes its share of the sentence's letters. */
function wordEnds({ text, startMs, endMs }: SpokenSentence): number[] {
  let letters = 0;
  return wordsOf(text).map((word) => {
    letters += word.length + 1;
    return startMs + (endMs - startMs) * (letters / (text.length + 1));
  });
}

function spread(values: readonly number[]): string {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0) / 1_000;
  const missing = values.length - sorted.length;
  return `median ${at(0.5).toFixed(2)} s, p95 ${at(0.95).toFixed(2)} s, ${missing} never`;
}

const { values } = parseArgs({
  options: {
    slowed: { type: 'string', multiple: true },
    minutes: { type: 'string', default: '1' },
  },
});

/**
 * Measures live dictation: when the words of a synthetic voice are seen and final, how long the
 * stop takes, the cost in requests and bytes, and the share of wrong words beside one whole chunk.
 * `--slowed 4` measures only a page whose thread is slowed four times; `--minutes 10` a dictation
 * of about that length.
 */
const pausesMs = Array.from(
  { length: Math.max(1, Number(values.minutes)) },
  () => PAUSES_MS,
).flat();
const { samples, sentences } = makeVoice(pausesMs);
mkdirSync(resolve('.cache'), { recursive: true });
writeFileSync(VOICE, waveFile(48_000, samples));
await buildLivePage();
const server = await startServer(undefined, { WEB_ROOT: LIVE_PAGE_FOLDER });
const spoken = sentences.map(({ text }) => text).join(' ');
const lastMs = sentences.at(-1)?.endMs ?? 0;
try {
  for (const rate of values.slowed?.map(Number) ?? []) {
    for (const way of LIVE_WAYS) await measure(way, rate);
  }
  const ways = values.slowed ? [] : (Object.keys(WAYS) as (keyof typeof WAYS)[]);
  for (const way of ways) await measure(way, 1);
} finally {
  await server.stop();
}
process.exit();
