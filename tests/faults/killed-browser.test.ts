import { afterEach, describe, expect, test } from 'vitest';
import { WORD_SAMPLES } from '../helpers/numbered-words.ts';
import {
  type BenchTab,
  expectLedgerAddsUp,
  expectOnceInOrder,
  expectRestInOrder,
  numbersIn,
  type Stood,
  wordsThatStand,
} from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';

/** Audio older than this at the fault must be on disk (docs/behaviour.md). */
const KEPT_AFTER_MS = 200;

let run: FaultRun;

afterEach(() => run.dispose());

/** The words that the worker has had for `KEPT_AFTER_MS`; speaking goes on meanwhile. */
async function wordsThatCount(tab: BenchTab): Promise<number> {
  const words = await tab.fedWords();
  await sleepMs(KEPT_AFTER_MS);
  return words;
}

async function begin(chunkMs = 90_000): Promise<BenchTab> {
  run = await startFaultRun();
  const tab = await run.openTab();
  await tab.start(chunkMs);
  return tab;
}

/** Speaks on and on; what becomes of it when the page dies is nobody's concern. */
function speakOn(tab: BenchTab, first = 0): void {
  tab.speak(first, 100).catch(() => {});
}

/** Kills the browser, starts it again and waits until the list has all that counts. */
async function killAndRecover(killed: BenchTab, count: number): Promise<BenchTab> {
  const stood = await wordsThatStand(killed);
  await run.browser.kill();
  run.server.failAlways({ kind: 'none' });
  await run.browser.start();
  const tab = await run.openTab();
  await expectRecovered(tab, count, stood);
  return tab;
}

async function expectRecovered(tab: BenchTab, count: number, stood: Stood): Promise<void> {
  await tab.until(
    (bench) =>
      bench.snapshot().queue.isRecovered &&
      bench.late().length > 0 &&
      bench.late().every(({ state }) => state.kind === 'answered'),
    'all is text',
  );
  // Nothing more may come of the journal.
  await sleepMs(300);
  expectRestInOrder(await tab.allWords(), count, stood);
  expectLedgerAddsUp(await tab.snapshot());
  expect(run.server.changedKeys).toEqual([]);
  expect([...run.server.worked.values()].every((times) => times === 1)).toBe(true);
  // Taken once, it is gone, for this start and the next.
  const [first] = await tab.run((bench) => bench.late());
  const take = (id: string) =>
    tab.page.evaluate(
      (dictationId) =>
        (globalThis as unknown as { bench: { take(id: string): Promise<boolean> } }).bench.take(
          dictationId,
        ),
      id,
    );
  const taken = await Promise.all([take(first?.dictationId ?? ''), take(first?.dictationId ?? '')]);
  expect(taken.filter(Boolean)).toHaveLength(1);
  expectRestInOrder(await tab.words(), count, stood);
  await tab.until((bench) => bench.hasNoneLate(), 'nothing waits');
}

/** Code for the worker: its queue takes 0.6 s to refuse what it is given, twice. */
const SLOW_REFUSALS = `{
  const put = IDBObjectStore.prototype.put;
  const refused = new Set();
  IDBObjectStore.prototype.put = function (...given) {
    const { transaction } = this;
    const isRefused = this.name === 'chunks' && refused.size < 2;
    if (isRefused && !refused.has(transaction)) {
      refused.add(transaction);
      const untilMs = Date.now() + 600;
      const hold = () => {
        if (Date.now() < untilMs) this.count().onsuccess = hold;
        else transaction.abort();
      };
      hold();
    }
    return put.apply(this, given);
  };
}`;

describe.each(rounds(4_711))('round %i', (_r, random) => {
  test('killed during speech, and the queue refuses what is recovered while the network comes and comes', async () => {
    const tab = await begin();
    speakOn(tab);
    await expect.poll(() => tab.fedWords(), { timeout: 10_000 }).toBeGreaterThan(8);
    const count = await wordsThatCount(tab);
    const stood = await wordsThatStand(tab);
    await run.browser.kill();
    run.server.beginWorkersWith(SLOW_REFUSALS);
    await run.browser.start();
    const next = await run.openTab();
    await next.page.evaluate(() => setInterval(() => dispatchEvent(new Event('online')), 100));
    await expectRecovered(next, count, stood);
  });

  test('killed during speech, the recording is whole all the same', async () => {
    const tab = await begin(20_000);
    // Words that nobody hears are in it too; so much that some of it is kept before the end.
    tab.speak(0, 500, { speed: 8 }).catch(() => {});
    await tab.until((bench) => bench.recordings().length > 0, 'some of it is kept', 60_000);
    const count = await wordsThatCount(tab);
    const next = await killAndRecover(tab, count);
    await next.until(
      (bench) => bench.recordings()[0]?.state.kind === 'delivered',
      'the recording has ended',
    );
    const [recording, ...others] = await next.run((bench) => bench.recordings());
    expect(others).toEqual([]);
    expect(recording?.durationSamples).toBeGreaterThanOrEqual(count * WORD_SAMPLES);
    await next.run((bench) => bench.writeAgain());
    await next.until((bench) => bench.recordings()[0]?.transcripts === 2, 'it is written again');
    expectOnceInOrder(numbersIn(await next.run((bench) => bench.newestText())), count);
  });

  test('killed during speech', async () => {
    const tab = await begin();
    speakOn(tab);
    await sleepMs(1_500 + 2_000 * random());
    const count = await wordsThatCount(tab);
    expect(count).toBeGreaterThan(2);
    await killAndRecover(tab, count);
  });

  test('killed during speech, with chunks cut and sent before', async () => {
    const tab = await begin(1_000);
    speakOn(tab);
    await sleepMs(2_500 + 2_000 * random());
    await killAndRecover(tab, await wordsThatCount(tab));
  });

  test('killed in the pause before a cut', async () => {
    const tab = await begin();
    await tab.speak(0, 6, { speed: 4, silentMs: 400 });
    tab.speak(6, 0, { silentMs: 5_000 }).catch(() => {});
    await sleepMs(200 + 600 * random());
    await killAndRecover(tab, 6);
  });

  test('killed between cut and upload', async () => {
    const tab = await begin();
    await tab.speak(0, 6, { speed: 4, silentMs: 300 });
    tab.stop().catch(() => {});
    await sleepMs(KEPT_AFTER_MS + 250 * random());
    await killAndRecover(tab, 6);
  });

  test('killed during the upload', async () => {
    const tab = await begin(1_000);
    run.server.failAlways({ kind: 'hang' });
    await tab.speak(0, 8, { speed: 2 });
    const count = await wordsThatCount(tab);
    await sleepMs(200 * random());
    await killAndRecover(tab, count);
  });

  test('killed while the answer is on its way', async () => {
    const tab = await begin(1_000);
    run.server.failAlways({ kind: 'slow', delayMs: 300 });
    await tab.speak(0, 8, { speed: 2 });
    const count = await wordsThatCount(tab);
    await sleepMs(300 * random());
    await killAndRecover(tab, count);
  });

  test('killed between answer and insertion', async () => {
    const tab = await begin();
    await tab.run((bench) => bench.holdDelivery());
    await tab.speak(0, 6, { speed: 4, silentMs: 300 });
    tab.stop().catch(() => {});
    await tab.until((bench) => bench.snapshot().session.phase === 'stopped', 'the answer');
    await sleepMs(200 * random());
    await killAndRecover(tab, 6);
  });

  test('reloaded during speech', async () => {
    const tab = await begin();
    speakOn(tab);
    await sleepMs(1_200 + 1_000 * random());
    const count = await wordsThatCount(tab);
    const stood = await wordsThatStand(tab);
    await tab.page.reload();
    await tab.ready();
    await expectRecovered(tab, count, stood);
  });

  test('the tab closed during speech, another one open', async () => {
    const tab = await begin();
    const other = await run.openTab();
    await tab.page.bringToFront();
    speakOn(tab);
    await sleepMs(1_200 + 1_000 * random());
    const count = await wordsThatCount(tab);
    const stood = await wordsThatStand(tab);
    await tab.page.close();
    await expectRecovered(other, count, stood);
  });

  test('the microphone goes away in the middle of a word, and comes back', async () => {
    const tab = await begin();
    speakOn(tab);
    await sleepMs(1_500 + 1_000 * random());
    await tab.run((bench) => bench.loseMicrophone());
    await tab.until(
      (bench) => bench.snapshot().session.phase === 'idle' && bench.text().length > 0,
      'the end, with its text',
    );
    const words = await tab.words();
    expect(words.length).toBeGreaterThan(2);
    expectOnceInOrder(words, words.length);
    await tab.start();
    await tab.speak(words.length, 5, { speed: 4, silentMs: 1_000 });
    await tab.stop();
    expectOnceInOrder(await tab.words(), words.length + 5);
    const { ledger } = await tab.snapshot();
    expectLedgerAddsUp(await tab.snapshot());
    expect(ledger.deliveredSamples).toBeGreaterThan((words.length + 4) * WORD_SAMPLES);
  });
});
