import { expect, test } from 'vitest';
import type { SnapshotPatch } from '../../src/core/session/snapshot-reducer.ts';
import { createSnapshotPublisher } from '../../workers/snapshot-publisher.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

function setUp() {
  const clock = createFakeClock();
  const publisher = createSnapshotPublisher(clock);
  const patches: SnapshotPatch[] = [];
  publisher.subscribe((patch) => patches.push(patch));
  patches.length = 0;
  return { clock, publisher, patches };
}

const LOST = { kind: 'input-lost', inputFrames: 128 } as const;

test('what changes in one turn is told together', async () => {
  const { publisher, patches } = setUp();
  for (let i = 0; i < 10; i += 1) publisher.dispatch(LOST);
  await Promise.resolve();
  expect(patches.map(({ session }) => session?.lostInputFrames)).toEqual([1_280]);
});

test('a burst becomes one patch now and one 50 ms later, with nothing left out', async () => {
  const { clock, publisher, patches } = setUp();
  for (let i = 0; i < 10; i += 1) {
    publisher.dispatch(LOST);
    await Promise.resolve();
  }
  expect(patches).toHaveLength(1);
  await clock.advance(49);
  expect(patches).toHaveLength(1);
  await clock.advance(1);
  expect(patches).toHaveLength(2);
  expect(patches[1]?.session?.lostInputFrames).toBe(1_280);
});

const phasesOf = (patches: readonly SnapshotPatch[]) =>
  patches.map(({ session }) => session?.phase);

test('a change of phase does not wait', async () => {
  const { publisher, patches } = setUp();
  publisher.dispatch(LOST);
  await Promise.resolve();
  publisher.dispatch({ kind: 'session-began', id: 's' });
  await Promise.resolve();
  expect(phasesOf(patches)).toEqual(['idle', 'starting']);
});

test('what follows a change of phase in its turn is told with it', async () => {
  const { publisher, patches } = setUp();
  publisher.dispatch({ kind: 'session-began', id: 's' });
  publisher.dispatch(LOST);
  await Promise.resolve();
  expect(patches).toHaveLength(1);
  expect(patches[0]?.session).toMatchObject({ phase: 'starting', lostInputFrames: 128 });
});

test('a phase that lasts for a part of a turn is told too', async () => {
  const { publisher, patches } = setUp();
  publisher.dispatch({ kind: 'session-began', id: 's' });
  publisher.dispatch({ kind: 'session-opened', device: { deviceId: 'a', label: 'A' } });
  await Promise.resolve();
  expect(phasesOf(patches)).toEqual(['starting', 'recording']);
});

test('a second of changes every 5 ms makes at most 21 patches', async () => {
  const { clock, publisher, patches } = setUp();
  for (let ms = 0; ms < 1_000; ms += 5) {
    publisher.dispatch(LOST);
    await clock.advance(5);
  }
  expect(patches.length).toBeGreaterThan(18);
  expect(patches.length).toBeLessThanOrEqual(21);
});

test('a clock set back does not hold a snapshot up', async () => {
  const { clock, publisher, patches } = setUp();
  publisher.dispatch(LOST);
  await Promise.resolve();
  clock.jump(-3_600_000);
  publisher.dispatch(LOST);
  await clock.advance(50);
  expect(patches.length).toBeGreaterThanOrEqual(2);
});

/** A frame `ms` into the recording. */
const frameAt = (ms: number, isSpeaking = false) =>
  ({
    kind: 'frame-processed',
    recordedSamples: ms * 16,
    speechSamples: 0,
    speechSegments: [],
    isSpeaking,
    probability: 0,
    levelDbfs: -ms / 100,
    microphoneProblem: null,
    lagFrames: 0,
    maxLagFrames: 0,
  }) as const;

test('the first frame is told, then frames when the clock shows another second, and at once when speech begins or ends', async () => {
  const { clock, publisher, patches } = setUp();
  const times = () => patches.map(({ session }) => session?.accumulatedRecordingMs);
  publisher.dispatch({ kind: 'session-opened', device: { deviceId: 'a', label: 'A' } });
  for (let ms = 96; ms <= 2_496; ms += 96) {
    await clock.advance(96);
    publisher.dispatch(frameAt(ms, ms >= 576 && ms < 1_500));
  }
  expect(times()).toEqual([0, 96, 576, 1_056, 1_536, 2_016]);
});

test('the last frame is told in the end, whatever follows', async () => {
  const { clock, publisher, patches } = setUp();
  publisher.dispatch(frameAt(96));
  await clock.advance(60);
  publisher.dispatch(frameAt(192));
  await clock.advance(1_400);
  expect(patches).toHaveLength(1);
  await clock.advance(100);
  expect(patches.at(-1)?.session?.accumulatedRecordingMs).toBe(192);
  publisher.dispatch(frameAt(288));
  await clock.advance(60);
  publisher.dispatch(LOST);
  await Promise.resolve();
  expect(patches.at(-1)?.session).toMatchObject({
    accumulatedRecordingMs: 288,
    lostInputFrames: 128,
  });
});

test('a late subscriber gets the whole snapshot', () => {
  const { publisher } = setUp();
  publisher.dispatch({ kind: 'session-began', id: 's' });
  const patches: SnapshotPatch[] = [];
  publisher.subscribe((patch) => patches.push(patch));
  expect(patches[0]).toEqual(publisher.snapshot);
});
