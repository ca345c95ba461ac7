import { afterEach, describe, expect, test } from 'vitest';
import {
  type BenchTab,
  expectLedgerAddsUp,
  expectOnceInOrder,
  upTo,
} from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';

let run: FaultRun;

afterEach(() => run.dispose());

const isAllText = (bench: import('./page/bench.ts').Bench) =>
  bench.late().length > 0 && bench.late().every(({ state }) => state.kind === 'answered');

function take(tab: BenchTab, dictationId: string): Promise<boolean> {
  return tab.page.evaluate(
    (id) =>
      (globalThis as unknown as { bench: { take(id: string): Promise<boolean> } }).bench.take(id),
    dictationId,
  );
}

/** Takes a text and never has done with inserting it. */
function takeAndHold(tab: BenchTab, dictationId: string): Promise<'held' | 'not given'> {
  return tab.page.evaluate((id) => {
    const { bench } = globalThis as unknown as {
      bench: { takeAndHold(id: string): Promise<'held' | 'not given'> };
    };
    return bench.takeAndHold(id);
  }, dictationId);
}

/** As when the system takes a tab's memory: nothing of the page can say goodbye. */
async function kill(tab: BenchTab): Promise<void> {
  const devtools = await tab.page.context().newCDPSession(tab.page);
  await Promise.race([devtools.send('Page.crash').catch(() => {}), tab.page.waitForEvent('crash')]);
}

describe.each(rounds(303))('round %i', (_r, random) => {
  test('three tabs, the sending one killed: the next sends the rest, each chunk once', async () => {
    run = await startFaultRun();
    const first = await run.openTab();
    run.server.failAlways({ kind: 'status', status: 401 });
    await first.start(1_000);
    await first.speak(0, 20, { speed: 4, silentMs: 1_000 });
    await first.stop();
    await first.until((bench) => bench.late().length > 4, 'the chunks wait');
    await first.page.reload();
    await first.ready();
    const [second, third] = [await run.openTab(), await run.openTab()];

    run.server.failAlways({ kind: 'slow', delayMs: 150 });
    await first.run((bench) => bench.retry());
    await first.until(
      (bench) => bench.late().some(({ state }) => state.kind === 'answered'),
      'the first texts',
    );
    await sleepMs(400 * random());
    await kill(first);
    for (const tab of [second, third]) {
      await tab.until(isAllText, 'all is text');
      expect(await tab.allWords()).toEqual(upTo(20));
    }
    expect([...run.server.worked.values()].every((times) => times === 1)).toBe(true);

    const { dictationId = '' } = (await second.run((bench) => bench.late()))[0] ?? {};
    const taken = await Promise.all([take(second, dictationId), take(third, dictationId)]);
    expect(taken.filter(Boolean), 'one tab alone inserts it').toHaveLength(1);
    const inFields = [await second.words(), await third.words()].flat();
    expect(inFields).toEqual(upTo(20));
    for (const tab of [second, third]) {
      await tab.until((bench) => bench.hasNoneLate(), 'nothing waits');
      expectLedgerAddsUp(await tab.snapshot());
    }
  });

  test('what one tab records is not offered in another', async () => {
    run = await startFaultRun();
    const [first, second] = [await run.openTab(), await run.openTab()];
    await first.start(1_000);
    await first.speak(0, 12, { speed: 4 });
    await first.until(
      (bench) => bench.snapshot().session.transcriptions.size > 1,
      'the first transcripts',
    );
    expect(await second.run((bench) => bench.late().length)).toBe(0);
    await first.stop();
    expect(await first.words()).toEqual(upTo(12));
    expect(await second.run((bench) => bench.late().length)).toBe(0);
  });

  test('killed or closed while a text is being inserted, a tab leaves it to the others', async () => {
    run = await startFaultRun();
    const tabs = [await run.openTab(), await run.openTab(), await run.openTab()] as const;
    const [first, second, third] = tabs;
    run.server.failAlways({ kind: 'status', status: 500 });
    await first.start(1_000);
    await first.speak(0, 8, { speed: 4, silentMs: 800 });
    await first.run((bench) => void bench.stop());
    await first.until((bench) => bench.late().length > 0, 'something waits');
    await first.page.reload();
    await first.ready();
    run.server.failAlways({ kind: 'none' });
    await first.run((bench) => bench.retry());
    for (const tab of tabs) await tab.until(isAllText, 'all is text');
    const { dictationId = '' } = (await first.run((bench) => bench.late()))[0] ?? {};

    expect(await takeAndHold(first, dictationId)).toBe('held');
    expect(await take(second, dictationId), 'it is the first tab’s').toBe(false);
    await kill(first);
    await expect.poll(() => takeAndHold(second, dictationId)).toBe('held');
    await second.page.close();
    await expect.poll(() => take(third, dictationId)).toBe(true);
    expectOnceInOrder(await third.words(), 8);
    await third.until((bench) => bench.hasNoneLate(), 'nothing waits');
  });
});
