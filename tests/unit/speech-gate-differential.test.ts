import { FrameProcessor } from '@ricky0123/vad-web/dist/frame-processor.js';
import { Message } from '@ricky0123/vad-web/dist/messages.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { createSpeechGate } from '../../src/core/speech/speech-gate.ts';
import { DEFAULT_VAD_OPTIONS, type VadOptions } from '../../src/core/speech/vad-options.ts';

/** A frame with its probability, or a pause after a last frame cut short. */
type Step =
  | { readonly kind: 'frame'; readonly probability: number }
  | { readonly kind: 'pause'; readonly lastFrameSamples: number; readonly probability: number };

/** Probabilities that often meet the thresholds exactly, and runs long enough for redemption. */
const probability = fc.oneof(
  fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc
          .tuple(probability, fc.integer({ min: 1, max: 6 }))
          .map(([p, times]): Step[] => Array(times).fill({ kind: 'frame', probability: p })),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(probability, fc.integer({ min: 0, max: FRAME_SAMPLES }))
          .map(([p, n]): Step[] => [{ kind: 'pause', lastFrameSamples: n, probability: p }]),
      },
    ),
    { minLength: 20, maxLength: 50, size: 'max' },
  )
  .map((runs) => runs.flat());

const options: fc.Arbitrary<VadOptions> = fc
  .record({
    positive: fc.integer({ min: 0, max: 20 }),
    negativePart: fc.integer({ min: 0, max: 4 }),
    redemptionFrames: fc.integer({ min: 0, max: 9 }),
    minSpeechFrames: fc.integer({ min: 0, max: 5 }),
    preSpeechPadFrames: fc.integer({ min: 0, max: 12 }),
  })
  .map(({ positive, negativePart, ...counts }) => ({
    ...DEFAULT_VAD_OPTIONS,
    positiveSpeechThreshold: positive / 20,
    negativeSpeechThreshold: Math.floor((positive * negativePart) / 4) / 20,
    ...counts,
  }));

/** What either side said: when, what, and the segment's samples. */
type Said = {
  readonly atStep: number;
  readonly kind: string;
  readonly startSample: number;
  readonly lengthSamples: number;
};

function runGate(script: readonly Step[], vad: VadOptions): Said[] {
  const said: Said[] = [];
  let atStep = 0;
  const gate = createSpeechGate(vad, (event) => {
    const isStart = event.kind === 'speech-started';
    const startSample = isStart ? event.startSample : event.range.startSample;
    const lengthSamples = isStart ? 0 : event.range.endSample - startSample;
    said.push({ atStep, kind: event.kind, startSample, lengthSamples });
  });
  let sample = 0;
  const frame = (lengthSamples: number, p: number) => {
    if (lengthSamples === 0) return;
    gate.accept(sample, lengthSamples, p);
    sample += lengthSamples;
  };
  for (const step of script) {
    frame(step.kind === 'frame' ? FRAME_SAMPLES : step.lastFrameSamples, step.probability);
    if (step.kind === 'pause') gate.endSegment();
    atStep++;
  }
  return said;
}

/** The peer, told that a frame lasts 1 ms, so that its milliseconds are frames. */
async function runPeer(script: readonly Step[], vad: VadOptions): Promise<Said[]> {
  const said: Said[] = [];
  let atStep = 0;
  let next = 0;
  const peer = new FrameProcessor(
    () => Promise.resolve({ isSpeech: next, notSpeech: 1 - next }),
    () => undefined,
    {
      positiveSpeechThreshold: vad.positiveSpeechThreshold,
      negativeSpeechThreshold: vad.negativeSpeechThreshold,
      redemptionMs: vad.redemptionFrames,
      preSpeechPadMs: vad.preSpeechPadFrames,
      minSpeechMs: vad.minSpeechFrames,
      submitUserSpeechOnPause: true,
    },
    1,
  );
  // Each frame's "audio" says where it lies, so the peer's segments show which frames they hold.
  type Place = { startSample: number; lengthSamples: number };
  const sum = (places: readonly Place[]): Place => ({
    startSample: places[0]?.startSample ?? Number.NaN,
    lengthSamples: places.reduce((total, place) => total + place.lengthSamples, 0),
  });
  const placesOf = (audio: Float32Array): Place[] =>
    Array.from({ length: audio.length / 2 }, (_, i) => ({
      startSample: audio[2 * i]!,
      lengthSamples: audio[2 * i + 1]!,
    }));
  let buffer = peer.audioBuffer;
  const buffered = () => sum(buffer.flatMap(({ frame }) => placesOf(frame)));
  const hear: Parameters<typeof peer.process>[1] = (event) => {
    switch (event.msg) {
      case Message.FrameProcessed:
        buffer = peer.audioBuffer;
        break;
      case Message.SpeechStart:
        said.push({ atStep, kind: 'speech-started', ...buffered(), lengthSamples: 0 });
        break;
      case Message.SpeechEnd:
        said.push({ atStep, kind: 'segment-ended', ...sum(placesOf(event.audio)) });
        break;
      case Message.VADMisfire:
        said.push({ atStep, kind: 'misfire', ...buffered() });
        break;
    }
  };
  let sample = 0;
  peer.resume();
  for (const step of script) {
    const lengthSamples = step.kind === 'frame' ? FRAME_SAMPLES : step.lastFrameSamples;
    next = step.probability;
    if (lengthSamples > 0) await peer.process(Float32Array.of(sample, lengthSamples), hear);
    sample += lengthSamples;
    if (step.kind === 'pause') {
      buffer = peer.audioBuffer;
      peer.pause(hear);
      peer.resume();
    }
    atStep++;
  }
  return said;
}

test('the gate says what vad-web says, sample for sample, over 6,000 random sequences', async () => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(steps, options, async (script, vad) => {
      const said = runGate(script, vad);
      expect(said).toEqual(await runPeer(script, vad));
      for (const { kind } of said) counts[kind] = (counts[kind] ?? 0) + 1;
    }),
    { numRuns: 6_000, seed: 20_261_121 },
  );
  // The sequences must have been worth it.
  expect(counts['segment-ended']).toBeGreaterThan(10_000);
  expect(counts.misfire).toBeGreaterThan(3_000);
}, 60_000);
