import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { FrameMessage } from '../../src/core/audio/frame-protocol.ts';
import { samplesOf } from '../../src/core/audio/samples.ts';
import {
  createFramePool,
  createFrameStream,
  type FrameStream,
} from '../../worklets/frame-stream.ts';
import { firstDifference } from '../helpers/first-difference.ts';
import { joinFrames } from '../helpers/join-frames.ts';
import { placedAudio, placedPcm } from '../helpers/placed-pcm.ts';

/** What a stream sends to one port, as clones, as a port would deliver them. */
function receive(stream: FrameStream, fromSample: number): FrameMessage[] {
  const messages: FrameMessage[] = [];
  stream.sendFrom(fromSample, (message, transfer) => {
    messages.push(structuredClone(message, { transfer }));
  });
  return messages;
}

/** Samples that tell their places, so that a lost, doubled or misplaced one shows. */
function pushPlaced(stream: FrameStream, count: number): void {
  stream.push(samplesOf([placedPcm(stream.positionSamples, count + 5)]), count);
}

/** All audio in the messages is what was pushed from a place on, to the end and no more. */
function expectAllFrom(
  startSample: number,
  stream: FrameStream,
  messages: readonly FrameMessage[],
) {
  const given = samplesOf(
    messages.flatMap((message) => (message.kind === 'frame' ? [message.pcm] : [])),
  );
  const wanted = placedAudio([{ startSample, endSample: stream.positionSamples }]);
  expect(firstDifference(given, wanted)).toBeNull();
}

/** What happens to a recording: samples, marks, or the death of the worker. */
type Step =
  | number
  | 'pause or resume'
  | 'gap'
  /** So many of its last frames were not yet in the journal. */
  | { readonly unwritten: number; readonly takesOverAfter: number };

function pause(stream: FrameStream, isPaused: boolean): void {
  stream.mark({ kind: isPaused ? 'resumed' : 'paused', atSample: stream.positionSamples });
}

function apply(stream: FrameStream, step: Exclude<Step, object>, isPaused: boolean): void {
  const { positionSamples } = stream;
  if (step === 'pause or resume') {
    pause(stream, isPaused);
  } else if (isPaused) {
    stream.pump();
  } else if (typeof step === 'number') {
    pushPlaced(stream, step);
  } else {
    stream.mark({ kind: 'gap', atSample: positionSamples + 3, lostInputFrames: 9 });
    pushPlaced(stream, 3);
  }
}

function end(stream: FrameStream): void {
  const { positionSamples } = stream;
  stream.mark({ kind: 'ended', atSample: positionSamples, inputFrames: positionSamples });
  stream.flush();
}

const plain = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 4_096 }) },
  { weight: 3, arbitrary: fc.constantFrom('pause or resume' as const, 'gap' as const) },
);
const death = fc.record({ unwritten: fc.nat(4), takesOverAfter: fc.nat(5) });

/** More than any run below records, and quicker to make than 60 s. */
const KEPT_SAMPLES = 200_000;

/** What is left of a worker's messages: what its journal has, in whole frames. */
function journalled(messages: readonly FrameMessage[], unwritten: number, fromSample: number) {
  const frames = messages.filter((message) => message.kind === 'frame');
  const last = frames[Math.max(0, frames.length - unwritten) - 1];
  const endSample = last ? last.startSample + last.pcm.length : fromSample;
  const kept = messages.filter((message) =>
    message.kind === 'frame' ? message.startSample < endSample : message.atSample < endSample,
  );
  return { endSample, kept };
}

/** A recording whose worker dies now and then; what all of them have written down, put together. */
function newMortalRun() {
  const stream = createFrameStream(createFramePool(), KEPT_SAMPLES);
  const got: FrameMessage[] = [];
  let fromSample = 0;
  let messages = receive(stream, 0);
  let deadFor = 0;

  return {
    stream,
    die({ unwritten, takesOverAfter }: Exclude<Step, number | string>): void {
      if (deadFor > 0) return;
      const { endSample, kept } = journalled(messages, unwritten, fromSample);
      got.push(...kept);
      fromSample = endSample;
      deadFor = takesOverAfter + 1;
      stream.halt();
    },
    /** A moment goes by; `isLast` lets no worker stay away for longer. */
    live(isLast = false): void {
      if (deadFor === 0) return;
      deadFor = isLast ? 0 : deadFor - 1;
      if (deadFor === 0) messages = receive(stream, fromSample);
    },
    all(): readonly FrameMessage[] {
      stream.flush();
      return [...got, ...messages];
    },
  };
}

test('whatever the blocks, the marks and the deaths: put together, it is what one worker gets', {
  timeout: 60_000,
}, () => {
  const step = fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: death });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isDeadAtEnd) => {
      const undisturbed = createFrameStream(createFramePool(), KEPT_SAMPLES);
      const expected = receive(undisturbed, 0);
      const run = newMortalRun();
      let isPaused = false;
      for (const next of steps) {
        if (typeof next === 'object') {
          run.die(next);
          continue;
        }
        for (const stream of [undisturbed, run.stream]) apply(stream, next, isPaused);
        if (next === 'pause or resume') isPaused = !isPaused;
        run.live();
      }
      if (!isDeadAtEnd) run.live(true);
      end(undisturbed);
      end(run.stream);
      // It may have ended while no worker was there.
      run.live(true);
      expect(run.all()).toEqual(expected);
      // Throws where one does not begin at the end of the one before.
      joinFrames(run.all());
      expectAllFrom(0, undisturbed, run.all());
    }),
    { seed: 11, numRuns: 150 },
  );
});

test('any pieces: full frames but before a mark, and short ones in memory of their own size', () => {
  const stream = createFrameStream(createFramePool());
  const messages = receive(stream, 0);
  pushPlaced(stream, FRAME_SAMPLES + 10);
  expect(messages).toHaveLength(1);
  pause(stream, false);
  const short = messages[1];
  expect(short?.kind === 'frame' && short.pcm.buffer.byteLength).toBe(20);
  expect(messages[2]).toEqual({ kind: 'paused', atSample: FRAME_SAMPLES + 10 });
});

test('what the ring no longer holds is said to be lost, and the rest comes', () => {
  const kept = FRAME_SAMPLES * 4;
  const stream = createFrameStream(createFramePool(), kept);
  receive(stream, 0);
  pushPlaced(stream, 500);
  pause(stream, false);
  pause(stream, true);
  stream.halt();
  pushPlaced(stream, kept + 1_000);
  const messages = receive(stream, 500);
  stream.flush();
  expect(messages[0]).toEqual({ kind: 'lost', atSample: 1_500, lostSamples: 1_000 });
  expect(messages.slice(1).map(({ kind }) => kind)).toEqual(Array(4).fill('frame'));
  expectAllFrom(1_500, stream, messages);
});

test('a ring that has gone round many times gives the latest, to the sample', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.array(fc.nat(2_000), { maxLength: 30 }),
      (kept, pieces) => {
        const stream = createFrameStream(createFramePool(), kept);
        for (const count of pieces) pushPlaced(stream, count);
        const messages = receive(stream, 0);
        end(stream);
        expectAllFrom(Math.max(0, stream.positionSamples - kept), stream, messages);
      },
    ),
    { seed: 12 },
  );
});

test('catching up takes a little of each block, and is done before what is new', () => {
  const stream = createFrameStream(createFramePool());
  pushPlaced(stream, FRAME_SAMPLES * 100);
  const messages = receive(stream, 0);
  const counts = [messages.length];
  while (messages.length < 100) {
    stream.pump();
    counts.push(messages.length);
  }
  expect(counts[0]).toBeLessThan(20);
  expect(Math.max(...counts.map((count, i) => count - (counts[i - 1] ?? 0)))).toBe(counts[0]);
  pushPlaced(stream, FRAME_SAMPLES);
  expect(joinFrames(messages)).toHaveLength(FRAME_SAMPLES * 101);
});

test('nothing is sent to a port that has been given up', () => {
  const stream = createFrameStream(createFramePool());
  const messages = receive(stream, 0);
  stream.halt();
  pushPlaced(stream, FRAME_SAMPLES);
  end(stream);
  expect(messages).toEqual([]);
});
