import { afterEach, describe, expect, test } from 'vitest';
import type { SampleRange } from '../../src/core/audio/audio-format.ts';
import type { FrameMessage, FrameRequest } from '../../src/core/audio/frame-protocol.ts';
import { toPcm16 } from '../../src/core/audio/samples.ts';
import {
  DEFAULT_SESSION_OPTIONS,
  type SessionOptions,
} from '../../src/core/options/dictation-options.ts';
import type { JournalCut, QueueItem } from '../../src/core/queue/queue-item.ts';
import { unknownCut } from '../../src/core/session/journal.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { NO_RECORDER } from '../../workers/recordings/recorder.ts';
import type { LiveParts } from '../../workers/session/live-speech.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { createSession, NO_PAST, type SessionPast } from '../../workers/session/session.ts';
import { createSnapshotPublisher } from '../../workers/snapshot-publisher.ts';
import type { Journal } from '../../workers/store/journal.ts';
import type { ChunkOutcome } from '../../workers/upload/dictation-entry.ts';
import type { UploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const FRAME = 1_536;
const FRAME_MS = 96;
const MICROPHONE = { deviceId: 'mic', label: 'Jabra Speak 510' };

/** Takes a frame's first sample for its probability. */
const engine: SpeechEngine = {
  kind: 'ort',
  infer: (frame) => frame[0] ?? 0,
  reset() {},
  dispose() {},
};

let close = (): void => {};
afterEach(() => close());

const withAnswer = (infer: SpeechEngine['infer']): SpeechEngine => ({ ...engine, infer });

/** Engines that do not tell when somebody has stopped to speak. */
const DEAF: readonly (readonly [string, SpeechEngine | null])[] = [
  ['there is no engine', null],
  [
    'it has failed',
    withAnswer(() => {
      throw new Error('out of memory');
    }),
  ],
  ['it fails later', withAnswer(() => Promise.reject(new Error('out of memory')))],
  ['it gives no number', withAnswer(() => Number.NaN)],
];

/** A session with everything real but the engine, the disk, the network and time. */
function setUp(
  answers: readonly ChunkOutcome[] = [],
  chunkMs = 90_000,
  given: Partial<SessionOptions> = {},
  past: SessionPast = NO_PAST,
  ownEngine: SpeechEngine | null = engine,
  live?: LiveParts,
) {
  const clock = createFakeClock();
  const publisher = createSnapshotPublisher(clock);
  const log = createRecordingLog();
  const appended: number[] = [];
  const submitted: number[] = [];
  const givenUp: string[] = [];
  const taken: SampleRange[] = [];
  const disk = { isFull: false };
  const journal = {
    append: (_id: string, startSample: number) => void appended.push(startSample),
    mark() {},
    drop: () => void givenUp.push('silence'),
    async flush() {
      if (disk.isFull) throw new Error('The disk is full');
    },
  } as unknown as Journal;
  const queue = {
    async submit(item: QueueItem, cut: JournalCut | null) {
      submitted.push(item.number);
      if (cut && !cut.taken) givenUp.push('cut');
      if (cut?.taken) taken.push(...cut.taken);
      return (
        answers[item.number] ?? {
          kind: 'answered',
          text: `chunk ${item.number}`,
          needsReview: null,
          ids: [],
        }
      );
    },
    finalize() {},
    cache: { hasUnstored: () => false },
  } as unknown as UploadQueue;
  publisher.dispatch({ kind: 'session-began', id: 's' });
  const session = createSession({
    recorder: NO_RECORDER,
    id: 's',
    options: { ...DEFAULT_SESSION_OPTIONS, chunkMs, ...given },
    startedAtMs: clock.nowMs(),
    past,
    engine: Promise.resolve(ownEngine),
    onEngineFailed: () => {},
    ...(live ? { live } : {}),
    encoder: {
      chooseType: async () => 'audio/wav',
      encode: async (samples) => ({
        type: 'audio/wav',
        bytes: new ArrayBuffer(8),
        durationSamples: samples.length,
      }),
      decode: async () => new Float32Array(0),
    },
    queue,
    journal,
    clock,
    accounts: createSampleAccounts(),
    log,
    dispatch: publisher.dispatch,
  });
  const { port1, port2 } = new MessageChannel();
  const recycled: Extract<FrameRequest, { kind: 'recycle' }>[] = [];
  port2.onmessage = ({ data }) => recycled.push(data);
  session.connect(port1 as unknown as MessagePort);
  session.opened(MICROPHONE);
  close = () => {
    session.dispose();
    port2.close();
  };
  const state = () => publisher.snapshot.session;
  const post = (message: FrameMessage) => port2.postMessage(message);

  /** Sends frames with these probabilities and waits until each has been processed. */
  async function speak(...probabilities: number[]): Promise<void> {
    const from = state().processedFrames;
    probabilities.forEach((probability, index) => {
      const pcm = toPcm16(new Float32Array(FRAME).fill(probability));
      post({ kind: 'frame', startSample: (from + index) * FRAME, pcm });
    });
    await expect.poll(() => state().processedFrames).toBe(from + probabilities.length);
  }

  async function end(): Promise<void> {
    post({ kind: 'ended', atSample: state().processedFrames * FRAME, inputFrames: 0 });
  }

  async function finish() {
    await session.endRecording();
    return session.finish();
  }

  return {
    session,
    disk,
    clock,
    publisher,
    log,
    state,
    post,
    speak,
    end,
    finish,
    appended,
    submitted,
    recycled,
    givenUp,
    taken,
  };
}

describe('while recording', () => {
  test('a frame is kept, inferred and told', async () => {
    const { speak, state, appended } = setUp();
    await speak(0.9, 0.9);
    expect(appended).toEqual([0, FRAME]);
    expect(state()).toMatchObject({
      phase: 'recording',
      isRecording: true,
      isSpeaking: true,
      device: MICROPHONE,
      accumulatedRecordingMs: 2 * FRAME_MS,
      speechMs: 2 * FRAME_MS,
      speechSegments: [{ startSample: 0, endSample: 2 * FRAME }],
      lagFrames: 0,
    });
  });

  test('frames memory is given back eight at a time, and after each message that is none', async () => {
    const { speak, post, recycled } = setUp();
    const given = () => recycled.map(({ kind, buffers }) => [kind, buffers.length]);
    await speak(...Array<number>(7).fill(0.9));
    expect(given()).toEqual([]);
    await speak(0.9, 0.9);
    await expect.poll(given).toEqual([['recycle', 8]]);
    post({ kind: 'paused', atSample: 9 * FRAME });
    post({ kind: 'resumed', atSample: 9 * FRAME });
    await expect.poll(given).toEqual([
      ['recycle', 8],
      ['recycle', 1],
      ['recycle', 0],
    ]);
    expect(recycled[0]?.buffers[0]?.byteLength).toBe(FRAME * Int16Array.BYTES_PER_ELEMENT);
  });

  test('pause ends the segment, and time stands still until it is resumed', async () => {
    const { speak, state, post } = setUp();
    await speak(0.9, 0.9);
    post({ kind: 'paused', atSample: 2 * FRAME });
    await expect.poll(() => state().phase).toBe('paused');
    expect(state()).toMatchObject({ isRecording: true, isPaused: true, isSpeaking: false });
    post({ kind: 'resumed', atSample: 2 * FRAME });
    await expect.poll(() => state().phase).toBe('recording');
    expect(state().accumulatedRecordingMs).toBe(2 * FRAME_MS);
  });

  test('the diagnostics see every frame, and the snapshot says what is wrong', async () => {
    const { speak, state } = setUp();
    await speak(...Array<number>(31).fill(0));
    expect(state().microphoneProblem).toBeNull();
    await speak(0);
    expect(state().microphoneProblem).toBe('silent');
    await speak(0.9);
    expect(state().microphoneProblem).toBeNull();
  });

  test('the longest duration is told once, when it is reached', async () => {
    const { speak, publisher } = setUp([], 90_000, { maxAudioDurationMs: 3 * FRAME_MS });
    const notices = () => publisher.snapshot.notices.map(({ kind }) => kind);
    await speak(0.9, 0.9);
    expect(notices()).toEqual([]);
    await speak(0.9);
    expect(notices()).toEqual(['max-duration-reached']);
    expect(publisher.snapshot.session.endCause).toBe('max-duration');
    publisher.dispatch({ kind: 'notice-cleared', notice: 'max-duration-reached' });
    await speak(0.9);
    expect(notices()).toEqual([]);
  });

  test('a chunk is cut and sent when so much speech has accumulated', async () => {
    const { speak, state, submitted } = setUp([], 1_000);
    await speak(...new Array<number>(12).fill(0.9));
    await expect.poll(() => submitted).toEqual([0]);
    expect(state().chunkCounter).toBe(1);
    await expect.poll(() => state().transcriptions.get(0)).toBe('chunk 0');
    expect(state().pendingTranscriptions).toBe(0);
  });
});

describe('the wait for the end of speech', () => {
  test('is over at once when nobody speaks', async () => {
    const { speak, session } = setUp();
    await speak(0, 0);
    await session.finishSpeech();
  });

  test('is over within 100 ms of the end of speech', async () => {
    const { speak, session, clock, state } = setUp();
    await speak(0.9);
    let isOver = false;
    void session.finishSpeech().then(() => {
      isOver = true;
    });
    expect(state().phase).toBe('finishing');
    await clock.advance(2_000);
    expect(isOver).toBe(false);
    await speak(...new Array<number>(8).fill(0));
    await clock.advance(100);
    expect(isOver).toBe(true);
  });

  test('never lasts longer than 5,000 ms', async () => {
    const { speak, session, clock } = setUp();
    await speak(0.9);
    let isOver = false;
    void session.finishSpeech().then(() => {
      isOver = true;
    });
    await clock.advance(4_900);
    expect(isOver).toBe(false);
    await clock.advance(100);
    expect(isOver).toBe(true);
  });
});

describe('a silence that nobody can see is not waited for', () => {
  test.each(DEAF)('since %s', async (_why, deaf) => {
    const { speak, session } = setUp([], 90_000, {}, NO_PAST, deaf);
    await speak(0.9, 0.9, 0);
    await session.finishSpeech();
  });

  test('since it is a second behind', async () => {
    let answers = 0;
    const hangs = withAnswer(() => (answers++ < 2 ? 0.9 : new Promise<number>(() => {})));
    const { speak, post, session, appended } = setUp([], 90_000, {}, NO_PAST, hangs);
    await speak(0.9, 0.9);
    const pcm = toPcm16(new Float32Array(FRAME).fill(0.9));
    for (let n = 2; n < 14; n++) post({ kind: 'frame', startSample: n * FRAME, pcm });
    await expect.poll(() => appended.length).toBe(14);
    await session.finishSpeech();
  });

  test('nor is an engine that answers no more: what it has not heard is kept as speech', async () => {
    let answers = 0;
    const hangs = withAnswer(() => (answers++ < 2 ? 0.9 : new Promise<number>(() => {})));
    const { speak, post, session, appended, end, clock, submitted } = setUp(
      [],
      90_000,
      {},
      NO_PAST,
      hangs,
    );
    await speak(0.9, 0.9);
    const pcm = toPcm16(new Float32Array(FRAME).fill(0.9));
    for (let n = 2; n < 5; n++) post({ kind: 'frame', startSample: n * FRAME, pcm });
    await expect.poll(() => appended.length).toBe(5);
    await end();
    await session.endRecording();
    const finished = session.finish();
    await clock.advance(2_000);
    expect(await finished).toMatchObject({ text: 'chunk 0', failedChunks: 0 });
    expect(submitted).toEqual([0]);
  });
});

describe('a server that says while one speaks that pieces are free', () => {
  const SENTENCE = [...new Array<number>(110).fill(0.9), ...new Array<number>(8).fill(0)];

  test.each([
    ['auto', true],
    [false, false],
  ] as const)('has pieces, with live %s; words are shown: %s', async (live, areShown) => {
    let isFree = false;
    const { speak, end, finish, state, submitted } = setUp([], 90_000, { live }, NO_PAST, engine, {
      ask: async () => ({ answer: null, result: 'refused' }),
      answers: { expect() {} },
      isLinkFast: () => true,
      isSeen: () => true,
      freePieces: () => isFree,
    });
    await speak(...SENTENCE);
    expect([submitted, state().live]).toEqual([[], null]);
    isFree = true;
    await speak(...SENTENCE, ...SENTENCE);
    expect(submitted.length).toBeGreaterThanOrEqual(2);
    expect(state().live !== null).toBe(areShown);
    await end();
    const { text } = await finish();
    expect(text.split(' chunk ')).toHaveLength(submitted.length);
  });
});

describe('the end', () => {
  test('says whether the journal has everything: else the worklet must keep it', async () => {
    const { session, disk, speak, end } = setUp();
    await speak(1, 1);
    await end();
    disk.isFull = true;
    expect(await session.endRecording()).toBe(false);
    disk.isFull = false;
    expect(await session.endRecording()).toBe(true);
  });

  test('uploads what remains and joins the transcripts, empty ones left out', async () => {
    const answers: ChunkOutcome[] = [
      { kind: 'answered', text: 'first', needsReview: null },
      { kind: 'answered', text: ' ', needsReview: null },
    ];
    const { speak, finish, session, end, state } = setUp(answers, 1_000);
    await speak(...new Array<number>(25).fill(0.9));
    await end();
    const result = await finish();
    expect(state().phase).toBe('stopped');
    expect(state().chunkCounter).toBeGreaterThan(2);
    expect(result.text.startsWith('first\nchunk 2')).toBe(true);
    expect(result.failedChunks).toBe(0);
    expect(session.sent).toEqual({ unqueued: null, chunksToReview: 0 });
  });

  test('a chunk that could not be sent leaves the session, and the rest is handed over', async () => {
    const error = { code: 'http-network', message: 'no network' } as const;
    const { speak, finish, end, publisher } = setUp(
      [{ kind: 'left', error, isForAll: true }],
      1_000,
    );
    await speak(...new Array<number>(20).fill(0.9));
    await end();
    const result = await finish();
    expect(result.failedChunks).toBe(1);
    expect(result.text.startsWith('chunk 1')).toBe(true);
    expect(publisher.snapshot.session).toMatchObject({ pendingTranscriptions: 0, failedChunks: 1 });
    // Why is the queue's to tell, for as long as it is so.
    expect(publisher.snapshot.notices).toEqual([]);
  });

  test('a dead audio context that never marks the end is waited for 1,000 ms only', async () => {
    const { speak, finish, clock } = setUp();
    await speak(0.9, 0.9);
    let text = '';
    void finish().then((result) => {
      text = result.text;
    });
    await clock.advance(1_000);
    await expect.poll(() => text).toBe('chunk 0');
  });

  test('nothing is told, kept or sent after it', async () => {
    const { speak, finish, end, post, state, appended, submitted } = setUp();
    await speak(0.9);
    await end();
    await finish();
    const before = state();
    post({ kind: 'frame', startSample: FRAME, pcm: new Int16Array(FRAME).fill(30_000) });
    post({ kind: 'paused', atSample: 2 * FRAME });
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(state()).toBe(before);
    expect(appended).toEqual([0]);
    expect(submitted).toEqual([0]);
  });
});

test('a past that could not be read: nothing of the journal is given up, and what the worklet no longer has is in it', async () => {
  const past = {
    cut: unknownCut(),
    chunks: [],
    spokenSamples: 0,
    missingChunks: 0,
    isRead: false,
    chunkEnds: new Map(),
  };
  const run = setUp([], 1_000, {}, past);
  run.post({ kind: 'lost', atSample: 0, lostSamples: 5_000 });
  await run.speak(...Array.from({ length: 20 }, () => 0.9), ...Array.from({ length: 30 }, () => 0));
  await run.end();
  const result = await run.finish();
  expect(run.submitted[0]).toBe(unknownCut().nextChunkNumber);
  expect([...result.chunks.keys()]).toEqual(run.submitted);
  expect(run.givenUp).toEqual([]);
  // A recovery is not to make another chunk of the same.
  expect(run.taken.length).toBeGreaterThanOrEqual(run.submitted.length);
  expect(run.publisher.snapshot.notices).toEqual([]);
  expect(run.state().chunkCounter).toBe(run.submitted.length);
});
