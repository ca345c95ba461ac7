import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createInbox } from '../../src/core/audio/frame-inbox.ts';
import type { FrameMessage } from '../../src/core/audio/frame-protocol.ts';
import type { SampleRange } from '../../src/core/audio/sample-range.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { SpeechChunk } from '../../src/core/speech/speech-chunk.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSpeechPipeline, type PipelineFacts } from '../../workers/session/speech-pipeline.ts';
import { tone } from '../helpers/tones.ts';

const FRAME = 1_536;
const TURN = { isGivenUp: false };
const QUIET = { error() {}, warn() {}, info() {} };

/**
 * Takes each frame's first sample for its probability, so that a test can write the probabilities
 * it wants.
 */
function engineOf(infer: (frame: Float32Array) => number | Promise<number>): SpeechEngine {
  return { model: 'v6', kind: 'ort', infer, reset() {}, dispose() {} };
}

const byFirstSample = engineOf((frame) => frame[0] ?? 0);

function frameOf(startSample: number, probability: number, length = FRAME): FrameMessage {
  return { kind: 'frame', startSample, samples: new Float32Array(length).fill(probability) };
}

function setUp(engine: Promise<SpeechEngine | null>, minSpeechFrames = 1) {
  const chunks: SpeechChunk[] = [];
  const facts: PipelineFacts[] = [];
  const silences: SampleRange[] = [];
  const failures: unknown[] = [];
  const vad = { ...DEFAULT_SESSION_OPTIONS.vad, minSpeechFrames };
  const pipeline = createSpeechPipeline({
    engine,
    options: { ...DEFAULT_SESSION_OPTIONS, vad },
    log: QUIET,
    onChunk: (chunk) => chunks.push(chunk),
    onFrame: (fact) => facts.push(fact),
    onSilence: (range) => silences.push(range),
    onEngineFailed: (error) => failures.push(error),
  });
  return { pipeline, chunks, facts, silences, failures };
}

async function feed(
  pipeline: ReturnType<typeof setUp>['pipeline'],
  messages: readonly FrameMessage[],
): Promise<void> {
  for (const message of messages) await pipeline.take(message, TURN);
}

function framesOf(probabilities: readonly number[]): FrameMessage[] {
  return probabilities.map((probability, index) => frameOf(index * FRAME, probability));
}

const chunkedSamples = (chunks: readonly SpeechChunk[]) =>
  chunks.reduce((total, chunk) => total + chunk.samples.length, 0);

test('a frame tells its level, its peak, and what lies above the band of a telephone', async () => {
  const { pipeline, facts } = setUp(Promise.resolve(null));
  const frames = [7_000, 7_000, 1_000, 1_000].map((hz, index): FrameMessage => {
    return { kind: 'frame', startSample: index * FRAME, samples: tone(hz, 16_000, FRAME) };
  });
  await feed(pipeline, frames);
  expect(facts.map(({ levelDbfs }) => Math.round(levelDbfs))).toEqual([-3, -3, -3, -3]);
  expect(facts.map(({ peakDbfs }) => Math.round(peakDbfs))).toEqual([0, 0, 0, 0]);
  expect(facts[1]?.highBandDbfs).toBeGreaterThan(-4);
  expect(facts[3]?.highBandDbfs).toBeLessThan(-90);
});

describe('without an engine, everything is kept', () => {
  test('when none could be loaded', async () => {
    const { pipeline, chunks } = setUp(Promise.resolve(null));
    await feed(pipeline, framesOf([0, 0, 0]));
    pipeline.flush();
    expect(chunkedSamples(chunks)).toBe(3 * FRAME);
  });

  test.each([
    [
      'throws',
      engineOf((frame) => {
        if (frame[0] === 0.5) throw new Error('x');
        return 0;
      }),
    ],
    [
      'rejects',
      engineOf((frame) => (frame[0] === 0.5 ? Promise.reject(new Error('x')) : Promise.resolve(0))),
    ],
  ])('from the frame on at which it %s, and that is told once', async (_how, engine) => {
    const { pipeline, chunks, failures, facts } = setUp(Promise.resolve(engine));
    await feed(pipeline, framesOf([0, 0.5, 0.5, 0]));
    pipeline.flush();
    expect(facts).toHaveLength(4);
    expect(failures).toHaveLength(1);
    expect(chunkedSamples(chunks)).toBe(4 * FRAME); // the first as padding
  });

  test('when it hangs: the inbox gives its turn up and the rest goes on', async () => {
    const hanging = engineOf(() => new Promise<number>(() => {}));
    const { pipeline, chunks, failures } = setUp(Promise.resolve(hanging));
    const inbox = createInbox<FrameMessage>({
      handle: (message, turn) => pipeline.take(message, turn),
      overload: { limit: 4, handle: (message) => pipeline.takeWithoutEngine(message) },
      onError: (error) => pipeline.giveUpEngine(error),
    });
    const messages = framesOf(new Array<number>(12).fill(0));
    for (const message of messages) inbox.push(message);
    await inbox.whenIdle();
    pipeline.flush();
    expect(failures).toHaveLength(1);
    expect(chunkedSamples(chunks)).toBe(12 * FRAME);
  });
});

describe('the order of frames and marks', () => {
  test('a pause keeps what was said and padding does not reach across it', async () => {
    const { pipeline, chunks } = setUp(Promise.resolve(byFirstSample));
    const atSample = 2 * FRAME + 100;
    await feed(pipeline, [
      frameOf(0, 0.9),
      frameOf(FRAME, 0.9),
      frameOf(2 * FRAME, 0.1, 100),
      { kind: 'paused', atSample },
      { kind: 'resumed', atSample },
      frameOf(atSample, 0.1),
      frameOf(atSample + FRAME, 0.9),
    ]);
    pipeline.flush();
    expect(chunks.flatMap((chunk) => chunk.ranges)).toEqual([
      { startSample: 0, endSample: atSample },
      { startSample: atSample, endSample: atSample + 2 * FRAME },
    ]);
  });
});

test('every sample is either in a chunk or given up as silence, once', async () => {
  const probability = fc.constantFrom(0, 0.2, 0.5, 0.85, 1);
  const step = fc.oneof(
    { weight: 12, arbitrary: fc.record({ probability, length: fc.constant(FRAME) }) },
    {
      weight: 1,
      arbitrary: fc.record({ probability, length: fc.integer({ min: 1, max: FRAME }) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const { pipeline, chunks, silences } = setUp(Promise.resolve(byFirstSample));
      let at = 0;
      for (const { probability: wanted, length } of steps) {
        await pipeline.take(frameOf(at, wanted, length), TURN);
        at += length;
        if (length < FRAME) await pipeline.take({ kind: 'paused', atSample: at }, TURN);
      }
      pipeline.flush();
      const spoken = chunks.flatMap((chunk) => [...chunk.ranges]);
      const all = [...spoken, ...silences].sort((a, b) => a.startSample - b.startSample);
      let covered = 0;
      for (const { startSample, endSample } of all) {
        expect(startSample).toBeGreaterThanOrEqual(covered);
        covered = endSample;
      }
      // Silence at the very end may still be held back as padding for speech that never came.
      expect(covered).toBeLessThanOrEqual(at);
      const gaps = at - all.reduce((sum, range) => sum + range.endSample - range.startSample, 0);
      expect(gaps).toBeLessThanOrEqual(11 * FRAME);
    }),
    { seed: 20_261_121, numRuns: 200 },
  );
});
