import { afterEach, describe, expect, test } from 'vitest';
import { expectLedgerAddsUp, expectOnceInOrder } from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';
import { FULL_DISK } from './helpers/full-disk.ts';

let run: FaultRun;

afterEach(() => run.dispose());

describe.each(rounds(613))('round %i: a full disk and no server', (_round, random) => {
  test('what memory alone has whole is not replaced by what the disk took of it', async () => {
    run = await startFaultRun();
    const [tab, other] = [await run.openTab(), await run.openTab()];
    await tab.start();
    const before = 2 + Math.floor(6 * random());
    await tab.speak(0, before, { speed: 4 });
    run.server.failAlways({ kind: 'status', status: 401 });
    await tab.inWorker(FULL_DISK);
    await tab.speak(before, 10 - before, { speed: 4, silentMs: 1_000 });
    await tab.until(
      (bench) => bench.snapshot().session.phase === 'idle' && bench.late().length > 0,
      'the recording is over, and its text waits',
    );
    expect((await tab.snapshot()).queue.unstoredItems).toBeGreaterThan(0);
    // Every tab looks for recordings that were cut short every 10 s.
    await sleepMs(12_000);
    expect(await other.run((bench) => bench.late().length), 'nobody else has it').toBe(0);
    await tab.inWorker('self.heal()');
    run.server.failAlways({ kind: 'none' });
    await tab.run((bench) => bench.retry());
    await tab.until((bench) => bench.hasNoneLate(), 'it has gone to its place');
    expectOnceInOrder(await tab.words(), 10);
    expectLedgerAddsUp(await tab.snapshot());
    await tab.untilDiskIsEmpty();
    expect(await other.run((bench) => bench.late().length), 'nor later').toBe(0);
    await other.page.close();
    await tab.page.close();
  });

  test('the disk has room again: the chunks are on it, and the journal goes', async () => {
    run = await startFaultRun();
    const tab = await run.openTab();
    await tab.start();
    await tab.speak(0, 3, { speed: 4 });
    run.server.failAlways({ kind: 'status', status: 401 });
    await tab.inWorker(FULL_DISK);
    await tab.speak(3, 7, { speed: 4, silentMs: 1_000 });
    await tab.until(
      (bench) => bench.snapshot().session.phase === 'idle' && bench.late().length > 0,
      'the recording is over, and its text waits',
    );
    await tab.inWorker('self.heal()');
    await tab.until((bench) => bench.snapshot().queue.unstoredItems === 0, 'the disk has it');
    await tab.page.reload();
    await tab.ready();
    run.server.failAlways({ kind: 'none' });
    await tab.run((bench) => bench.retry());
    await tab.until(
      (bench) =>
        bench.late().length > 0 && bench.late().every(({ state }) => state.kind === 'answered'),
      'all is text',
    );
    expectOnceInOrder(await tab.allWords(), 10);
    await tab.page.close();
  });

  test('all of it can be thrown away', async () => {
    run = await startFaultRun();
    const tab = await run.openTab();
    await tab.start();
    await tab.speak(0, 3, { speed: 4 });
    run.server.failAlways({ kind: 'status', status: 401 });
    await tab.inWorker(FULL_DISK);
    await tab.speak(3, 3, { speed: 4, silentMs: 1_000 });
    await tab.until(
      (bench) => bench.snapshot().session.phase === 'idle' && bench.late().length > 0,
      'the recording is over, and its text waits',
    );
    await tab.inWorker('self.heal()');
    await tab.run((bench) => bench.wipe());
    await tab.until((bench) => bench.hasNoneLate(), 'nothing waits');
    run.server.failAlways({ kind: 'none' });
    await tab.untilDiskIsEmpty();
    await tab.page.close();
  });
});
