import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FrameMessage } from '../../src/core/audio/frame-protocol.ts';
import { downMix, samplesOf, toPcm16 } from '../../src/core/audio/samples.ts';
import { createGapWatch, createStandstillWatch } from '../../worklets/capture-pipeline.ts';
import { firstDifference } from '../helpers/first-difference.ts';
import { joinFrames } from '../helpers/join-frames.ts';
import { newPipelineRun } from '../helpers/pipeline-run.ts';
import { newResampler, resampleWhole } from '../helpers/speex.ts';
import { measureTone, tone } from '../helpers/tones.ts';

const RATES_HZ = [8_000, 16_000, 44_100, 48_000, 96_000];

function kinds(messages: readonly FrameMessage[]): string {
  return messages.map((message) => message.kind).join(' ');
}

/** Sound to the precision of what is recorded. */
function asKept(samples: Float32Array): Float32Array {
  return samplesOf([toPcm16(samples)]);
}

describe.each(RATES_HZ)('at %i Hz', (rateHz) => {
  test('any blocks up to 10,000 frames come out as one piece of audio, complete', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 10 }),
        (blocks) => {
          const frames = blocks.reduce((sum, block) => sum + block, 0);
          const input = tone(440, rateHz, frames);
          const { pipeline, messages, feed } = newPipelineRun(rateHz);
          let at = 0;
          for (const block of blocks) {
            const left = input.subarray(at, at + block);
            // A second channel of silence halves the mean.
            feed([left, new Float32Array(block)]);
            at += block;
          }
          pipeline.end();

          const expected = resampleWhole(
            newResampler(rateHz),
            input.map((value) => value / 2),
          );
          expect(firstDifference(joinFrames(messages), asKept(expected))).toBeNull();
          expect(messages.at(-1)).toEqual({
            kind: 'ended',
            atSample: Math.round((frames * 16_000) / rateHz),
            inputFrames: frames,
          });
        },
      ),
      { seed: 6, numRuns: 15 },
    );
  });

  test('pausing and resuming at any block: nothing heard is lost, nothing paused is kept', () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 4_096 }) },
      fc.constantFrom('pause' as const, 'resume' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { pipeline, messages, feed } = newPipelineRun(rateHz);
        let state: 'pause' | 'resume' = 'resume';
        let heard = 0;
        for (const next of steps) {
          if (typeof next === 'string') {
            state = next;
            pipeline[state]();
            continue;
          }
          feed([new Float32Array(next).fill(state === 'pause' ? 1 : 0)]);
          heard += state === 'pause' ? 0 : next;
        }
        pipeline.end();
        const audio = joinFrames(messages);
        expect(audio.length).toBe(Math.round((heard * 16_000) / rateHz));
        expect(audio.every((value) => value === 0)).toBe(true);
        expect(messages.at(-1)).toMatchObject({ kind: 'ended', inputFrames: heard });
      }),
      { seed: 7, numRuns: 20 },
    );
  });
});

describe.each([44_100, 48_000])('ten minutes at %i Hz', (rateHz) => {
  test('neither a sample nor a thousandth of one is lost', { timeout: 30_000 }, () => {
    const { pipeline, messages, feed } = newPipelineRun(rateHz);
    const seconds = 600;
    // 100 Hz has whole periods in a second, so one second serves for all.
    const second = tone(100, rateHz, rateHz);
    let audioSamples = 0;
    let firstSecond = new Float32Array(0);
    let kept: FrameMessage[] = [];
    for (let played = 0; played < rateHz * seconds; played += 128) {
      const from = played % rateHz;
      // At 44,100 Hz blocks wrap round the second: that block is made of two parts.
      const block = second.slice(from, from + Math.min(128, rateHz * seconds - played));
      const missing = Math.min(128, rateHz * seconds - played) - block.length;
      feed([missing > 0 ? Float32Array.of(...block, ...second.subarray(0, missing)) : block]);
      if (messages.length < 12) continue;
      if (firstSecond.length === 0) firstSecond = joinFrames(messages).slice(0, 16_000);
      // The latest two seconds are kept.
      kept = [...kept, ...messages].slice(-24);
      audioSamples += messages.length * 1_536;
      messages.length = 0;
    }
    pipeline.end();
    kept = [...kept, ...messages];
    for (const message of messages) {
      if (message.kind === 'frame') audioSamples += message.pcm.length;
    }

    expect(audioSamples).toBe(16_000 * seconds);
    expect(messages.at(-1)).toEqual({
      kind: 'ended',
      atSample: 16_000 * seconds,
      inputFrames: rateHz * seconds,
    });
    const tail = samplesOf(
      kept.flatMap((message) => (message.kind === 'frame' ? [message.pcm] : [])),
    );
    // One second that ends two periods before the end, where the filter still looks ahead.
    const lastSecond = tail.slice(-16_320, -320);
    const before = measureTone(firstSecond, 100, 16_000);
    const after = measureTone(lastSecond, 100, 16_000);
    expect(Math.abs(after.phaseSamples - before.phaseSamples)).toBeLessThan(0.001);
    expect(Math.abs(after.amplitude - 1)).toBeLessThan(0.001);
  });
});

test('marks stand where they belong, and doing things twice does nothing more', () => {
  const { pipeline, messages, feed } = newPipelineRun(48_000);
  pipeline.resume();
  feed([new Float32Array(4_800)]);
  pipeline.pause();
  pipeline.pause();
  feed([new Float32Array(4_800)]);
  pipeline.resume();
  pipeline.resume();
  feed([new Float32Array(4_800)]);
  pipeline.end();
  pipeline.end();
  pipeline.resume();
  pipeline.pause();
  feed([new Float32Array(4_800)]);
  expect(kinds(messages)).toBe('frame frame paused resumed frame frame ended');
  expect(joinFrames(messages)).toHaveLength(3_200);
});

test('ending while paused sends no audio', () => {
  const { pipeline, messages, feed } = newPipelineRun(44_100);
  feed([new Float32Array(441)]);
  pipeline.pause();
  feed([new Float32Array(441)]);
  pipeline.end();
  expect(messages.slice(1)).toEqual([
    { kind: 'paused', atSample: 160 },
    { kind: 'ended', atSample: 160, inputFrames: 441 },
  ]);
});

test('ending before any audio ends at 0', () => {
  const { pipeline, messages, feed } = newPipelineRun(44_100);
  feed([]);
  pipeline.end();
  expect(messages).toEqual([{ kind: 'ended', atSample: 0, inputFrames: 0 }]);
});

test('blocks without channels are nothing before the first sound and silence after it', () => {
  const { pipeline, messages, feed } = newPipelineRun(16_000);
  feed([]);
  feed([]);
  feed([new Float32Array(128).fill(1)]);
  feed([]);
  feed([new Float32Array(128).fill(1)]);
  pipeline.end();
  const audio = joinFrames(messages);
  expect(audio).toHaveLength(384);
  expect(audio.subarray(128, 256).every((value) => value === 0)).toBe(true);
});

test('a gap is marked with what is lost, and the audio goes on in phase', () => {
  const { pipeline, messages, feed } = newPipelineRun(48_000);
  const input = tone(300, 48_000, 24_000);
  for (let at = 0; at < input.length; at += 480) {
    feed([input.subarray(at, at + 480)], at === 9_600 ? 1_280 : 0);
  }
  pipeline.end();
  const gaps = messages.filter((message) => message.kind === 'gap');
  expect(gaps).toEqual([{ kind: 'gap', atSample: 3_200, lostInputFrames: 1_280 }]);
  // The mark is there before the frame with the joint in it.
  expect(kinds(messages)).toMatch(/^frame frame gap frame/);
  const expected = resampleWhole(newResampler(48_000), input);
  expect(firstDifference(joinFrames(messages), asKept(expected))).toBeNull();
});

test('blocks skipped while paused are no gap', () => {
  const { pipeline, messages, feed } = newPipelineRun(48_000);
  const block = [new Float32Array(128)];
  feed(block);
  feed(block);
  pipeline.pause();
  feed(block, 1_280);
  pipeline.resume();
  feed(block);
  pipeline.end();
  expect(kinds(messages)).toBe('frame paused resumed frame ended');
});

test.each<[string, readonly number[], readonly number[]]>([
  ['a leap of the clock is the length of a loss', [0, 128, 384, 512, 1_024], [0, 0, 128, 0, 384]],
  [
    'a clock that stands still and catches up is none',
    [0, 128, 128, 128, 512, 640],
    [0, 0, 0, 0, 0, 0],
  ],
  ['a loss shows behind a clock that stood still', [0, 128, 128, 512], [0, 0, 0, 128]],
  [
    'the first block may come before the clock is set',
    [0, 0, 5_120, 5_248, 5_504],
    [0, 0, 0, 0, 128],
  ],
])('skipped blocks: %s', (_rule, blockFrames, lost) => {
  const watch = createGapWatch();
  expect(blockFrames.map((blockFrame) => watch.advance(blockFrame, 128))).toEqual(lost);
});

describe('a standstill', () => {
  const BLOCK_MS = (128 * 1_000) / 48_000;

  function setUp() {
    let nowMs = 1_700_000_000_000;
    let readings = 0;
    const watch = createStandstillWatch(48_000, () => {
      readings += 1;
      return Math.floor(nowMs);
    });
    return {
      /** Audio as it comes; answers the standstills that were found. */
      play(ms: number, speed = 1): number[] {
        const found: number[] = [];
        for (let at = 0; at < ms; at += BLOCK_MS) {
          nowMs += BLOCK_MS / speed;
          const unheardMs = watch.advance(128);
          if (unheardMs > 0) found.push(unheardMs);
        }
        return found;
      },
      wait(ms: number) {
        nowMs += ms;
      },
      readings: () => readings,
    };
  }

  test('is found within 100 ms of audio, once, with its length', () => {
    const { play, wait, readings } = setUp();
    expect(play(3_333)).toEqual([]);
    for (const standstillMs of [12_000, 2_000]) {
      wait(standstillMs);
      const [found = 0, ...more] = play(100);
      expect(Math.abs(found - standstillMs)).toBeLessThan(5);
      expect([...more, ...play(500)]).toEqual([]);
    }
    // The clock is read ten times a second.
    expect(readings()).toBeLessThanOrEqual(50);
  });

  test('is no stutter, no burst, and no clock that is faster or set back', () => {
    const { play, wait } = setUp();
    expect(play(500, 100)).toEqual([]);
    for (let burst = 0; burst < 10; burst += 1) {
      wait(900);
      expect(play(900, 1_000)).toEqual([]);
    }
    wait(-3_600_000);
    expect(play(1_000)).toEqual([]);
  });
});

test('mono is the mean of all channels, of the frames asked for, and no more is written', () => {
  const samples = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), {
    minLength: 8,
    maxLength: 8,
  });
  fc.assert(
    fc.property(
      fc.array(samples, { maxLength: 6 }),
      fc.nat(4),
      fc.nat(4),
      (channels, from, frames) => {
        const target = new Float32Array(8).fill(7);
        const arrays = channels.map((values) => Float32Array.from(values));
        downMix(arrays, from, frames, target);
        for (let i = 0; i < frames; i++) {
          const sum = channels.reduce((total, values) => total + values[from + i]!, 0);
          expect(target[i]).toBeCloseTo(sum / Math.max(1, channels.length), 5);
        }
        expect([...target.subarray(frames)].every((value) => value === 7)).toBe(true);
      },
    ),
    { seed: 1 },
  );
});
