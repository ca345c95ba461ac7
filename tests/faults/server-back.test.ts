import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectLedgerAddsUp, expectOnceInOrder } from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';

/** The time that the server is away; `FAULT_AWAY_MS` sets another. */
const AWAY_MS = Number(process.env.FAULT_AWAY_MS ?? 10_000);

/** From its return to the text in the field: 3 s, and half of it more beside other tests. */
const MAX_RETURN_MS = 4_500;

let run: FaultRun;

beforeEach(async () => {
  run = await startFaultRun();
});
afterEach(() => run.dispose());

test.each(rounds(977))(
  'a server that comes back has its text in the field soon, round %i',
  { timeout: AWAY_MS + 90_000 },
  async (_round, random) => {
    const tab = await run.openTab();
    await tab.start(2_000);
    await tab.speak(0, 4, { speed: 8 });
    await run.server.goDown();
    await tab.speak(4, 8, { speed: 8, silentMs: 1_200 });
    await tab.stop();
    await tab.until((bench) => bench.late().length > 0, 'something waits');
    // At any moment between two looks.
    await sleepMs(AWAY_MS + 2_000 * random());
    await run.server.comeBack();
    const sinceMs = performance.now();
    await tab.until((bench) => bench.text().includes('w11'), 'the text');
    const returnMs = Math.round(performance.now() - sinceMs);
    console.info(`away ${AWAY_MS} ms: text ${returnMs} ms after the return`);
    expect(returnMs).toBeLessThanOrEqual(MAX_RETURN_MS);
    expectOnceInOrder(await tab.words(), 12);
    expectLedgerAddsUp(await tab.snapshot());
    await tab.until((bench) => bench.hasNoneLate(), 'nothing waits');
  },
);
