import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { DOUBT_PROBABILITY, RELISTEN_FRAMES } from '../../src/core/speech/doubt-watch.ts';
import type { BareEngine, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';

/**
 * A model whose frames say what it gives: the first sample to the carried hearing, the second to the fresh one. What
 * each has heard since its reset is written down, by the third sample.
 */
function scriptedEngine(isLater: boolean) {
  const heard: { carried: number[]; fresh: number[] } = { carried: [], fresh: [] };
  const disposed: string[] = [];
  const hearing = (who: 'carried' | 'fresh'): SpeechEngine => ({
    model: 'v6',
    kind: 'kernel',
    judge(frame) {
      const probability = frame[who === 'carried' ? 0 : 1] ?? 0;
      heard[who].push(frame[2] ?? -1);
      return isLater ? Promise.resolve(probability) : probability;
    },
    reset() {
      heard[who] = [];
    },
    dispose() {
      disposed.push(who);
    },
  });
  const engine: BareEngine = { ...hearing('carried'), twin: () => hearing('fresh') };
  return { engine: createSteadyEngine(engine), heard, disposed };
}

/** One memory for all frames, as a caller may have. */
const frame = new Float32Array(FRAME_SAMPLES);

async function feed(
  engine: SpeechEngine,
  script: readonly (readonly [carried: number, fresh: number])[],
  firstNumber = 0,
): Promise<number[]> {
  const given: number[] = [];
  for (const [i, [carried, fresh]] of script.entries()) {
    frame.set([carried, fresh, firstNumber + i]);
    given.push(Math.round((await engine.judge(frame)) * 1e6) / 1e6);
  }
  return given;
}

const quiet = (count: number) => Array(count).fill([0, 1] as const);

test.each([false, true])(
  'the larger counts where the carried one doubts (later: %s)',
  async (isLater) => {
    const { engine, heard } = scriptedEngine(isLater);
    const given = await feed(engine, [...quiet(40), [0.02, 0.9], [0.5, 0.3], [0.001, 0.95]]);
    expect(given).toEqual([...Array(40).fill(0), 0.9, 0.5, 0.95]);
    const from = 41 - RELISTEN_FRAMES;
    expect(heard.fresh).toEqual(Array.from({ length: RELISTEN_FRAMES + 2 }, (_, i) => from + i));
  },
);

test('digital silence is not what a fresh hearing begins with: it hears what was before it', async () => {
  const { engine, heard } = scriptedEngine(false);
  await feed(engine, quiet(30));
  frame.fill(0);
  for (let i = 0; i < 40; i++) expect(engine.judge(frame)).toBe(0);
  expect(await feed(engine, [[0.02, 0.9]], 30)).toEqual([0.9]);
  expect(heard.fresh).toEqual(Array.from({ length: RELISTEN_FRAMES }, (_, i) => 11 + i));
});

test('an engine that answers at once is answered for at once', () => {
  const { engine } = scriptedEngine(false);
  frame.set([0.3, 0.9, 0]);
  expect(engine.judge(frame)).toBeCloseTo(0.9);
});

test('answers at once or later are the same, never below the carried one, and without doubt its own', async () => {
  const probability = fc.oneof(
    fc.constantFrom(0, 0.005, 0.02),
    fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
  );
  const scripts = fc.array(fc.tuple(probability, probability), { minLength: 1, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const given = await feed(scriptedEngine(false).engine, script);
      expect(await feed(scriptedEngine(true).engine, script)).toEqual(given);
      for (const [i, [carried]] of script.entries())
        expect(given[i]).toBeGreaterThanOrEqual(carried);
      if (script.every(([carried]) => carried < DOUBT_PROBABILITY)) {
        expect(given).toEqual(script.map(([carried]) => carried));
      }
    }),
    { numRuns: 60 },
  );
});

test('after a reset nothing from before it is heard again', async () => {
  const { engine, heard } = scriptedEngine(false);
  await feed(engine, [...quiet(30), [0.5, 0.5]]);
  engine.reset();
  expect(heard.carried).toEqual([]);
  expect(
    await feed(
      engine,
      [
        [0, 0.9],
        [0.1, 0.4],
      ],
      100,
    ),
  ).toEqual([0, 0.4]);
  expect(heard.fresh).toEqual([100, 101]);
});

test('later answers: a second frame is refused, and a reset meanwhile holds', async () => {
  const { engine, heard } = scriptedEngine(true);
  await feed(engine, quiet(30));
  frame.set([0.2, 0.9, 30]);
  const first = engine.judge(frame);
  await expect(engine.judge(frame)).rejects.toMatchObject({ code: 'engine-failed' });
  engine.reset();
  expect(await first).toBeCloseTo(0.2);
  expect(await feed(engine, [[0.3, 0.7]], 50)).toEqual([0.7]);
  expect(heard.fresh).toEqual([50]);
});

test('disposed of, both give their memory back', async () => {
  const { engine, disposed } = scriptedEngine(false);
  await engine.dispose();
  expect(disposed).toEqual(['carried', 'fresh']);
});
