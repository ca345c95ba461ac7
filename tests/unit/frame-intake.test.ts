import { expect, onTestFinished, test, vi } from 'vitest';
import type { FrameMessage, FrameRequest } from '../../src/core/audio/frame-protocol.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import { NO_RECORDER } from '../../workers/recordings/recorder.ts';
import { createFrameIntake } from '../../workers/session/frame-intake.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import type { SpeechPipeline } from '../../workers/session/speech-pipeline.ts';
import type { Journal } from '../../workers/store/journal.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { until } from '../helpers/until.ts';

const FRAME = 1_536;

/** An intake whose engine takes its time: each frame's turn ends when the test says so. */
function setUp(clock: Clock = createFakeClock()) {
  const events: SnapshotEvent[] = [];
  const turns: (() => void)[] = [];
  const taken: FrameMessage[] = [];
  let isSlow = true;
  const journalled: number[] = [];
  const pipeline = {
    take(message: FrameMessage) {
      taken.push(message);
      return isSlow ? new Promise<void>((resolve) => turns.push(resolve)) : undefined;
    },
    takeWithoutEngine: vi.fn(),
    giveUpEngine: vi.fn(),
  };
  const intake = createFrameIntake({
    recorder: NO_RECORDER,
    dictationId: 's',
    pipeline: pipeline as unknown as SpeechPipeline,
    journal: {
      append: (_id: string, startSample: number) => void journalled.push(startSample),
      mark() {},
    } as unknown as Journal,
    accounts: createSampleAccounts(),
    clock,
    log: createRecordingLog(),
    dispatch: (event) => events.push(event),
    isPastRead: true,
  });
  const open = () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => {
      port1.close();
      port2.close();
    });
    return { theirs: port1 as unknown as MessagePort, ours: port2 };
  };
  const { theirs, ours } = open();
  intake.connect(theirs);
  const frame = (number: number): FrameMessage => ({
    kind: 'frame',
    startSample: number * FRAME,
    pcm: new Int16Array(FRAME),
  });
  let sent = 0;
  const send = async (count: number, port = ours): Promise<void> => {
    for (let left = count; left > 0; left -= 1) port.postMessage(frame(sent++));
    await until(() => journalled.length === sent);
  };
  const lagging = () =>
    events.flatMap((event) =>
      'notice' in event && event.notice === 'lagging' ? [event.kind] : [],
    );
  return {
    intake,
    pipeline,
    journalled,
    open,
    ours,
    send,
    lagging,
    turns,
    taken,
    quicken() {
      isSlow = false;
    },
  };
}

test('an engine that falls behind is told of once, and no longer when it has caught up', async () => {
  const { send, turns, lagging, pipeline, quicken, intake } = setUp();
  await send(600);
  turns.shift()?.();
  await until(() => turns.length === 1);
  await send(600);
  expect(lagging()).toEqual([]);
  quicken();
  turns.shift()?.();
  await until(() => intake.lag.waiting === 0);
  expect(pipeline.takeWithoutEngine.mock.calls.length).toBeGreaterThan(100);
  expect(pipeline.giveUpEngine).not.toHaveBeenCalled();
  expect(lagging()).toEqual(['notice-raised', 'notice-cleared']);
  await send(3);
  expect(lagging()).toHaveLength(2);
});

test('another worklet is asked for what follows, and the one before is not heard any more', async () => {
  const { intake, open, ours, send, quicken, journalled } = setUp();
  quicken();
  await send(3);
  const next = open();
  const asked: unknown[] = [];
  next.ours.onmessage = ({ data }) => asked.push(data);
  intake.reconnect(next.theirs);
  ours.postMessage({ kind: 'frame', startSample: 3 * FRAME, pcm: new Int16Array(FRAME) });
  await until(() => asked.length > 0);
  expect(asked[0]).toEqual({ kind: 'replay', fromSample: 3 * FRAME });
  await send(2, next.ours);
  expect(journalled).toEqual([0, 1, 2, 3, 4].map((number) => number * FRAME));
});

test('a worker that stands still while the recording ends takes what came meanwhile all the same', async () => {
  let isStanding = true;
  const { intake, ours, quicken, journalled } = setUp({
    nowMs: Date.now,
    // The timer that is over when it wakes up runs before it looks at its messages.
    after(_delayMs, run) {
      if (isStanding) queueMicrotask(run);
      else setTimeout(run, 0);
      isStanding = false;
      return () => {};
    },
  });
  quicken();
  for (const number of [0, 1]) {
    const pcm = new Int16Array(FRAME);
    ours.postMessage({ kind: 'frame', startSample: number * FRAME, pcm });
  }
  ours.postMessage({ kind: 'ended', atSample: 2 * FRAME, inputFrames: 2 * FRAME });
  await intake.whenEnded();
  expect(journalled).toEqual([0, FRAME]);
});

test('memory goes back eight frames at a time, and what is kept of them is a copy', async () => {
  const { send, ours, taken, quicken } = setUp();
  quicken();
  const given: number[] = [];
  ours.onmessage = ({ data }: MessageEvent<FrameRequest>) => {
    if (data.kind === 'recycle') given.push(data.buffers.length);
  };
  await send(8);
  await until(() => given.length > 0 && taken.length === 8);
  expect(given).toEqual([8]);
  const lengths = taken.map((message) => (message.kind === 'frame' ? message.pcm.length : 0));
  expect(lengths).toEqual(Array(8).fill(FRAME));
});
