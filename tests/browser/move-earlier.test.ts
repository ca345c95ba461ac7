import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { browserClock } from '../../src/core/browser-clock.ts';
import type { Logger } from '../../src/core/logger.ts';
import { createIndexedDbJournal } from '../../workers/storage/indexed-db-journal.ts';
import { createIndexedDbQueueStore } from '../../workers/storage/indexed-db-queue-store.ts';
import { createEarlierMove } from '../../workers/storage/move-earlier.ts';
import { createSessionLocks } from '../../workers/storage/session-lock.ts';
import {
  databaseNames,
  type EarlierRecord,
  earlierItem,
  earlierJournal,
  makeEarlier,
  openEarlierTab,
  writeEarlier,
} from '../helpers/earlier-databases.ts';
import { outline } from '../helpers/journal-session.ts';
import { breakTransactions } from '../helpers/storage-faults.ts';
import { createTestDatabase, onRecords, testDatabase } from '../helpers/test-database.ts';

const JOURNAL = 'diktera-journal';
const QUEUE = 'diktera-queue';
const DRAIN_LOCK = 'diktera:drain';

const QUEUED: readonly EarlierRecord[] = [
  [['schema'], 3],
  ...earlierItem('cut', 0),
  ...earlierItem('old', 0, {
    kind: 'waiting',
    nextAttemptAtMs: 1_790_000_100_000,
    lastError: { code: 'http-network', message: 'POST https://dikt.example/api/asr/vad: gone' },
  }),
  // Given to its field, and not removed before the browser died.
  ...earlierItem('old', 1, { kind: 'transcribed', text: 'hej', doubt: null }),
  ...earlierItem('old', 2, {
    kind: 'parked',
    error: { code: 'http-status', message: 'POST https://dikt.example/api/asr/vad: 422' },
  }),
  ...earlierItem('old', 3, { kind: 'doubted', why: 'incomplete', text: 'hej då' }),
  ...earlierItem('old', 4, { kind: 'sending' }),
];
/** Half of it is in the queue: the cut says so. */
const JOURNALLED: readonly EarlierRecord[] = [
  ...earlierJournal('cut', [2, 3, 4], { nextChunkNumber: 1, cutUpToSample: 2 * 1_536 }),
  ...earlierJournal('whole', [0, 1]),
];

beforeEach(() => {
  // The names are the earlier version's own: each test has them for itself.
  onTestFinished(async () => {
    for (const name of [JOURNAL, QUEUE]) indexedDB.deleteDatabase(name);
    await expect.poll(databaseNames).not.toContain(JOURNAL);
    await expect.poll(databaseNames).not.toContain(QUEUE);
  });
});

function silentLog(): Logger {
  return { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
}

/** A tab of today's version. */
function openTab(databaseName = testDatabase()) {
  const log = silentLog();
  const earlier = createEarlierMove({
    clock: browserClock,
    log,
    locks: navigator.locks,
    sessionLocks: createSessionLocks(navigator.locks, browserClock),
    databaseName,
  });
  const database = createTestDatabase(databaseName);
  const journal = createIndexedDbJournal({ database, clock: browserClock, onFailure: vi.fn() });
  return {
    databaseName,
    log,
    earlier,
    journal,
    queue: createIndexedDbQueueStore(database, journal),
  };
}

type Tab = ReturnType<typeof openTab>;

async function expectAllThere({ journal, queue }: Tab): Promise<void> {
  const heads = await queue.list();
  const wanted = QUEUED.filter(([key]) => (key as string[])[0] === 'head').map(([, head]) => head);
  expect(heads).toEqual(wanted);
  for (const [key, audio] of QUEUED) {
    const [kind, id = ''] = key as string[];
    if (kind !== 'audio') continue;
    const found = (await queue.get(id))?.audio;
    expect(found).toEqual(audio);
    expect(new Uint8Array(found!.bytes)).toEqual(
      new Uint8Array((audio as { readonly bytes: ArrayBuffer }).bytes),
    );
  }
  expect((await journal.list()).map(({ sessionId }) => sessionId).sort()).toEqual(['cut', 'whole']);
  const cut = await journal.read('cut', 'cut');
  expect(cut?.cut).toEqual({ nextChunkNumber: 1, cutUpToSample: 3_072, isInSpeech: false });
  expect(cut?.header.options.language).toBe('sv');
  expect(outline(cut?.parts)).toEqual([[3_072, 7_680], 'paused 7680']);
  const whole = await journal.read('whole');
  expect(outline(whole?.parts)).toEqual([[0, 3_072], 'paused 3072']);
  const [audio] = whole?.parts ?? [];
  expect(audio?.kind === 'audio' && audio.pcm[1_540]).toBe(104);
}

async function expectEarlierGone(): Promise<void> {
  await expect.poll(databaseNames).not.toContain(JOURNAL);
  expect(await databaseNames()).not.toContain(QUEUE);
}

async function countMoved({ databaseName }: Tab): Promise<number> {
  let count = -1;
  await onRecords(databaseName, 'moved', (moved) => {
    const request = moved.count();
    request.onsuccess = () => {
      count = request.result;
    };
  });
  return count;
}

async function makeBoth(): Promise<void> {
  await makeEarlier(QUEUE, QUEUED);
  await makeEarlier(JOURNAL, JOURNALLED);
}

describe('what waits in the databases of an earlier version', () => {
  test('is all there in the one of today, and they are gone', async () => {
    await makeBoth();
    const tab = openTab();
    expect(await tab.earlier.move()).toBe(true);
    await expectAllThere(tab);
    await expectEarlierGone();
    expect(await countMoved(tab)).toBe(0);
    expect(tab.log.error).not.toHaveBeenCalled();
    expect(await tab.earlier.move()).toBe(false);
  });

  test('is nothing on most sites: none is made by looking', async () => {
    const tab = openTab();
    const made = vi.spyOn(IDBDatabase.prototype, 'createObjectStore');
    onTestFinished(() => made.mockRestore());
    expect(await tab.earlier.move()).toBe(false);
    expect(made).not.toHaveBeenCalled();
    await expectEarlierGone();
    const opened = vi.spyOn(IDBFactory.prototype, 'open');
    onTestFinished(() => opened.mockRestore());
    expect(await tab.earlier.move()).toBe(false);
    expect(opened).not.toHaveBeenCalled();
  });

  test('of versions 1 and 2 of the queue is brought up to today', async () => {
    const text = { kind: 'transcribed', text: 'hej' };
    const strip = (record: EarlierRecord, ...names: string[]): EarlierRecord => {
      const [key, value] = record;
      if ((key as string[])[0] !== 'head') return record;
      const kept = Object.entries(Object(value)).filter(([name]) => !names.includes(name));
      return [key, Object.fromEntries(kept)];
    };
    const items = [...earlierItem('s', 0), ...earlierItem('s', 1, text)];
    for (const [version, names] of [
      [1, ['part', 'speechSamples', 'asks']],
      [2, ['speechSamples', 'asks']],
    ] as const) {
      await makeEarlier(QUEUE, [
        [['schema'], version],
        ...items.map((record) => strip(record, ...names)),
      ]);
      const tab = openTab();
      await tab.earlier.move();
      expect(await tab.queue.list()).toMatchObject([
        { part: '', speechSamples: 48_000, asks: 0 },
        { part: '', speechSamples: 48_000, asks: 0, state: { ...text, doubt: null } },
      ]);
      await expectEarlierGone();
    }
  });

  test('of a version nobody knows stays where it is', async () => {
    await makeEarlier(QUEUE, [[['schema'], 4], ...earlierItem('s', 0)]);
    const tab = openTab();
    expect(await tab.earlier.move()).toBe(false);
    expect(await tab.queue.list()).toEqual([]);
    expect(await databaseNames()).toContain(QUEUE);
    expect(tab.log.error).toHaveBeenCalled();
  });

  test('is moved once by two tabs that open together', async () => {
    await makeBoth();
    const databaseName = testDatabase();
    const tabs = [openTab(databaseName), openTab(databaseName)];
    const moved = await Promise.all(tabs.map(({ earlier }) => earlier.move()));
    expect(moved.filter(Boolean)).toHaveLength(1);
    await expectAllThere(tabs[0]!);
    await expectEarlierGone();
  });
});

describe('a move that is cut short', () => {
  /** Ends a move at its nth transaction, as if the browser had been killed there. */
  async function moveUntil(databaseName: string, transactions: number): Promise<boolean> {
    const begin = IDBDatabase.prototype.transaction;
    let begun = 0;
    const spy = vi.spyOn(IDBDatabase.prototype, 'transaction');
    spy.mockImplementation(function (this: IDBDatabase, ...args) {
      begun += 1;
      const transaction = begin.apply(this, args);
      if (begun > transactions) queueMicrotask(() => transaction.abort());
      return transaction;
    });
    await openTab(databaseName)
      .earlier.move()
      .catch(() => {});
    spy.mockRestore();
    return begun > transactions;
  }

  test('goes on at the next opening, wherever it was, and nothing comes twice', async () => {
    let isCut = true;
    let steps = 0;
    for (; isCut; steps += 1) {
      const databaseName = testDatabase();
      await makeBoth();
      isCut = await moveUntil(databaseName, steps);
      const tab = openTab(databaseName);
      await tab.earlier.move();
      await expectAllThere(tab);
      await expectEarlierGone();
      expect(await countMoved(tab)).toBe(0);
    }
    expect(steps).toBeGreaterThan(10);
  });

  test('does not bring back what was sent after it was copied', async () => {
    await makeEarlier(QUEUE, earlierItem('s', 0));
    const databaseName = testDatabase();
    const tab = openTab(databaseName);
    const removing = vi.spyOn(IDBObjectStore.prototype, 'delete');
    removing.mockImplementationOnce(() => {
      throw new DOMException('Made to fail', 'UnknownError');
    });
    await tab.earlier.move();
    removing.mockRestore();
    expect(await tab.queue.list()).toHaveLength(1);
    await tab.queue.remove('s:0');
    const next = openTab(databaseName);
    await next.earlier.move();
    expect(await next.queue.list()).toEqual([]);
    await expectEarlierGone();
  });

  test('leaves what a failing store did not take where it was', async () => {
    await makeBoth();
    const tab = openTab();
    const breaking = breakTransactions('abort', Number.POSITIVE_INFINITY);
    await tab.earlier.move().catch(() => {});
    breaking.heal();
    expect(await tab.queue.list()).toEqual([]);
    await tab.earlier.move();
    await expectAllThere(tab);
  });
});

describe('a tab of an earlier version', () => {
  /** Holds a lock as a tab does for life; the answer closes the tab. */
  async function hold(name: string): Promise<() => void> {
    return new Promise((resolve) => {
      void navigator.locks.request(
        name,
        () => new Promise<void>((release) => resolve(() => release())),
      );
    });
  }

  test('is left all it has while it lives, and what it leaves is picked up', async () => {
    await makeBoth();
    const closeTab = await hold(DRAIN_LOCK);
    const tab = openTab();
    expect(await tab.earlier.move()).toBe(false);
    expect(await tab.queue.list()).toEqual([]);
    closeTab();
    await expect.poll(() => tab.earlier.move()).toBe(true);
    await expectAllThere(tab);
  });

  test('that has just begun to record keeps its recording', async () => {
    await makeBoth();
    const closeTab = await hold('diktera:session:whole');
    const tab = openTab();
    expect(await tab.earlier.move()).toBe(true);
    expect((await tab.journal.list()).map(({ sessionId }) => sessionId)).toEqual(['cut']);
    expect(await databaseNames()).toContain(JOURNAL);
    closeTab();
    await expect.poll(() => tab.earlier.move()).toBe(true);
    await expectAllThere(tab);
    await expectEarlierGone();
  });

  test('that keeps the databases open loses nothing of what it still writes', async () => {
    await makeBoth();
    const held = await openEarlierTab(QUEUE, { closesForOthers: false });
    const tab = openTab();
    expect(await tab.earlier.move()).toBe(true);
    await expectAllThere(tab);
    expect(await databaseNames()).toContain(QUEUE);

    await writeEarlier(held, earlierItem('late', 0));
    held.close();
    await expect.poll(() => tab.earlier.move()).toBe(true);
    expect((await tab.queue.list()).map(({ id }) => id)).toContain('late:0');
    await expectEarlierGone();
  });

  test('whose connection was closed opens another, and what it writes there comes too', async () => {
    await makeBoth();
    await openEarlierTab(QUEUE);
    const databaseName = testDatabase();
    await openTab(databaseName).earlier.move();
    await expectEarlierGone();
    // No version is noted in this one: it is the last.
    await makeEarlier(QUEUE, earlierItem('late', 0));
    const tab = openTab(databaseName);
    expect(await tab.earlier.move()).toBe(true);
    expect((await tab.queue.list()).map(({ id }) => id)).toContain('late:0');
    await expectEarlierGone();
  });
});
