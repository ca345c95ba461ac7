import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { benchTab, expectLedgerAddsUp, expectOnceInOrder } from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';
import { FULL_DISK } from './helpers/full-disk.ts';

let run: FaultRun;

beforeEach(async () => {
  run = await startFaultRun();
});
afterEach(() => run.dispose());

/** Code for the worker: what its storage does wrong from now on. */
const FAULTS = {
  'every write aborts': `{
    const begin = IDBDatabase.prototype.transaction;
    self.heal = () => { IDBDatabase.prototype.transaction = begin; };
    IDBDatabase.prototype.transaction = function (...given) {
      const transaction = begin.apply(this, given);
      if (given[1] === 'readwrite') queueMicrotask(() => { try { transaction.abort(); } catch {} });
      return transaction;
    };
  }`,
  'the connection is lost and no other opens': `{
    const begin = IDBDatabase.prototype.transaction;
    const open = IDBFactory.prototype.open;
    self.heal = () => {
      IDBDatabase.prototype.transaction = begin;
      IDBFactory.prototype.open = open;
    };
    IDBDatabase.prototype.transaction = function () {
      throw new DOMException('Connection to Indexed Database server lost', 'UnknownError');
    };
    IDBFactory.prototype.open = function () {
      throw new DOMException('Connection to Indexed Database server lost', 'UnknownError');
    };
  }`,
} as const;

describe.each(rounds(507))('storage that fails costs no word, round %i', (_r, random) => {
  test.each(Object.entries(FAULTS))('%s while recording', async (_what, fault) => {
    const tab = await run.openTab();
    await tab.start(1_500);
    const before = 1 + Math.floor(10 * random());
    await tab.speak(0, before, { speed: 4 });
    await tab.inWorker(fault);
    await tab.speak(before, 12 - before, { speed: 4, silentMs: 800 });
    await tab.until(
      (bench) => bench.snapshot().notices.some(({ kind }) => kind === 'storage-failed'),
      'the notice',
    );
    await tab.stop();
    expectOnceInOrder(await tab.words(), 12);
    expectLedgerAddsUp(await tab.snapshot());
    await tab.inWorker('self.heal()');
    await tab.until(
      (bench) => !bench.snapshot().notices.some(({ kind }) => kind === 'storage-failed'),
      'all is well again',
      60_000,
    );
    await tab.until(
      (bench) => bench.snapshot().queue.unstoredItems === 0 && bench.hasNoneLate(),
      'nothing is in memory alone',
    );
    await tab.untilDiskIsEmpty();
    await tab.page.reload();
    await tab.ready();
    expect(await tab.run((bench) => bench.late().length), 'nothing comes twice').toBe(0);
    await sleepMs(500);
    expect(await tab.run((bench) => bench.late().length), 'nor a moment later').toBe(0);
    await tab.page.close();
  });

  test('a full disk: recording stops, and what was said is written', async () => {
    const tab = await run.openTab();
    await tab.start();
    const before = 2 + Math.floor(6 * random());
    await tab.speak(0, before, { speed: 4 });
    await tab.inWorker(FULL_DISK);
    await tab.speak(before, 10 - before, { speed: 4, silentMs: 1_000 });
    await tab.until(
      (bench) => bench.snapshot().notices.some(({ kind }) => kind === 'storage-full'),
      'the notice',
    );
    await tab.until((bench) => bench.snapshot().session.phase === 'idle', 'recording stopped');
    expectOnceInOrder(await tab.words(), 10);
    expectLedgerAddsUp(await tab.snapshot());
    await tab.page.close();
  });

  test.each([
    ['journal', 'audio'],
    ['queue', 'chunks'],
  ])(
    'the %s cannot be read by the worker that takes over: what was said after is text, and nothing before is lost',
    async (_which, table) => {
      const tab = await run.openTab();
      await tab.start(1_500);
      await tab.speak(0, 8, { speed: 4 });
      await tab.until((bench) => bench.snapshot().session.transcriptions.size > 0, 'a text');
      run.server.beginWorkersWith(`{
        const get = IDBObjectStore.prototype.get;
        const getAll = IDBObjectStore.prototype.getAll;
        const allIndexed = IDBIndex.prototype.getAll;
        self.heal = () => {
          Object.assign(IDBObjectStore.prototype, { get, getAll });
          IDBIndex.prototype.getAll = allIndexed;
        };
        const isBroken = ({ name }) => name === '${table}';
        const refuse = () => { throw new DOMException('Refused', 'UnknownError'); };
        Object.assign(IDBObjectStore.prototype, {
          get(...given) { return isBroken(this) ? refuse() : get.apply(this, given); },
          getAll(...given) { return isBroken(this) ? refuse() : getAll.apply(this, given); },
        });
        IDBIndex.prototype.getAll = function (...given) {
          return isBroken(this.objectStore) ? refuse() : allIndexed.apply(this, given);
        };
      }`);
      await tab.inWorker('self.close()').catch(() => {}); // It can't answer any more.
      await expect.poll(() => tab.workersStarted(), { timeout: 30_000 }).toBeGreaterThan(1);
      run.server.beginWorkersWith('');
      await tab.speak(8, 8, { speed: 1 + random(), silentMs: 800 });
      expect((await tab.snapshot()).session.phase, 'it goes on').toBe('recording');
      const result = await tab.run((bench) => bench.stop());
      expect(result?.failedChunks, 'it is not called whole').toBeGreaterThan(0);
      await tab.inWorker('self.heal()');
      await tab.run((bench) => bench.retry());
      // Words may come twice after such a fault, and must come: to their place, or into the list. A
      // try that was under way as storage healed fails yet, and the next one is a minute later.
      await expect
        .poll(async () => [...new Set(await tab.allWords())].sort((a, b) => a - b), {
          timeout: 120_000,
        })
        .toEqual(Array.from({ length: 16 }, (_, word) => word));
      await tab.page.close();
    },
    240_000,
  );

  test('storage that never opens: dictation works all the same', async () => {
    run.server.beginWorkersWith(`
      IDBFactory.prototype.open = () => { throw new DOMException('Refused', 'UnknownError'); };`);
    const page = await run.browser.open(run.server.url);
    const tab = benchTab(page);
    await tab.start(1_500);
    await tab.speak(0, 8, { speed: 4, silentMs: 800 });
    await tab.stop();
    run.server.beginWorkersWith('');
    expectOnceInOrder(await tab.words(), 8);
    expectLedgerAddsUp(await tab.snapshot());
    await page.close();
  });
});
