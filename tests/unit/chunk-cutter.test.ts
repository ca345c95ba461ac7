import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FRAME_SAMPLES,
  msToSamples,
  rangeSamples,
  SAMPLE_RATE_HZ,
  type SampleRange,
} from '../../src/core/audio/audio-format.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { createChunkCutter } from '../../src/core/speech/chunk-cutter.ts';
import { createSpeechGate } from '../../src/core/speech/speech-gate.ts';
import { RECORDING_VAD_OPTIONS } from '../../src/core/speech/vad-options.ts';
import {
  type CutSession,
  cutSession,
  mergeRanges,
  type SessionFrame,
} from '../helpers/cut-session.ts';
import { firstDifference } from '../helpers/first-difference.ts';
import { placedAudio, placedPcm } from '../helpers/placed-pcm.ts';

const LIMIT_SAMPLES = msToSamples(90_000);
const SPEECH: SessionFrame = { lengthSamples: FRAME_SAMPLES, probability: 0.95 };
const SILENCE: SessionFrame = { lengthSamples: FRAME_SAMPLES, probability: 0.01 };

function repeat(frame: SessionFrame, times: number): readonly SessionFrame[] {
  return Array.from({ length: times }, () => frame);
}

/** The invariants of every session. */
function expectWhole(session: CutSession, maxChunkSamples: number): void {
  expect(session.chunks.map((chunk) => chunk.number)).toEqual([...session.chunks.keys()]);
  expect(session.cutter.nextNumber).toBe(session.chunks.length);
  expect(session.cutter.accumulatedSamples).toBe(0);
  expect(session.mostAccumulatedSamples).toBeLessThan(maxChunkSamples);
  for (const chunk of session.chunks) {
    expect(chunk.samples.length).toBeGreaterThan(0);
    expect(chunk.samples.length).toBeLessThanOrEqual(maxChunkSamples);
    expect(firstDifference(chunk.samples, placedAudio(chunk.ranges))).toBeNull();
  }
  for (const [index, chunk] of session.chunks.entries()) {
    const endSample = chunk.ranges.at(-1)?.endSample ?? 0;
    const next = session.chunks[index + 1]?.ranges[0]?.startSample;
    const isInside = session.segments.some(
      (segment) => segment.startSample < endSample && endSample < segment.endSample,
    );
    if (isInside) expect(chunk.endsInSpeech).toBe(true);
    // The speech at the cut may have turned out to be a misfire: then another segment follows.
    const isFollowedByAnother = session.segments.some(({ startSample }) => startSample === next);
    if (isFollowedByAnother && session.misfires.length === 0) {
      expect(chunk.endsInSpeech).toBe(false);
    }
  }
  const total = session.chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0);
  expect(session.cutter.speechSamples).toBe(total);
}

function isWithinOne(range: SampleRange, others: readonly SampleRange[]): boolean {
  return others.some(
    (other) => range.startSample >= other.startSample && range.endSample <= other.endSample,
  );
}

const anyProbability = fc.oneof(
  { weight: 3, arbitrary: fc.double({ min: 0.8, max: 1, noNaN: true }) },
  { weight: 2, arbitrary: fc.double({ min: 0, max: 0.35, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
);

const anyFrame: fc.Arbitrary<SessionFrame> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      lengthSamples: fc.constant(FRAME_SAMPLES),
      probability: anyProbability,
      levelDbfs: fc.integer({ min: -60, max: -10 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      lengthSamples: fc.integer({ min: 1, max: FRAME_SAMPLES }),
      probability: anyProbability,
      pauseAfter: fc.constant(true),
    }),
  },
);

const anyFrames = fc.array(anyFrame, { minLength: 1, maxLength: 120, size: 'max' });

const anyVad = fc.record({
  positiveSpeechThreshold: fc.constant(0.8),
  negativeSpeechThreshold: fc.constant(0.35),
  redemptionFrames: fc.integer({ min: 0, max: 8 }),
  frameSamples: fc.constant(FRAME_SAMPLES),
  minSpeechFrames: fc.constant(1),
  preSpeechPadFrames: fc.integer({ min: 0, max: 12 }),
});

const anyCut = fc.record({
  maxChunkSamples: fc.integer({ min: 1_000, max: 60_000 }),
  searchSamples: fc.integer({ min: 0, max: 40_000 }),
});

describe('chunks of any session', () => {
  it('are exactly its segments', () => {
    fc.assert(
      fc.property(anyFrames, anyVad, anyCut, (frames, vad, cut) => {
        const session = cutSession(frames, vad, cut);
        expectWhole(session, cut.maxChunkSamples);
        const ranges = session.chunks.flatMap((chunk) => chunk.ranges);
        expect(mergeRanges(ranges)).toEqual(mergeRanges(session.segments));
      }),
      { seed: 90_000, numRuns: 150 },
    );
  });

  it('hold every segment, and of misfires only what had been cut before', () => {
    const withMisfires = anyVad.chain((vad) =>
      fc.integer({ min: 2, max: 6 }).map((minSpeechFrames) => ({ ...vad, minSpeechFrames })),
    );
    fc.assert(
      fc.property(anyFrames, withMisfires, anyCut, (frames, vad, cut) => {
        const session = cutSession(frames, vad, cut);
        expectWhole(session, cut.maxChunkSamples);
        const ranges = session.chunks.flatMap((chunk) => chunk.ranges);
        const misfired = ranges.filter((range) => isWithinOne(range, session.misfires));
        const spoken = ranges.filter((range) => !misfired.includes(range));
        expect(mergeRanges(spoken)).toEqual(mergeRanges(session.segments));
        for (const misfire of session.misfires) {
          const searched = Math.min(cut.searchSamples, Math.floor(cut.maxChunkSamples / 2));
          const isTooShortToCut = rangeSamples(misfire) <= searched;
          if (isTooShortToCut)
            expect(misfired.some((range) => isWithinOne(range, [misfire]))).toBe(false);
        }
      }),
      { seed: 4_711, numRuns: 100 },
    );
  });
});

describe('the 90 s rule', () => {
  const cut = { maxChunkSamples: LIMIT_SAMPLES };

  it('cuts ten minutes without a pause into chunks of 80 to 90 s', () => {
    const frames = Array.from({ length: 6_250 }, (_, index) => ({
      lengthSamples: FRAME_SAMPLES,
      probability: 0.8 + 0.2 * Math.abs(Math.sin(index * 12.9898)),
    }));
    const session = cutSession(frames, RECORDING_VAD_OPTIONS, cut);
    expectWhole(session, LIMIT_SAMPLES);
    expect(session.segments).toEqual([{ startSample: 0, endSample: 600 * SAMPLE_RATE_HZ }]);
    for (const chunk of session.chunks.slice(0, -1)) {
      expect(chunk.samples.length).toBeGreaterThanOrEqual(80 * SAMPLE_RATE_HZ);
    }
    expect(session.chunks.length).toBeLessThanOrEqual(8);
  });

  it('cuts at once when the limit is reached, and not before', () => {
    const cutter = createChunkCutter({
      ...cut,
      preSpeechPadFrames: 0,
      positiveSpeechThreshold: 0.3,
    });
    cutter.event({ kind: 'speech-started', startSample: 0 });
    const pcm = new Int16Array(FRAME_SAMPLES);
    const cutsAt: number[] = [];
    for (let frame = 0; frame < 940; frame += 1) {
      const startSample = frame * FRAME_SAMPLES;
      const chunks = cutter.frame({ startSample, pcm, probability: 0.9, levelDbfs: -20 });
      if (chunks.length > 0) cutsAt.push(startSample + FRAME_SAMPLES);
    }
    expect(cutsAt).toEqual([Math.ceil(LIMIT_SAMPLES / FRAME_SAMPLES) * FRAME_SAMPLES]);
  });

  it('takes the latest boundary between segments within the last 10 s', () => {
    const sentence = [...repeat(SPEECH, 32), ...repeat(SILENCE, 20)];
    const frames = Array.from({ length: 40 }, () => sentence).flat();
    const session = cutSession(frames, RECORDING_VAD_OPTIONS, cut);
    expectWhole(session, LIMIT_SAMPLES);
    const [first] = session.chunks;
    const inFirst = session.segments.slice(0, first?.ranges.length);
    expect(first?.ranges).toEqual(inFirst);
    const next = session.segments[inFirst.length];
    expect(next && rangeSamples(next) + (first?.samples.length ?? 0)).toBeGreaterThan(
      LIMIT_SAMPLES,
    );
  });

  it('leaves a boundary more than 10 s before the limit alone', () => {
    const frames = [...repeat(SPEECH, 700), ...repeat(SILENCE, 30), ...repeat(SPEECH, 400)];
    const session = cutSession(
      frames,
      { ...RECORDING_VAD_OPTIONS, preSpeechPadFrames: 0, positiveSpeechThreshold: 0.3 },
      cut,
    );
    expectWhole(session, LIMIT_SAMPLES);
    expect(session.chunks[0]?.ranges.length).toBe(2);
    expect(session.chunks[0]?.samples.length).toBeGreaterThan(80 * SAMPLE_RATE_HZ);
  });

  it('cuts inside the frames that are least like speech when nobody pauses', () => {
    const frames = Array.from({ length: 1_000 }, (_, index) => ({
      ...SPEECH,
      probability: index === 900 || index === 901 ? 0.6 : index === 910 ? 0.5 : 0.9,
    }));
    const session = cutSession(frames, RECORDING_VAD_OPTIONS, cut);
    expectWhole(session, LIMIT_SAMPLES);
    const cutSample = session.chunks[0]?.ranges[0]?.endSample ?? 0;
    expect(cutSample / FRAME_SAMPLES).toBeGreaterThan(900);
    expect(cutSample / FRAME_SAMPLES).toBeLessThan(902);
  });

  it('lets the quieter of two near ties have it', () => {
    const frames = Array.from({ length: 1_000 }, (_, index) => ({
      ...SPEECH,
      probability:
        index === 880 || index === 881 ? 0.52 : index >= 920 && index <= 921 ? 0.51 : 0.9,
      levelDbfs: index === 880 || index === 881 ? -55 : -30,
    }));
    const session = cutSession(frames, RECORDING_VAD_OPTIONS, cut);
    const cutSample = session.chunks[0]?.ranges[0]?.endSample ?? 0;
    expect(Math.floor(cutSample / FRAME_SAMPLES)).toBeGreaterThanOrEqual(880);
    expect(Math.ceil(cutSample / FRAME_SAMPLES)).toBeLessThanOrEqual(882);
  });

  it('finds the 20 ms of silence inside those frames', () => {
    const cutter = createChunkCutter({
      maxChunkSamples: 40_000,
      preSpeechPadFrames: 0,
      positiveSpeechThreshold: 0.3,
    });
    cutter.event({ kind: 'speech-started', startSample: 0 });
    const quietFrom = 21 * FRAME_SAMPLES + 300;
    const chunks = Array.from({ length: 27 }, (_, frame) => {
      const startSample = frame * FRAME_SAMPLES;
      const pcm = Int16Array.from({ length: FRAME_SAMPLES }, (_, index) => {
        const isQuiet = startSample + index >= quietFrom && startSample + index < quietFrom + 400;
        return isQuiet ? 3 : 10_000;
      });
      const probability = frame === 20 || frame === 21 ? 0.7 : 0.9;
      return cutter.frame({ startSample, pcm, probability, levelDbfs: -20 });
    }).flat();
    const cutSample = chunks[0]?.ranges[0]?.endSample ?? 0;
    expect(cutSample).toBeGreaterThanOrEqual(quietFrom + 80);
    expect(cutSample).toBeLessThanOrEqual(quietFrom + 320);
  });
});

describe('edges', () => {
  it('ends a segment before a hole in the audio and keeps what comes after', () => {
    const cutter = createChunkCutter({
      maxChunkSamples: LIMIT_SAMPLES,
      preSpeechPadFrames: 10,
      positiveSpeechThreshold: 0.3,
    });
    const gate = createSpeechGate(RECORDING_VAD_OPTIONS, (event) => cutter.event(event));
    for (const startSample of [0, FRAME_SAMPLES, 9 * FRAME_SAMPLES]) {
      const pcm = placedPcm(startSample, FRAME_SAMPLES);
      cutter.frame({ startSample, pcm, probability: 0.9, levelDbfs: -20 });
      gate.accept(startSample, FRAME_SAMPLES, 0.9);
    }
    const chunk = cutter.flush();
    expect(chunk?.ranges).toEqual([
      { startSample: 0, endSample: 2 * FRAME_SAMPLES },
      { startSample: 9 * FRAME_SAMPLES, endSample: 10 * FRAME_SAMPLES },
    ]);
    expect(chunk?.samples).toEqual(placedAudio(chunk?.ranges ?? []));
  });

  it.each([0, 1, Number.NaN, -5])('refuses chunks of at most %s samples', (maxChunkSamples) => {
    expect(() =>
      createChunkCutter({ maxChunkSamples, preSpeechPadFrames: 0, positiveSpeechThreshold: 0.3 }),
    ).toThrow(DikteraError);
  });
});
