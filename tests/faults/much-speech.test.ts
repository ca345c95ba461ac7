import { afterEach, expect, test } from 'vitest';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { expectLedgerAddsUp, upTo } from './helpers/fault-bench.ts';
import { type FaultRun, REPETITIONS, startFaultRun } from './helpers/fault-run.ts';

let run: FaultRun;

afterEach(() => run.dispose());

const HOUR_MS = 3_600_000;

async function storedBytes(tab: { page: import('playwright').Page }): Promise<number> {
  return tab.page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
}

/** The long version speaks for twenty minutes, the short one for four. */
const MINUTES = REPETITIONS > 1 ? 20 : 4;

test(`${MINUTES} minutes without a pause`, { timeout: HOUR_MS }, async () => {
  run = await startFaultRun();
  const tab = await run.openTab();
  const wordSamples = 1.1 * SAMPLE_RATE_HZ;
  const count = Math.floor((MINUTES * 60) / 1.1);
  await tab.start();
  await tab.speak(0, count, { speed: 60, wordSamples });
  await tab.stop();
  expect(await tab.words()).toEqual(upTo(count));
  const snapshot = await tab.snapshot();
  expectLedgerAddsUp(snapshot);
  expect(snapshot.session.maxLagFrames).toBeLessThan(625);
  console.info(`${MINUTES} min spoken, lost 0, doubled 0`);
});

test('two hundred chunks waiting', { timeout: HOUR_MS }, async () => {
  run = await startFaultRun();
  const first = await run.openTab();
  run.server.failAlways({ kind: 'hang' });
  await first.start(1_000);
  const count = 500;
  await first.speak(0, count, { speed: 20 });
  await first.until((bench) => bench.snapshot().queue.items.length >= 195, 'the chunks wait');
  const bytes = await storedBytes(first);
  await run.browser.kill();

  run.server.failAlways({ kind: 'none' });
  await run.browser.start();
  const startedMs = performance.now();
  const tab = await run.openTab();
  await tab.until(
    (bench) =>
      bench.late().length > 190 && bench.late().every(({ state }) => state.kind === 'answered'),
    'all is text',
    300_000,
  );
  const drainMs = performance.now() - startedMs;
  // Without a pause a cut may go through a word, which is then heard at both sides of it: that no
  // sample is doubled there is for exact-samples.test.ts to hold.
  const heard = await tab.allWords();
  const words = heard.filter((word, index) => word !== heard[index - 1]);
  expect(heard.length - words.length).toBeLessThan(10);
  expect(words).toEqual(upTo(words.length));
  expect(words.length).toBeGreaterThanOrEqual(count - 30);
  expectLedgerAddsUp(await tab.snapshot());
  const chunks = await tab.run((bench) => bench.late().length);
  console.info(
    `${chunks} chunks drained in ${(drainMs / 1_000).toFixed(1)} s, ` +
      `${(bytes / 1e6).toFixed(1)} MB stored for ${count * 0.4} s of speech`,
  );
});
