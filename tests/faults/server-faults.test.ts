import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectLedgerAddsUp, expectOnceInOrder } from './helpers/fault-bench.ts';
import { type FaultRun, IS_INSERTED_LIVE, rounds, startFaultRun } from './helpers/fault-run.ts';
import type { Fault } from './helpers/recording-server.ts';

let run: FaultRun;

beforeEach(async () => {
  run = await startFaultRun();
});
afterEach(() => run.dispose());

/** Waits are a hundredth in the worker; deadlines of storage, codec and locks stay. */
const HASTE = `{
  const wait = setTimeout;
  const now = Date.now;
  const startedMs = now();
  Date.now = () => startedMs + (now() - startedMs) * 100;
  const isDeadline = (ms) => ms === 1_000 || ms === 5_000 || (ms >= 10_000 && ms < 20_000);
  self.setTimeout = (work, ms, ...given) =>
    wait(work, ms < 250 || isDeadline(ms) ? ms : ms / 100, ...given);
}`;

const status = (code: number, headers = {}): Fault => ({ kind: 'status', status: code, headers });

/** Twelve words in three sentences and chunks of at most two seconds, with these faults. */
async function dictate(faults: readonly Fault[], chunkMs = 2_000, isHasty = true) {
  const tab = await run.openTab();
  if (isHasty) await tab.inWorker(HASTE);
  run.server.fail(...faults);
  await tab.start(chunkMs);
  await tab.speak(0, 12, { speed: 8, silentMs: 1_200 });
  await tab.stop();
  return tab;
}

describe.each(rounds(401))(
  'whatever the server does, the words come once and in order, round %i',
  (_r, random) => {
    /** All is well for a request or two, or none. */
    const wellAtFirst = (): Fault[] =>
      new Array<Fault>(Math.floor(3 * random())).fill({ kind: 'none' });

    test.each<[string, readonly Fault[]]>([
      ['nothing wrong', []],
      ['500 then 200', [status(500), status(503)]],
      ['a 503 that lasts a round', [status(503), status(503), status(503), status(503)]],
      ['200 with garbage', [{ kind: 'garbage' }]],
      ['the answer lost after the work', [{ kind: 'answer-lost' }, { kind: 'answer-lost' }]],
      ['429 with Retry-After', [status(429, { 'Retry-After': '2' })]],
      ['hanging past the time-out', [{ kind: 'hang' }]],
    ])('%s', async (_what, faults) => {
      const tab = await dictate([...wellAtFirst(), ...faults], 2_000);
      await tab.until((bench) => bench.text().includes('w11'), 'the text');
      expectOnceInOrder(await tab.words(), 12);
      expectLedgerAddsUp(await tab.snapshot());
      expect([...run.server.worked.values()].every((times) => times === 1)).toBe(true);
      expect(run.server.changedKeys).toEqual([]);
      await tab.until((bench) => bench.hasNoneLate(), 'nothing waits');
      await tab.page.close();
    });

    test('401: nothing is sent until the user says so, then the text goes where it belongs', async () => {
      run.server.failAlways(status(401));
      const tab = await dictate(wellAtFirst());
      await tab.until((bench) => bench.snapshot().queue.isUnauthorised, 'the pause');
      const words = await tab.words();
      if (IS_INSERTED_LIVE) expectOnceInOrder(words, 0);
      else expect(words, 'a text with a hole is no text').toEqual([]);
      expect((await tab.snapshot()).notices.map(({ kind }) => kind)).toContain(
        'uploads-unauthorised',
      );
      run.server.failAlways({ kind: 'none' });
      await tab.run((bench) => bench.retry());
      await tab.until((bench) => bench.text().includes('w11'), 'the text');
      expectOnceInOrder(await tab.words(), 12);
      expectLedgerAddsUp(await tab.snapshot());
      await tab.page.close();
    });

    test.each([400, 413])(
      '%i: parked with its audio, in the list, until the user throws it away',
      async (refused) => {
        run.server.failAlways(status(refused));
        const tab = await dictate([], 2_000, false);
        await tab.until(
          (bench) =>
            bench.late().length > 0 && bench.late().every((i) => i.state.kind === 'refused'),
          'all parked',
        );
        const [first] = (await tab.snapshot()).queue.items;
        const bytes = await tab.page.evaluate(
          (id) =>
            (globalThis as unknown as { bench: { audioBytes(id: string): Promise<number> } }).bench //
              .audioBytes(id),
          first?.dictationId ?? '',
        );
        expect(bytes).toBeGreaterThan(12 * 6_400 * 2);
        expectLedgerAddsUp(await tab.snapshot());
        run.server.failAlways({ kind: 'none' });
        await tab.run((bench) => bench.wipe());
        await tab.until((bench) => bench.hasNoneLate(), 'nothing waits');
        const snapshot = await tab.snapshot();
        expectLedgerAddsUp(snapshot);
        expect(snapshot.ledger.deletedSamples).toBeGreaterThan(0);
        await tab.page.close();
      },
    );

    test.each([true, false])('offline and back, navigator.onLine saying %s', async (isOnline) => {
      const tab = await run.openTab();
      await tab.page.evaluate((value) => {
        Object.defineProperty(navigator, 'onLine', { get: () => value });
      }, isOnline);
      await tab.inWorker(HASTE);
      await tab.start(2_000);
      const before = 2 + Math.floor(12 * random());
      await tab.speak(0, before, { speed: 8 });
      await run.server.goDown();
      await tab.speak(before, 16 - before, { speed: 8, silentMs: 1_000 });
      await tab.stop();
      await tab.until((bench) => bench.late().length > 0, 'something waits');
      await run.server.comeBack();
      await tab.until((bench) => bench.text().includes('w15'), 'the text');
      expectOnceInOrder(await tab.words(), 16);
      expectLedgerAddsUp(await tab.snapshot());
      await tab.page.close();
    });

    test.each([3_600_000, -3_600_000])('the clock jumps by %i ms', async (jumpMs) => {
      const tab = await run.openTab();
      await tab.inWorker(HASTE);
      run.server.failAlways(status(500));
      run.server.fail(...wellAtFirst());
      await tab.start(2_000);
      await tab.speak(0, 12, { speed: 8 });
      await tab.stop();
      await tab.inWorker(`{ const now = Date.now; Date.now = () => now() + ${jumpMs}; }`);
      run.server.failAlways({ kind: 'none' });
      await tab.until((bench) => bench.text().includes('w11'), 'the text');
      expectOnceInOrder(await tab.words(), 12);
      expectLedgerAddsUp(await tab.snapshot());
      await tab.page.close();
    });
  },
);
