import { afterEach, describe, expect, test } from 'vitest';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { samplesInPlaces } from '../../src/core/session/snapshot.ts';
import { WORD_SAMPLES } from '../helpers/numbered-words.ts';
import { type BenchTab, expectLedgerAddsUp, upTo } from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';
import type { Bench } from './page/bench.ts';

const WORDS = 14;

let run: FaultRun;

afterEach(() => run.dispose());

async function begin(chunkMs = 90_000): Promise<BenchTab> {
  run = await startFaultRun();
  const tab = await run.openTab();
  await tab.start(chunkMs);
  return tab;
}

/** A while in which a few words are spoken, ended anywhere in a word. */
function inMidWord(random: () => number): Promise<void> {
  return sleepMs(900 + 1_500 * random());
}

/** Ends the worker as a crash does: nobody is told. */
async function terminate(tab: BenchTab): Promise<void> {
  await tab.inWorker('self.close()').catch(() => {}); // It can't answer any more.
}

/** Not in the very call: a debugger's script is not ended with its worker. */
async function hang(tab: BenchTab): Promise<void> {
  await tab.inWorker('void setTimeout(() => { for (;;) {} })');
}

/** Waits until a new worker leads the session. */
async function untilReplaced(tab: BenchTab, deadUrls: number): Promise<void> {
  await expect.poll(() => tab.workersStarted(), { timeout: 30_000 }).toBeGreaterThan(deadUrls);
}

/** Every word once and in order, in the field and nowhere else; nothing lost, nothing left over. */
async function expectAll(tab: BenchTab, count = WORDS): Promise<void> {
  expect(await tab.words()).toEqual(upTo(count));
  const snapshot = await tab.snapshot();
  expectLedgerAddsUp(snapshot);
  expect(snapshot.notices.map(({ kind }) => kind)).toEqual([]);
  await tab.until((bench) => bench.hasNoneLate(), 'nothing waits');
  expect(run.server.changedKeys).toEqual([]);
  expect([...run.server.worked.values()].every((times) => times === 1)).toBe(true);
}

const isRecording = (bench: Bench) => bench.snapshot().session.isRecording;

describe.each(rounds(8_128))('round %i: the worker', (_round, random) => {
  test('dies in mid-word: recording goes on, and all that was said is there', async () => {
    const tab = await begin();
    const spoken = tab.speak(0, WORDS, { silentMs: 1_000 });
    await inMidWord(random);
    await terminate(tab);
    await untilReplaced(tab, 1);
    expect(await tab.run(isRecording), 'the page shows no moment without a recording').toBe(true);
    await spoken;
    expect((await tab.snapshot()).session.phase).toBe('recording');
    await tab.stop();
    await expectAll(tab);
  });

  test('hangs: it is noticed, ended and replaced', async () => {
    const tab = await begin(3_000);
    const spoken = tab.speak(0, 50, { silentMs: 1_000 });
    await inMidWord(random);
    await hang(tab);
    await untilReplaced(tab, 1);
    await spoken;
    await tab.stop();
    await expectAll(tab, 50);
  });
});

test('a worker replaced too late: what the ring no longer holds is lost, and said to be', async () => {
  run = await startFaultRun();
  const tab = await run.openTab(2 * SAMPLE_RATE_HZ);
  await tab.start();
  const spoken = tab.speak(0, 30, { silentMs: 1_000 });
  await sleepMs(2_000);
  await hang(tab);
  await untilReplaced(tab, 1);
  await spoken;
  await tab.stop();
  const words = await tab.words();
  expect(words[0]).toBe(0);
  expect(words.at(-1)).toBe(29);
  expect(words).toEqual([...new Set(words)].sort((a, b) => a - b));
  const { ledger, notices } = await tab.snapshot();
  expect(notices.map(({ kind }) => kind)).toEqual(['speech-lost']);
  expect(samplesInPlaces(ledger)).toBe(ledger.capturedSamples);
  expect(ledger.lostReasons.overwritten).toBe(ledger.lostSamples);
  // About as much as the words that are missing.
  const missing = (30 - words.length) * WORD_SAMPLES;
  expect(ledger.lostSamples).toBeGreaterThan(WORD_SAMPLES);
  expect(Math.abs(ledger.lostSamples - missing)).toBeLessThan(3 * WORD_SAMPLES);
});

test('a page that stands still for 8 s does not take its worker for dead', async () => {
  const tab = await begin();
  await tab.speak(0, 5, { speed: 2 });
  await tab.run(() => {
    const until = performance.now() + 8_000;
    while (performance.now() < until);
  });
  await tab.speak(5, WORDS - 5, { speed: 2, silentMs: 1_000 });
  await tab.stop();
  await expectAll(tab);
  expect(tab.workersStarted()).toBe(1);
});

test('a page slowed down six times does not take its worker for dead', async () => {
  const tab = await begin(2_000);
  const devtools = await tab.page.context().newCDPSession(tab.page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  await tab.speak(0, WORDS, { silentMs: 1_000 });
  await tab.stop();
  await expectAll(tab);
  expect(tab.workersStarted()).toBe(1);
});
