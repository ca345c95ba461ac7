import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { BareEngine, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import {
  createSteadyEngine,
  RECENT_FRAMES,
  UNSURE_PROBABILITY,
} from '../../src/core/speech/steady-engine.ts';

/**
 * A model whose frames say what it gives: the first sample to the first pass, the second sample to
 * the second one. What each has heard since its reset is written down, by the third sample: the
 * frame's number, in thousandths.
 */
function scriptedEngine(isLater: boolean) {
  const heard: { first: number[]; second: number[] } = { first: [], second: [] };
  const disposed: string[] = [];
  const pass = (who: 'first' | 'second'): SpeechEngine => ({
    kind: 'kernel',
    infer(frame) {
      const probability = frame[who === 'first' ? 0 : 1] ?? 0;
      heard[who].push(Math.round(1_000 * (frame[2] ?? -1)));
      return isLater ? Promise.resolve(probability) : probability;
    },
    reset() {
      heard[who] = [];
    },
    dispose() {
      disposed.push(who);
    },
  });
  const engine: BareEngine = { ...pass('first'), twin: () => pass('second') };
  return { engine: createSteadyEngine(engine), heard, disposed };
}

/** One memory for all frames, as a caller may have. */
const frame = new Float32Array(FRAME_SAMPLES);
/**
 * A fourth sample that makes the frame so loud that it need not be made louder: -22, 8 and 14 dBFS.
 * Unsure frames take turns between the last two, as syllables do.
 */
const BACKGROUND = 3;
const LOUD = 100;
const LOUDER = 200;

async function feed(
  engine: SpeechEngine,
  script: readonly (readonly [first: number, second: number])[],
  firstNumber = 0,
): Promise<number[]> {
  const given: number[] = [];
  for (const [i, [first, second]] of script.entries()) {
    const loud = i % 2 === 0 ? LOUD : LOUDER;
    frame.set([first, second, (firstNumber + i) / 1_000, first > 0 ? loud : BACKGROUND]);
    given.push(Math.round((await engine.infer(frame)) * 1e6) / 1e6);
  }
  return given;
}

const quiet = (count: number) => Array(count).fill([0, 1] as const);

test.each([false, true])(
  'both passes count where the first is unsure (later: %s)',
  async (isLater) => {
    const { engine, heard } = scriptedEngine(isLater);
    const given = await feed(engine, [...quiet(60), [0.001, 0.9], [0.2, 0.3], [0, 0.95]]);
    expect(given).toEqual([...Array(60).fill(0), 0.9001, 0.44, 0.95]);
    const from = 61 - RECENT_FRAMES;
    expect(heard.second).toEqual(Array.from({ length: RECENT_FRAMES + 2 }, (_, i) => from + i));
  },
);

test('the second pass does not begin with digital silence: it hears the sound before it', async () => {
  const { engine, heard } = scriptedEngine(false);
  await feed(engine, quiet(60));
  frame.fill(0);
  for (let i = 0; i < 40; i++) expect(engine.infer(frame)).toBe(0);
  expect(await feed(engine, [[0.02, 0.9]], 60)).toEqual([0.902]);
  expect(heard.second).toEqual(Array.from({ length: RECENT_FRAMES }, (_, i) => 21 + i));
});

/** The answers for frames of those levels, where the first pass says 0.05, the second 0.9. */
function givenFor(levels: readonly number[]): readonly number[] {
  const { engine } = scriptedEngine(false);
  return levels.map((level, i) => {
    if (level === 0) frame.fill(0);
    else frame.set([0.05, 0.9, i / 1_000, level]);
    return Math.round(100 * Number(engine.infer(frame))) / 100;
  });
}

test.each([
  ['at one level, as under loud noise', Array(60).fill(BACKGROUND)],
  ['that is held', [...Array(30).fill(BACKGROUND), ...Array(30).fill(LOUD)]],
  ['after digital silence', [...Array(30).fill(0), LOUD, LOUDER]],
])('both count for sound %s', (_what, levels) => {
  expect(givenFor(levels)).toEqual(levels.map((level) => (level === 0 ? 0 : 0.9)));
});

test('both count, however sure the first pass was a moment before', () => {
  const answers = [0.95, 0.95, 0.3];
  const engine = createSteadyEngine({
    ...pass(0),
    infer: () => answers.shift() ?? 0,
    twin: () => pass(0.5),
  });
  const loud = new Float32Array(FRAME_SAMPLES).fill(0.1);
  expect([1, 2, 3].map(() => engine.infer(loud))).toEqual([0.95, 0.95, expect.closeTo(0.65)]);
});

/** Gives `probability`, and writes down how far from zero each frame goes. */
const pass = (probability: number, peaks: number[] = []): SpeechEngine => ({
  kind: 'kernel',
  infer(samples) {
    peaks.push(Math.max(...samples));
    return probability;
  },
  reset() {},
  dispose() {},
});

test.each([
  ['20 dB at most', 0.001, 0.01],
  ['up to -25 dBFS', 0.02, 10 ** (-25 / 20)],
  ['not down', 0.5, 0.5],
])('the second pass hears quiet sound louder: %s', async (_what, sample, expected) => {
  const peaks: number[] = [];
  const engine = createSteadyEngine({ ...pass(0.05), twin: () => pass(0.05, peaks) });
  const sound = new Float32Array(FRAME_SAMPLES).fill(sample);
  await engine.infer(sound);
  expect(sound[0]).toBe(Math.fround(sample));
  expect(peaks).toEqual([expect.closeTo(expected, 4)]);
});

test('a few key clicks do not keep quiet speech quiet for the second pass', async () => {
  const peaks: number[] = [];
  const unsure = (samples: Float32Array) => (samples[0] === Math.fround(0.02) ? 0.02 : 0);
  const engine = createSteadyEngine({
    ...pass(0),
    infer: unsure,
    twin: () => pass(0.9, peaks),
  });
  const sound = new Float32Array(FRAME_SAMPLES);
  for (let i = 0; i < 39; i++) {
    sound[0] = i % 15 === 0 ? 1 : 0.021;
    await engine.infer(sound);
  }
  sound[0] = 0.02;
  await engine.infer(sound);
  expect(peaks).toHaveLength(RECENT_FRAMES);
  expect(peaks.at(-1)).toBeCloseTo(0.2, 3);
  expect(Math.max(...peaks)).toBe(1);
});

test('answers at once or later are the same, never below the first pass, and its own where that is sure', async () => {
  const probability = fc.oneof(
    fc.constantFrom(0, 0.0009, 0.001, 0.02),
    fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
  );
  const scripts = fc.array(fc.tuple(probability, probability), { minLength: 1, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const given = await feed(scriptedEngine(false).engine, script);
      expect(await feed(scriptedEngine(true).engine, script)).toEqual(given);
      for (const [i, [first]] of script.entries()) expect(given[i]).toBeGreaterThanOrEqual(first);
      if (script.every(([first]) => first < UNSURE_PROBABILITY)) {
        expect(given).toEqual(script.map(([first]) => first));
      }
    }),
    { numRuns: 60 },
  );
});

const times = <T>(count: number, value: T): T[] => Array(count).fill(value);

/** An engine and the second pass's task for each frame, where both passes give the same. */
function watchedEngine() {
  let task = 'rest';
  let probability = 0;
  const engine = createSteadyEngine({
    ...pass(0),
    infer: () => probability,
    twin: () => ({
      ...pass(0),
      infer() {
        if (task === 'rest') task = 'follow';
        return probability;
      },
      reset() {
        task = 'begin';
      },
    }),
  });
  const sound = new Float32Array(FRAME_SAMPLES).fill(0.1);
  const tasksOf = (row: readonly number[]) =>
    row.map((next) => {
      task = 'rest';
      probability = next;
      engine.infer(sound);
      return task;
    });
  return { engine, tasksOf };
}

const rows = fc
  .array(
    fc.tuple(
      fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.0009, 0.001, 0.8)),
      fc.integer({ min: 1, max: 40 }),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((runs) => runs.flatMap(([probability, count]) => times(count, probability)));

test('the second pass rests in quiet, and in speech that is sure from its first frame', () => {
  const tasks = watchedEngine().tasksOf([...times(700, 0.0009), ...times(50, 0.95)]);
  expect(new Set(tasks)).toEqual(new Set(['rest']));
});

test('it begins at an unsure frame, and follows until twenty frames without one', () => {
  const tasks = watchedEngine().tasksOf([0, 0.001, 0.7, 0.99, ...times(20, 0), 0.5]);
  expect(tasks).toEqual(['rest', 'begin', 'follow', ...times(20, 'follow'), 'rest', 'begin']);
});

test('it begins anew where nobody speaks for long, and not in the middle of speech', () => {
  const wordless = watchedEngine().tasksOf(times(160, 0.1));
  expect(wordless.flatMap((task, i) => (task === 'begin' ? [i] : []))).toEqual(
    [0, 1, 2, 3].map((n) => n * RECENT_FRAMES),
  );
  const spoken = Array.from({ length: 300 }, (_, i) => (i % 8 === 7 ? 0.9 : 0.3));
  expect(
    watchedEngine()
      .tasksOf(spoken)
      .filter((task) => task === 'begin'),
  ).toHaveLength(1);
});

test('any row: every unsure frame is heard by it, and after a reset it is as new', () => {
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const { engine, tasksOf } = watchedEngine();
      for (const [i, task] of tasksOf(before).entries()) {
        const probability = before[i]!;
        if (task === 'begin') expect(probability).toBeGreaterThanOrEqual(UNSURE_PROBABILITY);
        if (task === 'rest') {
          expect(probability < UNSURE_PROBABILITY || probability >= 0.8).toBe(true);
        }
      }
      engine.reset();
      expect(tasksOf(after)).toEqual(watchedEngine().tasksOf(after));
    }),
    { numRuns: 50 },
  );
});

test('after a reset nothing from before it is heard again', async () => {
  const { engine, heard } = scriptedEngine(false);
  await feed(engine, [...quiet(30), [0.5, 0.5]]);
  engine.reset();
  expect(heard.first).toEqual([]);
  expect(
    await feed(
      engine,
      [
        [0, 0.9],
        [0.1, 0.4],
      ],
      100,
    ),
  ).toEqual([0, 0.46]);
  expect(heard.second).toEqual([100, 101]);
});

test('later answers: a second frame is refused, and a reset meanwhile holds', async () => {
  const { engine, heard } = scriptedEngine(true);
  await feed(engine, quiet(30));
  frame.set([0.2, 0.9, 0.03, LOUD]);
  const first = engine.infer(frame);
  await expect(engine.infer(frame)).rejects.toMatchObject({ code: 'engine-failed' });
  engine.reset();
  expect(await first).toBeCloseTo(0.2);
  frame.fill(0);
  expect(await engine.infer(frame)).toBe(0);
  expect(await feed(engine, [[0.2, 0.7]], 50)).toEqual([0.76]);
  expect(heard.second).toEqual([50]);
});

test('disposed of, both give their memory back', async () => {
  const { engine, disposed } = scriptedEngine(false);
  await engine.dispose();
  expect(disposed).toEqual(['first', 'second']);
});
