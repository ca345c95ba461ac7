import { afterEach, describe, expect, test } from 'vitest';
import { type BenchTab, expectLedgerAddsUp, upTo } from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';

let run: FaultRun;

afterEach(() => run.dispose());

/** A tab in which a first sentence of `WORDS` words has been said, and paused after. */
const WORDS = 6;

async function speakOnce(insert: 'at-stop' | 'at-pause', hold = false): Promise<BenchTab> {
  run = await startFaultRun();
  const tab = await run.openLiveTab(insert);
  if (hold) await tab.run((bench) => bench.holdAnswer());
  await tab.start();
  await tab.speak(0, WORDS, { silentMs: 1_500 });
  return tab;
}

async function terminate(tab: BenchTab): Promise<void> {
  const workers = tab.workersStarted();
  await tab.inWorker('self.close()').catch(() => {}); // It can't answer any more.
  await expect.poll(() => tab.workersStarted(), { timeout: 30_000 }).toBeGreaterThan(workers);
}

async function expectAll(tab: BenchTab, count: number): Promise<void> {
  expect(await tab.words()).toEqual(upTo(count));
  expectLedgerAddsUp(await tab.snapshot());
  await tab.until((bench) => bench.late().length === 0, 'nothing waits');
}

describe.each(rounds(1_717))('round %i: live pieces', (_round, random) => {
  test('go into the field at their pause, and once', async () => {
    const tab = await speakOnce('at-pause');
    await expect.poll(() => tab.words(), { timeout: 20_000 }).toEqual(upTo(WORDS));
    await tab.speak(WORDS, WORDS, { silentMs: 300 });
    await tab.stop();
    await expectAll(tab, 2 * WORDS);
  });

  test('one stands in the field, and the worker dies before it is told', async () => {
    const tab = await speakOnce('at-pause', true);
    await expect.poll(() => tab.words(), { timeout: 20_000 }).toEqual(upTo(WORDS));
    await terminate(tab);
    await tab.run((bench) => bench.letGo());
    await tab.speak(WORDS, WORDS, { silentMs: 1_500 });
    await tab.stop();
    await expectAll(tab, 2 * WORDS);
  });

  test('the worker dies right after it was told, or a little later', async () => {
    const tab = await speakOnce('at-pause');
    await expect.poll(() => tab.words(), { timeout: 20_000 }).toEqual(upTo(WORDS));
    await sleepMs(200 * random());
    const { speechMs } = (await tab.snapshot()).session;
    await terminate(tab);
    await tab.speak(WORDS, WORDS, { silentMs: 1_500 });
    expect((await tab.snapshot()).session.speechMs).toBeGreaterThan(speechMs);
    await tab.stop();
    await expectAll(tab, 2 * WORDS);
  });

  test('the worker dies while the next is spoken, and again at the stop', async () => {
    const tab = await speakOnce('at-pause');
    const spoken = tab.speak(WORDS, WORDS, { silentMs: 300 });
    await sleepMs(1_000 * random());
    await terminate(tab);
    await spoken;
    const stopped = tab.stop();
    await sleepMs(300 * random());
    await terminate(tab);
    await stopped;
    await expectAll(tab, 2 * WORDS);
  });

  test('a server that takes none: all of it comes at the end, in order', async () => {
    run = await startFaultRun();
    const tab = await run.openLiveTab('at-pause');
    run.server.fail({ kind: 'answer-lost' }, { kind: 'status', status: 500 });
    await tab.start();
    await tab.speak(0, WORDS, { silentMs: 1_500 });
    await tab.speak(WORDS, WORDS, { silentMs: 1_500 });
    await tab.stop();
    await expectAll(tab, 2 * WORDS);
  });
});
