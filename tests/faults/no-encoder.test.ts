import { afterEach, expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { WORD_SAMPLES } from '../helpers/numbered-words.ts';
import { type BenchTab, expectLedgerAddsUp, expectOnceInOrder } from './helpers/fault-bench.ts';
import { type FaultRun, IS_INSERTED_LIVE, startFaultRun } from './helpers/fault-run.ts';

let run: FaultRun;

afterEach(() => run.dispose());

/** Nothing can be made into a file in the worker, neither by a script nor as WAV, until it is healed. */
const NO_MEMORY = `{
  const { setUint32 } = DataView.prototype;
  const { encode } = AudioEncoder.prototype;
  const { Worker } = self;
  self.heal = () => {
    DataView.prototype.setUint32 = setUint32;
    AudioEncoder.prototype.encode = encode;
    self.Worker = Worker;
  };
  AudioEncoder.prototype.encode = () => { throw new DOMException('No encoder'); };
  self.Worker = class { constructor() { throw new RangeError('No memory'); } };
  DataView.prototype.setUint32 = () => { throw new RangeError('No memory'); };
}`;

const WORDS = 12;

/** Twelve words of which the first chunks are encoded, and the rest is not. */
async function dictateWithoutEncoder(): Promise<BenchTab> {
  run = await startFaultRun();
  const tab = await run.openTab();
  await tab.start(1_500);
  await tab.speak(0, 6, { speed: 4 });
  await tab.until(
    (bench) => [...bench.snapshot().session.transcriptions.values()].some((text) => text !== ''),
    'the first words',
  );
  await tab.inWorker(NO_MEMORY);
  await tab.speak(6, WORDS - 6, { speed: 4, silentMs: 300 });
  await tab.stop();
  await tab.until((bench) => bench.kept().length === 1, 'it is listed');
  const words = await tab.words();
  if (IS_INSERTED_LIVE) expectOnceInOrder(words, 0);
  else expect(words, 'a text with a hole is no text').toEqual([]);
  expect(words, 'nor does it go in without its hole').not.toContain(WORDS - 1);
  expectLedgerAddsUp(await tab.snapshot());
  return tab;
}

async function bytesOfAudio(tab: BenchTab): Promise<number> {
  return tab.run((bench) => bench.audioBytes(bench.kept()[0]?.dictationId ?? ''));
}

test('what cannot be encoded is listed with its audio; tried again, the text goes where it belongs', async () => {
  const tab = await dictateWithoutEncoder();
  await tab.inWorker('self.heal()');
  const missing = WORDS - (await tab.words()).length;
  expect(await bytesOfAudio(tab)).toBeGreaterThan(missing * WORD_SAMPLES * 2);
  await tab.run((bench) => bench.retryKept(bench.kept()[0]?.dictationId ?? ''));
  await tab.until((bench) => bench.text().includes('w11'), 'the text');
  expectOnceInOrder(await tab.words(), WORDS);
  await tab.until((bench) => bench.kept().length === 0 && bench.hasNoneLate(), 'nothing waits');
  expectLedgerAddsUp(await tab.snapshot());
  expect((await tab.snapshot()).ledger.journalledSamples).toBe(0);
  expect(run.server.changedKeys).toEqual([]);
});

test('tried again in vain it stays; the next start brings it', async () => {
  const tab = await dictateWithoutEncoder();
  const inField = await tab.words();
  const [before] = await tab.run((bench) => bench.kept());
  await tab.run((bench) => bench.retryKept(bench.kept()[0]?.dictationId ?? ''));
  const after = await tab.run((bench) => bench.kept());
  expect(after.length).toBe(1);
  // Heard again, its frames may begin elsewhere: the sound that its recording needs stays before it.
  // And a live piece ends sooner behind its last word than what is heard again.
  const changeSamples = (after[0]?.durationSamples ?? 0) - (before?.durationSamples ?? 0);
  expect(Math.abs(changeSamples)).toBeLessThanOrEqual(4 * FRAME_SAMPLES);
  expectLedgerAddsUp(await tab.snapshot());
  await run.browser.kill();
  await run.browser.start();
  const next = await run.openTab();
  await next.until(
    (bench) =>
      bench.late().length > 0 && bench.late().every(({ state }) => state.kind === 'answered'),
    'all is text',
  );
  expectOnceInOrder([...inField, ...(await next.allWords())], WORDS);
  expect(await next.run((bench) => bench.kept().length)).toBe(0);
  expectLedgerAddsUp(await next.snapshot());
});

test('inserting what text there is does not cost the rest, and throwing it away is the user’s to do', async () => {
  const tab = await dictateWithoutEncoder();
  await tab.inWorker('self.heal()');
  // It is the worker's until the end of its journal is on disk.
  const take = () => tab.run((bench) => bench.take(bench.kept()[0]?.dictationId ?? ''));
  // What there is stands in the field already, where it goes in live.
  if (IS_INSERTED_LIVE) await take();
  else await expect.poll(take).toBe(true);
  const early = await tab.words();
  expect(early.length).toBeGreaterThan(0);
  expectOnceInOrder(early, early.length);
  expect(await bytesOfAudio(tab)).toBeGreaterThan((WORDS - early.length - 1) * WORD_SAMPLES * 2);
  await tab.run((bench) => bench.discardKept(bench.kept()[0]?.dictationId ?? ''));
  // Account and notices tell of it as soon as the list does.
  const { ledger, notices } = await tab.run(
    (bench) =>
      new Promise<ReturnType<typeof bench.snapshot>>((resolve) => {
        const watch = setInterval(() => {
          if (bench.kept().length > 0) return;
          clearInterval(watch);
          resolve(bench.snapshot());
        });
      }),
  );
  expect(ledger.deletedSamples).toBeGreaterThan(0);
  expect(notices).toEqual([]);
  expectLedgerAddsUp(await tab.snapshot());
});
