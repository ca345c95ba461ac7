import { afterEach, expect, test } from 'vitest';
import type { NoticeKind } from '../../src/core/session/snapshot.ts';
import { type BenchTab, benchTab, expectLedgerAddsUp, upTo } from './helpers/fault-bench.ts';
import { type FaultRun, sleepMs, startFaultRun } from './helpers/fault-run.ts';

/** Words before the fault, and words after it. */
const BEFORE = 6;
const AFTER = 6;

let run: FaultRun;

afterEach(() => run.dispose());

async function begin(isThrottled = false): Promise<BenchTab> {
  run = await startFaultRun(isThrottled);
  const tab = await run.openHearingTab();
  await tab.start();
  return tab;
}

const noticesOf = async (tab: BenchTab): Promise<NoticeKind[]> =>
  (await tab.snapshot()).notices.map(({ kind }) => kind);

/** Keeps, in the page, when a notice of this kind came and went. */
async function clockNotice(tab: BenchTab, kind: NoticeKind): Promise<() => Promise<number[]>> {
  await tab.page.evaluate((wanted) => {
    const { bench } = globalThis as unknown as {
      bench: { snapshot(): { notices: readonly { kind: string }[] } };
    };
    const atMs: number[] = [];
    setInterval(() => {
      const isThere = bench.snapshot().notices.some((notice) => notice.kind === wanted);
      if (isThere !== (atMs.length % 2 === 1)) atMs.push(performance.now());
    }, 20);
    Object.assign(globalThis, { noticeAtMs: atMs });
  }, kind);
  return () =>
    tab.page.evaluate(() => (globalThis as unknown as { noticeAtMs: number[] }).noticeAtMs);
}

/** When the notice came and when it went, once the page's next look has seen it gone. */
async function wentAtMs(alarm: () => Promise<number[]>): Promise<readonly [number, number]> {
  await expect.poll(async () => (await alarm()).length, { timeout: 5_000 }).toBe(2);
  const [raisedAtMs = Number.NaN, goneAtMs = Number.NaN] = await alarm();
  return [raisedAtMs, goneAtMs];
}

/** Behind another tab for 15 s, with nobody connected. */
async function leaveAlone(isFrozen = false): Promise<BenchTab['page']> {
  const pages = await run.browser.leaveAlone(15_000, isFrozen);
  const page = pages.find((each) => each.url().startsWith(run.server.url));
  if (!page) throw new Error('The page is gone');
  return page;
}

/** It is told, and nothing else is, that nothing was heard for 15 s. */
async function expectSlept(tab: BenchTab): Promise<void> {
  await tab.until(
    (bench) => bench.snapshot().notices.some(({ kind }) => kind === 'capture-slept'),
    'that it slept',
  );
  const { notices, session } = await tab.snapshot();
  expect(notices.map(({ kind }) => kind)).toEqual(['capture-slept']);
  expect(Math.abs((notices[0]?.durationMs ?? 0) - 15_000)).toBeLessThan(1_500);
  expect(session.lostInputFrames).toBeGreaterThan(0);
}

/** Every word spoken is in the field once and in order, and no alarm was ever raised. */
async function expectCalm(tab: BenchTab, alarms: readonly number[]): Promise<void> {
  await tab.stop();
  expect(await tab.words()).toEqual(upTo(BEFORE + AFTER));
  expect(await noticesOf(tab)).toEqual([]);
  expect(alarms).toEqual([]);
  expectLedgerAddsUp(await tab.snapshot());
}

test('a context that is suspended for 12 s: the alarm within 3.5 s, and the words before and after are kept', async () => {
  const tab = await begin();
  const alarm = await clockNotice(tab, 'capture-stalled');
  await tab.speak(0, BEFORE, { silentMs: 1_000 });
  const suspendedAtMs = await tab.page.evaluate(async () => {
    const { bench } = globalThis as unknown as {
      bench: { suspendSound(how: string): Promise<void> };
    };
    await bench.suspendSound('until-allowed');
    return performance.now();
  });
  await sleepMs(12_000);
  await tab.run((bench) => bench.allowSound());
  await tab.until(
    (bench) => bench.snapshot().notices.some(({ kind }) => kind === 'capture-gap'),
    'sound again',
  );
  const [raisedAtMs] = await wentAtMs(alarm);
  const afterS = (raisedAtMs - suspendedAtMs) / 1_000;
  console.info(`${afterS.toFixed(2)} s from suspension to alarm`);
  expect(afterS).toBeLessThan(3.5);
  const { notices, session } = await tab.snapshot();
  expect(notices.map(({ kind }) => kind)).toEqual(['capture-gap']);
  expect((notices[0]?.durationMs ?? 0) / 1_000).toBeGreaterThan(11.5);
  expect((notices[0]?.durationMs ?? 0) / 1_000).toBeLessThan(16);
  expect(session.lostInputFrames).toBeGreaterThan(0);
  expect(session.phase).toBe('recording');
  await tab.speak(BEFORE, AFTER, { silentMs: 1_000 });
  await tab.stop();
  expect(await tab.words()).toEqual(upTo(BEFORE + AFTER));
  expectLedgerAddsUp(await tab.snapshot());
});

test('a context that is stuck for good: another one goes on with the recording, and the gap is told', async () => {
  const tab = await begin();
  const alarm = await clockNotice(tab, 'capture-stalled');
  await tab.speak(0, BEFORE, { silentMs: 1_000 });
  await tab.run((bench) => bench.suspendSound('for-good'));
  await tab.until(
    (bench) => bench.snapshot().notices.some(({ kind }) => kind === 'capture-gap'),
    'sound again',
  );
  const [raisedAtMs, goneAtMs] = await wentAtMs(alarm);
  console.info(`${((goneAtMs - raisedAtMs) / 1_000).toFixed(2)} s from alarm to sound`);
  const { notices, session } = await tab.snapshot();
  expect(notices.map(({ kind }) => kind)).toEqual(['capture-gap']);
  expect((notices[0]?.durationMs ?? 0) / 1_000).toBeGreaterThan(4);
  expect(session.lostInputFrames).toBeGreaterThan(0);
  expect(session.phase).toBe('recording');
  await tab.speak(BEFORE, AFTER, { silentMs: 1_000 });
  // Another worker goes on with what the other worklet has.
  const started = tab.workersStarted();
  await tab.inWorker('self.close()').catch(() => {}); // It can't answer any more.
  await expect.poll(() => tab.workersStarted(), { timeout: 30_000 }).toBeGreaterThan(started);
  await tab.speak(BEFORE + AFTER, 2, { silentMs: 1_000 });
  await tab.stop();
  expect(await tab.words()).toEqual(upTo(BEFORE + AFTER + 2));
  expectLedgerAddsUp(await tab.snapshot());
});

test('a context that somebody suspends: it is resumed before a word is missed for long, without an alarm', async () => {
  const tab = await begin();
  const alarm = await clockNotice(tab, 'capture-stalled');
  await tab.speak(0, BEFORE, { silentMs: 500 });
  await tab.run((bench) => bench.suspendSound('resumable'));
  await tab.speak(BEFORE, AFTER, { silentMs: 1_000 });
  await expectCalm(tab, await alarm());
});

test('suspended in mid-recording and stopped so: all that was heard is there', async () => {
  const tab = await begin();
  await tab.speak(0, BEFORE, { silentMs: 500 });
  await tab.run((bench) => bench.suspendSound('until-allowed'));
  await tab.until(
    (bench) => bench.snapshot().notices.some(({ kind }) => kind === 'capture-stalled'),
    'the alarm',
  );
  await tab.stop();
  expect(await tab.words()).toEqual(upTo(BEFORE));
  await tab.until(
    (bench) => bench.snapshot().notices.every(({ kind }) => kind === 'capture-gap'),
    'no alarm any more',
  );
  expectLedgerAddsUp(await tab.snapshot());
});

test('a computer that sleeps for 15 s: recording goes on, and says so', async () => {
  const tab = await begin();
  await tab.speak(0, BEFORE, { silentMs: 1_000 });
  await run.browser.sleep(15_000);
  await expectSlept(tab);
  await tab.speak(BEFORE, AFTER, { silentMs: 1_000 });
  await tab.stop();
  expect(await tab.words()).toEqual(upTo(BEFORE + AFTER));
  expect(tab.workersStarted()).toBe(1);
  expectLedgerAddsUp(await tab.snapshot());
});

test('a page that stands still for 5 s raises no alarm', async () => {
  const tab = await begin();
  const alarm = await clockNotice(tab, 'capture-stalled');
  await tab.speak(0, BEFORE);
  const spoken = tab.speak(BEFORE, AFTER, { silentMs: 2_000 });
  await tab.run(() => {
    const untilMs = performance.now() + 5_000;
    while (performance.now() < untilMs);
  });
  await spoken;
  await expectCalm(tab, await alarm());
});

test('a page that is hidden raises no alarm', async () => {
  const tab = await begin(true);
  await clockNotice(tab, 'capture-stalled');
  await tab.page.evaluate(() => {
    const seen: string[] = [];
    setInterval(() => seen.push(document.visibilityState), 100);
    Object.assign(globalThis, { seen });
  });
  // Nobody is there to hear that it is over.
  tab.speak(0, BEFORE + AFTER, { silentMs: 1_000 }).catch(() => {});
  const page = await leaveAlone();
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
  // Its timers came about once a second.
  const hidden = seen.filter((state) => state === 'hidden').length;
  expect(hidden).toBeGreaterThan(10);
  expect(hidden).toBeLessThan(30);
  const tabAgain = benchTab(page);
  const alarms = await page.evaluate(
    () => (globalThis as unknown as { noticeAtMs: number[] }).noticeAtMs,
  );
  await expectCalm(tabAgain, alarms);
});

test('a worker that dies and is replaced raises no alarm', async () => {
  const tab = await begin();
  const alarm = await clockNotice(tab, 'capture-stalled');
  const spoken = tab.speak(0, BEFORE + AFTER, { silentMs: 4_000 });
  await sleepMs(1_500);
  await tab.inWorker('self.close()').catch(() => {}); // It can't answer any more.
  await expect.poll(() => tab.workersStarted(), { timeout: 30_000 }).toBeGreaterThan(1);
  await spoken;
  await expectCalm(tab, await alarm());
});

test('a hidden page that the browser freezes for 15 s, as a telephone does: recording goes on, and says so', async () => {
  const tab = await begin(true);
  await tab.speak(0, BEFORE, { silentMs: 1_000 });
  await tab.page.evaluate(() => {
    const seen: string[] = [];
    for (const kind of ['freeze', 'resume'])
      document.addEventListener(kind, () => seen.push(`${kind}, ${document.visibilityState}`));
    Object.assign(globalThis, { seen });
  });
  const page = await leaveAlone(true);
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
  expect(seen).toEqual(['freeze, hidden', 'resume, hidden']);
  const tabAgain = benchTab(page);
  await expectSlept(tabAgain);
  await tabAgain.speak(BEFORE, AFTER, { silentMs: 1_000 });
  await tabAgain.stop();
  expect(await tabAgain.words()).toEqual(upTo(BEFORE + AFTER));
  expectLedgerAddsUp(await tabAgain.snapshot());
});
