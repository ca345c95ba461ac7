import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { toPcm16 } from '../../src/core/audio/samples.ts';
import { numberedWord, WORD_SAMPLES } from '../helpers/numbered-words.ts';
import { coverageOf } from '../helpers/sample-coverage.ts';
import { expectLedgerAddsUp } from './helpers/fault-bench.ts';
import { type FaultRun, rounds, sleepMs, startFaultRun } from './helpers/fault-run.ts';

let run: FaultRun;

afterEach(() => run.dispose());

const MAX_WORDS = 60;
const WAV_HEADER_BYTES = 44;

/** The samples that the bench page speaks, as its worker gets them. */
function spoken(): Int16Array {
  const pcm = new Int16Array(
    readFileSync('tests/fixtures/speech-en.wav').buffer.slice(WAV_HEADER_BYTES),
  );
  const voice = Float32Array.from(pcm, (sample) => sample / 32_768);
  const samples = new Float32Array(MAX_WORDS * WORD_SAMPLES);
  for (let number = 0; number < MAX_WORDS; number += 1) {
    samples.set(numberedWord(number, voice), number * WORD_SAMPLES);
  }
  return toPcm16(samples);
}

/** Uncompressed, so that the server hears every sample as it is. */
const WAV_ONLY = `AudioEncoder.prototype.encode = () => { throw new DOMException('No encoder'); };
self.Worker = class { constructor() { throw new Error('No worker for Opus'); } };`;

describe.each(rounds(815))('round %i', (_r, random) => {
  test('cut through words, killed and recovered: every sample once', async () => {
    run = await startFaultRun();
    run.server.beginWorkersWith(WAV_ONLY);
    const tab = await run.openTab();
    await tab.start(1_000);
    tab.speak(0, MAX_WORDS, { speed: 2 }).catch(() => {});
    const wantedSamples = Math.round((4 + 8 * random()) * SAMPLE_RATE_HZ);
    await expect
      .poll(() => tab.run((bench) => bench.fedSamples()), { timeout: 60_000 })
      .toBeGreaterThan(wantedSamples);
    const keptSamples = await tab.run((bench) => bench.fedSamples());
    await sleepMs(200);
    await run.browser.kill();

    await run.browser.start();
    const next = await run.openTab();
    await next.until(
      (bench) =>
        bench.snapshot().queue.isRecovered &&
        bench.late().length > 0 &&
        bench.late().every(({ state }) => state.kind === 'answered'),
      'all is text',
      60_000,
    );
    expectLedgerAddsUp(await next.snapshot());
    // Also what stood in the killed page's field already, where it goes in while one speaks.
    const pieces = [...run.server.audios.values()].map(
      (wav) => new Int16Array(wav.slice(WAV_HEADER_BYTES).buffer),
    );
    const { times, strangeSamples } = coverageOf(spoken(), pieces);
    const kept = times.subarray(0, keptSamples);
    console.info(
      `${pieces.length} chunks, ${keptSamples} samples: ${kept.filter((count) => count === 0).length} ` +
        `lost, ${times.filter((count) => count > 1).length} doubled`,
    );
    expect(strangeSamples).toBe(0);
    expect(kept.every((count) => count === 1)).toBe(true);
    expect(times.every((count) => count <= 1)).toBe(true);
  });
});
