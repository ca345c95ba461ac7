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

/** Whether a worker leads the session that was not there before. */
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

/** Live pieces are in the field before. */
const hasEnded = (bench: Bench) =>
  bench.snapshot().session.phase === 'idle' && bench.text().length > 0;

const isRecording = (bench: Bench) => bench.snapshot().session.isRecording;

/** The transcripts in the order of their chunks. */
const textsSoFar = (bench: Bench) =>
  [...bench.snapshot().session.transcriptions].sort(([a], [b]) => a - b).map(([, text]) => text);

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

  test('dies with chunks cut, sent and answered: the session knows them', async () => {
    const tab = await begin(1_000);
    const spoken = tab.speak(0, WORDS, { silentMs: 1_000 });
    await tab.until((bench) => bench.snapshot().session.transcriptions.size > 1, 'texts');
    await inMidWord(random);
    const before = (await tab.snapshot()).session;
    const texts = await tab.run(textsSoFar);
    await terminate(tab);
    await untilReplaced(tab, 1);
    await spoken;
    const after = (await tab.snapshot()).session;
    expect(after.chunkCounter).toBeGreaterThan(before.chunkCounter);
    expect((await tab.run(textsSoFar)).slice(0, texts.length)).toEqual(texts);
    expect(after.accumulatedRecordingMs).toBeGreaterThan(before.accumulatedRecordingMs);
    expect(after.speechMs).toBeGreaterThan(before.speechMs);
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

  test('dies twice, the second time while it takes over', async () => {
    const tab = await begin(1_500);
    const spoken = tab.speak(0, 20, { silentMs: 1_000 });
    await inMidWord(random);
    await terminate(tab);
    await untilReplaced(tab, 1);
    await sleepMs(400 * random());
    await terminate(tab);
    await untilReplaced(tab, 2);
    await spoken;
    expect(await tab.run(isRecording)).toBe(true);
    await tab.stop();
    await expectAll(tab, 20);
  });

  test('dies between cut and upload, and during it', async () => {
    const tab = await begin(1_000);
    run.server.failAlways({ kind: 'slow', delayMs: 200 });
    const spoken = tab.speak(0, WORDS, { silentMs: 1_000 });
    await tab.until((bench) => bench.snapshot().session.chunkCounter > 0, 'a chunk is cut');
    await sleepMs(200 * random());
    await terminate(tab);
    await untilReplaced(tab, 1);
    await spoken;
    await tab.stop();
    await expectAll(tab);
  });

  test('dies while paused: it is still paused, and goes on when it is resumed', async () => {
    const tab = await begin();
    await tab.speak(0, 5, { speed: 2 });
    await tab.run((bench) => bench.pause());
    await sleepMs(300 * random());
    await terminate(tab);
    await untilReplaced(tab, 1);
    await tab.until((bench) => bench.snapshot().session.phase === 'paused', 'paused');
    await sleepMs(600 * random());
    await tab.run((bench) => bench.resume());
    await tab.speak(5, WORDS - 5, { speed: 2, silentMs: 1_000 });
    await tab.stop();
    await expectAll(tab);
  });

  test('dies, and the person pauses and resumes before another is there', async () => {
    const tab = await begin();
    await tab.speak(0, 5, { speed: 2 });
    await terminate(tab);
    await tab.run((bench) => {
      bench.pause();
      bench.resume();
    });
    await tab.speak(5, WORDS - 5, { speed: 2, silentMs: 1_000 });
    await untilReplaced(tab, 1);
    await tab.until((bench) => bench.snapshot().session.phase === 'recording', 'recording');
    await tab.stop();
    await expectAll(tab);
  });

  test('dies, and the person presses stop at once', async () => {
    const tab = await begin(2_000);
    await tab.speak(0, WORDS, { speed: 2 });
    await sleepMs(200 * random());
    terminate(tab).catch(() => {});
    await tab.stop();
    await expectAll(tab);
  });

  test('dies right after stop was pressed', async () => {
    const tab = await begin(2_000);
    await tab.speak(0, WORDS, { speed: 2, silentMs: 200 });
    const stopped = tab.stop();
    await sleepMs(60 * random());
    await terminate(tab);
    await stopped;
    await tab.until((bench) => bench.text().length > 0, 'the text', 60_000);
    expect(await tab.words()).toEqual(upTo(WORDS));
    expectLedgerAddsUp(await tab.snapshot());
  });

  test('dies between answer and insertion: the text goes in once, and is not offered again', async () => {
    const tab = await begin(2_000);
    await tab.run((bench) => bench.holdDelivery());
    await tab.speak(0, WORDS, { speed: 2, silentMs: 300 });
    const stopped = tab.stop();
    await tab.until((bench) => bench.snapshot().session.phase === 'stopped', 'the answer');
    await sleepMs(200 * random());
    await terminate(tab);
    await untilReplaced(tab, 1);
    await tab.run((bench) => bench.letGo());
    await stopped;
    expect(await tab.words()).toEqual(upTo(WORDS));
    expectLedgerAddsUp(await tab.snapshot());
    await tab.page.reload();
    await tab.ready();
    // Nothing may come of the journal or the queue.
    await sleepMs(1_000);
    expect(await tab.run((bench) => bench.late().length)).toBe(0);
  });

  test('hangs, and the person presses stop', async () => {
    const tab = await begin();
    await tab.speak(0, WORDS, { speed: 2 });
    await hang(tab);
    await sleepMs(300 * random());
    await tab.stop();
    await expectAll(tab);
  });

  test('dies three times in a minute: recording ends, with all that was said', async () => {
    const tab = await begin(1_500);
    tab.speak(0, 100).catch(() => {});
    for (const death of [1, 2, 3]) {
      await inMidWord(random);
      await terminate(tab);
      await untilReplaced(tab, death);
    }
    const words = await tab.fedWords();
    await tab.until(hasEnded, 'the end, with its text');
    const inField = await tab.words();
    // What was being said when it ended may be there or not.
    expect(inField.length).toBeGreaterThanOrEqual(words - 1);
    expect(inField).toEqual(upTo(inField.length));
    const snapshot = await tab.snapshot();
    expect(snapshot.notices.map(({ kind }) => kind)).toEqual(['worker-crashed']);
    expectLedgerAddsUp(snapshot);
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
