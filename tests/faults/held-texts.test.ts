import { afterEach, describe, expect, test } from 'vitest';
import { type BenchTab, expectLedgerAddsUp, upTo } from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';
import { FULL_QUEUE } from './helpers/full-disk.ts';

let run: FaultRun;

afterEach(() => run.dispose());

async function expectNothingWaits(tab: BenchTab): Promise<void> {
  await tab.until((bench) => bench.hasNoneLate(), 'nothing waits');
  await tab.untilDiskIsEmpty();
  await tab.page.reload();
  await tab.ready();
  expect(await tab.run((bench) => bench.late().length), 'nothing comes twice').toBe(0);
}

describe.each(rounds(131))('round %i: a text on its way into the field', (_round, random) => {
  test('is late, and its worker dies: it goes in once and is not offered again, in no tab', async () => {
    run = await startFaultRun();
    const [tab, other] = [await run.openTab(), await run.openTab()];
    run.server.failAlways({ kind: 'status', status: 401 });
    await tab.start(1_000);
    await tab.speak(0, 8, { speed: 4, silentMs: 800 });
    await tab.stop();
    await tab.until((bench) => bench.late().length > 1, 'the chunks wait');
    await tab.page.reload();
    await tab.ready();
    run.server.failAlways({ kind: 'none' });
    await tab.run((bench) => bench.retry());
    for (const each of [tab, other]) {
      await each.until(
        (bench) =>
          bench.late().length > 0 && bench.late().every(({ state }) => state.kind === 'answered'),
        'all is text',
      );
    }
    await tab.run((bench) => {
      bench.holdDelivery();
      void bench.take(bench.late()[0]?.dictationId ?? '');
    });
    await tab.until((bench) => bench.isInserting(), 'the text is given');
    await sleepMs(200 * random());
    const started = tab.workersStarted();
    await tab.inWorker('self.close()').catch(() => {}); // It can't answer any more.
    await expect.poll(() => tab.workersStarted(), { timeout: 30_000 }).toBeGreaterThan(started);
    const taken = await other.run((bench) => bench.take(bench.late()[0]?.dictationId ?? ''));
    expect(taken, 'it is the first tab’s').toBe(false);
    await tab.run((bench) => bench.letGo());
    await tab.until((bench) => bench.hasNoneLate(), 'it is settled');
    expect(await tab.words()).toEqual(upTo(8));
    await other.until((bench) => bench.hasNoneLate(), 'nor is it there in another tab');
    await expectNothingWaits(tab);
  });

  test('is held, and the next recording begins: both go in, each once', async () => {
    run = await startFaultRun();
    const tab = await run.openTab();
    await tab.run((bench) => bench.holdDelivery());
    await tab.start(1_000);
    await tab.speak(0, 6, { speed: 4, silentMs: 300 });
    const first = tab.stop();
    await tab.until((bench) => bench.snapshot().session.phase === 'stopped', 'the text is there');
    await tab.start(1_000);
    await tab.speak(6, 6, { speed: 4, silentMs: 300 });
    expect((await tab.snapshot()).session.phase).toBe('recording');
    await tab.run((bench) => bench.letGo());
    await first;
    await tab.stop();
    expect(await tab.words()).toEqual(upTo(12));
    expectLedgerAddsUp(await tab.snapshot());
    await expectNothingWaits(tab);
  });

  test('is still being made, and the next recording begins: it comes late to its place', async () => {
    run = await startFaultRun();
    const tab = await run.openTab();
    await tab.start(1_000);
    run.server.failAlways({ kind: 'slow', delayMs: 8_000 });
    await tab.speak(0, 6, { speed: 4, silentMs: 300 });
    const first = tab.stop();
    await tab.until((bench) => bench.snapshot().session.phase === 'transcribing', 'it waits');
    await tab.start(1_000);
    const states = (await tab.snapshot()).queue.items.map(({ state }) => state.kind);
    expect(states, 'nothing was waited for').not.toContain('answered');
    expect(await tab.words()).toEqual([]);
    run.server.failAlways({ kind: 'none' });
    await first;
    await tab.speak(6, 6, { speed: 4, silentMs: 300 });
    await tab.stop();
    await tab.until((bench) => bench.text().includes('w0'), 'all has come', 60_000);
    expect(await tab.words()).toEqual(upTo(12));
    await expectNothingWaits(tab);
  });

  test('and the next, and the next: each goes to its own place, in the order of speech', async () => {
    run = await startFaultRun();
    const tab = await run.openTab();
    run.server.failAlways({ kind: 'slow', delayMs: 3_000 });
    const stops: Promise<void>[] = [];
    for (const first of [0, 4, 8, 12]) {
      await tab.start();
      await tab.speak(first, 4, { speed: 4, silentMs: 300 });
      stops.push(tab.stop());
    }
    await Promise.all(stops);
    await tab.until((bench) => bench.hasNoneLate(), 'all has come', 60_000);
    expect(await tab.words()).toEqual(upTo(16));
    expectLedgerAddsUp(await tab.snapshot());
    await expectNothingWaits(tab);
  });

  test('awaits its place, and its worker dies: another tab that deletes everything spares it', async () => {
    run = await startFaultRun();
    const [tab, other] = [await run.openTab(), await run.openTab()];
    run.server.failAlways({ kind: 'status', status: 401 });
    await tab.start(1_000);
    await tab.speak(0, 6, { speed: 4, silentMs: 800 });
    await tab.stop();
    await other.until((bench) => bench.late().length > 0, 'the chunks are everybody’s');
    const started = tab.workersStarted();
    await tab.inWorker('self.close()').catch(() => {}); // It can't answer any more.
    await expect.poll(() => tab.workersStarted(), { timeout: 30_000 }).toBeGreaterThan(started);
    await tab.ready();
    await other.run((bench) => bench.wipe());
    run.server.failAlways({ kind: 'none' });
    await tab.run((bench) => bench.retry());
    await tab.until((bench) => bench.hasNoneLate(), 'it has gone to its place');
    expect(await tab.words()).toEqual(upTo(6));
    await expectNothingWaits(tab);
  });

  test('cannot go in yet: another tab that deletes everything spares it while its page is there', async () => {
    run = await startFaultRun();
    const tab = await run.openTab();
    await tab.run((bench) => bench.deferDelivery());
    await tab.start(1_000);
    await tab.speak(0, 6, { speed: 4, silentMs: 800 });
    await tab.stop();
    const other = await run.openTab();
    await other.until((bench) => bench.late().length > 0, 'the text is offered in every tab');
    await other.run((bench) => bench.wipe());
    await tab.run((bench) => bench.take(bench.late()[0]?.dictationId ?? ''));
    expect(await tab.words()).toEqual(upTo(6));
    await expectNothingWaits(tab);
  });

  test('awaits its place in a worker’s memory alone, and the worker dies: what the journal has goes there', async () => {
    run = await startFaultRun();
    const tab = await run.openTab();
    await tab.start(90_000);
    // From the beginning: a live piece is asked for before its pause is over.
    run.server.failAlways({ kind: 'status', status: 401 });
    await tab.speak(0, 6, { speed: 4, silentMs: 300 });
    // The journal has all of it; the queue takes no more.
    await tab.inWorker(FULL_QUEUE);
    await tab.stop();
    await tab.until((bench) => bench.late().length > 0, 'it waits');
    expect((await tab.snapshot()).queue.unstoredItems).toBeGreaterThan(0);
    const started = tab.workersStarted();
    await tab.inWorker('self.close()').catch(() => {}); // It can't answer any more.
    await expect.poll(() => tab.workersStarted(), { timeout: 30_000 }).toBeGreaterThan(started);
    run.server.failAlways({ kind: 'none' });
    await tab.until((bench) => bench.text().includes('w5'), 'it has gone to its place');
    expect(await tab.words()).toEqual(upTo(6));
    await expectNothingWaits(tab);
  });
});
