import { FrameProcessor } from '@ricky0123/vad-web/dist/frame-processor.js';
import { Message } from '@ricky0123/vad-web/dist/messages.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { createSpeechGate, type SpeechGateEvent } from '../../src/core/speech/speech-gate.ts';
import { DEFAULT_VAD_OPTIONS, type VadOptions } from '../../src/core/speech/vad-options.ts';

/** 0.5 / 0.35, two low frames end, one speech frame is enough, no padding. */
const SIMPLE: VadOptions = {
  ...DEFAULT_VAD_OPTIONS,
  redemptionFrames: 2,
  minSpeechFrames: 1,
  preSpeechPadFrames: 0,
};

/**
 * The frames by letter: H at or above the positive threshold, m between the two, l below the
 * negative one, N not a number, | a pause (`endSegment`), > a hole of half a frame in the samples.
 */
const PROBABILITIES: Record<string, number> = { H: 0.9, m: 0.4, l: 0.1, N: Number.NaN };

/**
 * Feeds a string of such letters and writes down what the gate said, in frames: `+2@3` a start at
 * frame 2 told during frame 3, `=2-6@5` a segment of frames 2 to 5, `x2-6@5` a misfire.
 */
function run(
  script: string,
  { tailFrames, ...options }: Partial<VadOptions> & { readonly tailFrames?: number } = {},
): string {
  const said: string[] = [];
  let frame = 0;
  let sample = 0;
  const inFrames = (samples: number) => samples / FRAME_SAMPLES;
  const how = tailFrames === undefined ? {} : { tailFrames };
  const onEvent = (event: SpeechGateEvent) => {
    said.push(`${write(event, inFrames)}@${frame}`);
    expect(gate.isSpeaking).toBe(event.kind === 'speech-started');
    expect(gate.runningStartSample).toBe(
      event.kind === 'speech-started' ? event.startSample : null,
    );
  };
  const gate = createSpeechGate({ ...SIMPLE, ...options }, onEvent, how);
  for (const letter of script) {
    const probability = PROBABILITIES[letter];
    if (letter === '|') gate.endSegment();
    else if (letter === '>') sample += FRAME_SAMPLES / 2;
    else if (probability === undefined) throw new Error(`No such letter: ${letter}`);
    else {
      gate.accept(sample, FRAME_SAMPLES, probability);
      sample += FRAME_SAMPLES;
      frame++;
    }
  }
  return said.join(' ');
}

function write(event: SpeechGateEvent, inFrames: (samples: number) => number): string {
  if (event.kind === 'speech-started') return `+${inFrames(event.startSample)}`;
  const { startSample, endSample } = event.range;
  const sign = event.kind === 'segment-ended' ? '=' : 'x';
  return `${sign}${inFrames(startSample)}-${inFrames(endSample)}`;
}

/** A segment keeps two of its quiet frames. */
const TAIL = { redemptionFrames: 4, tailFrames: 2 };

test.each<[string, string, string, Parameters<typeof run>[1]?]>([
  ['speech starts with the first frame at the positive threshold', 'lmHHH', '+2@2'],
  ['redemption frames in a row end it, and the tail belongs to it', 'HHlll', '+0@0 =0-4@3'],
  ['a frame at the positive threshold clears the count', 'HlHlHll', '+0@0 =0-7@6'],
  ['frames between the thresholds neither count nor clear', 'Hlml', '+0@0 =0-4@3'],
  ['a frame without a probability is speech', 'lNll', '+1@1 =1-4@3'],
  ['redemption 0 counts as 1', 'Hlll', '+0@0 =0-2@1', { redemptionFrames: 0 }],
  ['redemption 2.9 is 2', 'Hlll', '+0@0 =0-3@2', { redemptionFrames: 2.9 }],
  ['too few speech frames are a misfire', 'HmHll', '+0@0 x0-5@4', { minSpeechFrames: 3 }],
  ['2.9 speech frames needed are 2', 'HmHll', '+0@0 =0-5@4', { minSpeechFrames: 2.9 }],
  ['frames before the onset belong to it', 'lllHll', '+1@3 =1-6@5', { preSpeechPadFrames: 2 }],
  ['padding of 1.9 frames is 1', 'lllHll', '+2@3 =2-6@5', { preSpeechPadFrames: 1.9 }],
  ['a pause keeps the running segment', 'lHm|', '+0@1 =0-3@3', { preSpeechPadFrames: 4 }],
  ['a hole ends the segment before it', 'lH>lll', '+0@1 =0-2@2', { preSpeechPadFrames: 4 }],
  ['no padding across a hole', 'lll>lHll', '+3.5@4 =3.5-7.5@6', { preSpeechPadFrames: 4 }],
  ['a tail of two: the segment ends behind them', 'HHllll', '+0@0 =0-4@5', TAIL],
  ['it counts from the last frame that was not quiet', 'Hlmlmlll', '+0@0 =0-7@6', TAIL],
  ['all is kept where there are not so many', 'Hlmlmlml', '+0@0 =0-8@7', TAIL],
  ['a pause keeps no more of them', 'Hlll|', '+0@0 =0-3@4', TAIL],
  ['a pause keeps one where there is one', 'Hl|', '+0@0 =0-2@2', TAIL],
  ['the rest may pad', 'HllllH', '+0@0 =0-3@4 +3@5', { ...TAIL, preSpeechPadFrames: 5 }],
])('%s', (_rule, script, expected, options = {}) => {
  expect(run(script, options)).toBe(expected);
});

test('a session may begin at any sample', () => {
  const said: SpeechGateEvent[] = [];
  const gate = createSpeechGate({ ...SIMPLE, preSpeechPadFrames: 10 }, (e) => said.push(e));
  gate.accept(5_000, FRAME_SAMPLES, 0.9);
  expect(said).toEqual([{ kind: 'speech-started', startSample: 5_000 }]);
});

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

/** An event of either side: its time, kind, and the segment's samples. */
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
