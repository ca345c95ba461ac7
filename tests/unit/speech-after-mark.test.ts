import { expect, test } from 'vitest';
import { FRAME_SAMPLES, type SampleRange } from '../../src/core/audio/audio-format.ts';
import type { FrameMessage } from '../../src/core/audio/frame-protocol.ts';
import { toPcm16 } from '../../src/core/audio/samples.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';
import { createSpeechPipeline } from '../../workers/session/speech-pipeline.ts';
import { type GateScene, makeScene, scoreOf } from '../helpers/gate-scene.ts';
import { LABEL_SAMPLES, readClips } from '../helpers/labelled-speech.ts';
import * as sounds from '../helpers/made-sounds.ts';
import { nodeKernel } from '../helpers/node-kernel.ts';

const TURN = { isGivenUp: false };

const MARKS = {
  paused: (atSample: number): FrameMessage[] => [
    { kind: 'paused', atSample },
    { kind: 'resumed', atSample },
  ],
  gap: (atSample: number): FrameMessage[] => [{ kind: 'gap', atSample, lostInputFrames: 480 }],
  lost: (atSample: number): FrameMessage[] => [{ kind: 'lost', atSample, lostSamples: 0 }],
  none: (): FrameMessage[] => [],
};

/** The ranges that a session keeps of a scene, with a mark just before each clip, or none. */
async function keptOf(scene: GateScene, kind: keyof typeof MARKS): Promise<SampleRange[]> {
  const silences: SampleRange[] = [];
  const pipeline = createSpeechPipeline({
    engine: nodeKernel().then(createSteadyEngine),
    options: DEFAULT_SESSION_OPTIONS,
    log: { error() {}, warn() {}, info() {} },
    onChunk: () => undefined,
    onFrame: () => undefined,
    onSilence: (range) => silences.push(range),
    onEngineFailed: (error) => {
      throw error;
    },
  });
  const marked = new Set(
    scene.starts.map((at) => Math.floor((at * LABEL_SAMPLES) / FRAME_SAMPLES)),
  );
  for (let start = 0; start + FRAME_SAMPLES <= scene.samples.length; start += FRAME_SAMPLES) {
    const marks = marked.has(start / FRAME_SAMPLES) ? MARKS[kind](start) : [];
    for (const mark of marks) await pipeline.take(mark, TURN);
    const pcm = toPcm16(scene.samples.subarray(start, start + FRAME_SAMPLES));
    await pipeline.take({ kind: 'frame', startSample: start, pcm }, TURN);
  }
  pipeline.flush();
  const kept: SampleRange[] = [];
  let at = 0;
  for (const { startSample, endSample } of silences) {
    if (startSample > at) kept.push({ startSample: at, endSample: startSample });
    at = endSample;
  }
  return [...kept, { startSample: at, endSample: scene.samples.length }];
}

test.each(['paused', 'gap', 'lost', 'none'] as const)(
  'quiet speech that begins right after a mark is kept as without one: %s',
  { timeout: 60_000 },
  async (kind) => {
    const files = [
      'public/benchmark-speech.wav',
      'tests/fixtures/speech-en.wav',
      'tests/fixtures/dictation-one.wav',
      'tests/fixtures/dictation-two.wav',
    ];
    const clips = (await Promise.all(files.map((file) => readClips(file)))).flat();
    const under = (n: number) => sounds.pinkNoise(n, -57, 2);
    const scene = makeScene(clips, { pauseSeconds: 3, under, levelDbfs: -45 });
    const { lostPercent } = scoreOf(scene, await keptOf(scene, kind));
    expect(lostPercent).toBeLessThanOrEqual(0.3);
  },
);
