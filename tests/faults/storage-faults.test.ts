import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectLedgerAddsUp, expectOnceInOrder } from './helpers/fault-bench.ts';
import { type FaultRun, sleepMs, startFaultRun } from './helpers/fault-run.ts';

/** The queue tries again after 5 s. */
const STORAGE_RETRY_MS = 6_000;

let run: FaultRun;

beforeAll(async () => {
  run = await startFaultRun();
});
afterAll(() => run.dispose());

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

describe('storage that fails costs no word', () => {
  test.each(Object.entries(FAULTS))('%s while recording', async (_what, fault) => {
    const tab = await run.openTab();
    await tab.start(1_500);
    await tab.speak(0, 6, { speed: 4 });
    await tab.inWorker(fault);
    await tab.speak(6, 6, { speed: 4, silentMs: 800 });
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
      (bench) => bench.snapshot().queue.unstoredItems === 0 && bench.late().length === 0,
      'nothing is in memory alone',
    );
    // What storage would not delete is deleted a moment later.
    await sleepMs(STORAGE_RETRY_MS);
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
    await tab.speak(0, 6, { speed: 4 });
    await tab.inWorker(`{
      const put = IDBObjectStore.prototype.put;
      self.heal = () => { IDBObjectStore.prototype.put = put; };
      IDBObjectStore.prototype.put = function (...given) {
        this.transaction.abort();
        throw new DOMException('The disk is full', 'QuotaExceededError');
      };
    }`);
    await tab.speak(6, 4, { speed: 4, silentMs: 1_000 });
    await tab.until(
      (bench) => bench.snapshot().notices.some(({ kind }) => kind === 'storage-full'),
      'the notice',
    );
    await tab.until((bench) => bench.snapshot().session.phase === 'idle', 'recording stopped');
    expectOnceInOrder(await tab.words(), 10);
    expectLedgerAddsUp(await tab.snapshot());
    await tab.page.close();
  });

  test('storage that never opens: dictation works all the same', async () => {
    const tab = await run.openTab();
    await tab.page.close();
    const page = await run.browser.open('about:blank');
    await page.close();
    const next = await run.openTab();
    await next.inWorker(FAULTS['the connection is lost and no other opens']);
    await next.start(1_500);
    await next.speak(0, 8, { speed: 4, silentMs: 800 });
    await next.stop();
    expectOnceInOrder(await next.words(), 8);
    expectLedgerAddsUp(await next.snapshot());
    await next.page.close();
  });
});
