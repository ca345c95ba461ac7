import { expect, test, vi } from 'vitest';
import type { DictationResult } from '../../src/core/contracts/dictation.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { NO_RECORDER } from '../../workers/recordings/recorder.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { createSession, NO_PAST } from '../../workers/session/session.ts';
import { createSnapshotPublisher } from '../../workers/snapshot-publisher.ts';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
import type { Journal } from '../../workers/store/journal.ts';
import type { RequestOutcome } from '../../workers/upload/transcribe-request.ts';
import { createUploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

// Nine minutes of frames, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const FRAME = 1_536;
const FRAME_MS = 96;
const BATCH_FRAMES = 500;
const REQUEST_TIMEOUT_MS = 120_000;

type Circumstances = {
  readonly answer: (clock: FakeClock, signal: AbortSignal) => Promise<RequestOutcome>;
  readonly store?: ChunkStore;
  readonly journal?: Partial<Journal>;
};

const never = <Value>(): Promise<Value> => new Promise(() => {});
const later = (clock: FakeClock, ms: number): Promise<void> =>
  new Promise((resolve) => clock.after(ms, () => resolve()));

async function swallow(clock: FakeClock): Promise<RequestOutcome> {
  await later(clock, REQUEST_TIMEOUT_MS);
  const error = { code: 'http-timeout', message: 'no answer' } as const;
  return { kind: 'retryable', error, retryAfterMs: null };
}

/** Records for so long with all real but engine, disk, network and time; then stops. */
async function record(minutes: number, { answer, store, journal }: Circumstances) {
  const clock = createFakeClock();
  const publisher = createSnapshotPublisher(clock);
  const log = createRecordingLog();
  const encoder = {
    chooseType: async () => 'audio/wav' as const,
    encode: async (samples: Float32Array) => ({
      type: 'audio/wav' as const,
      bytes: new ArrayBuffer(8),
      durationSamples: samples.length,
    }),
    decode: async () => new Float32Array(0),
  };
  const requests: string[] = [];
  const underWay = new Set<string>();
  const queue = createUploadQueue({
    store: store ?? createMemoryQueueStore(),
    async request(item, signal) {
      expect(underWay.has(item.id), 'two requests with one key').toBe(false);
      requests.push(item.id);
      underWay.add(item.id);
      const outcome = await answer(clock, signal);
      underWay.delete(item.id);
      return outcome;
    },
    clock,
    random: () => 0,
    log,
    onChange: () => {},
  });
  queue.start();
  publisher.dispatch({ kind: 'session-began', id: 's' });
  const session = createSession({
    recorder: NO_RECORDER,
    id: 's',
    options: DEFAULT_SESSION_OPTIONS,
    startedAtMs: clock.nowMs(),
    past: NO_PAST,
    engine: Promise.resolve({
      kind: 'ort',
      infer: (frame) => frame[0] ?? 0,
      reset() {},
      dispose() {},
    }),
    onEngineFailed: () => {},
    encoder,
    queue,
    journal: {
      append() {},
      mark() {},
      drop() {},
      flush: async () => {},
      ...journal,
    } as unknown as Journal,
    clock,
    accounts: createSampleAccounts(),
    log,
    dispatch: publisher.dispatch,
  });
  const { port1, port2 } = new MessageChannel();
  session.connect(port1 as unknown as MessagePort);
  session.opened({ deviceId: 'mic', label: '' });

  const frames = Math.round((minutes * 60_000) / FRAME_MS);
  const processed = () => publisher.snapshot.session.processedFrames;
  for (let sent = 0; sent < frames; ) {
    const batch = Math.min(BATCH_FRAMES, frames - sent);
    for (let index = 0; index < batch; index += 1) {
      const pcm = new Int16Array(FRAME).fill(30_000);
      port2.postMessage({ kind: 'frame', startSample: (sent + index) * FRAME, pcm });
    }
    sent += batch;
    await expect.poll(() => processed()).toBe(sent);
    await clock.advance(batch * FRAME_MS);
  }

  let result: DictationResult | null = null;
  const stoppedAtMs = clock.nowMs();
  const stopping = (async () => {
    await session.finishSpeech();
    port2.postMessage({ kind: 'ended', atSample: frames * FRAME, inputFrames: 0 });
    await session.endRecording();
    result = await session.finish();
  })();
  return {
    session,
    queue,
    clock,
    requests,
    isOver: () => result !== null,
    /** Ms from stop to the result, by the session's clock. */
    async waited(): Promise<{ waitedMs: number; result: DictationResult }> {
      while (result === null && clock.nowMs() - stoppedAtMs < 3_600_000) await clock.advance(100);
      await stopping;
      return {
        waitedMs: clock.nowMs() - stoppedAtMs,
        result: result as unknown as DictationResult,
      };
    },
    end() {
      session.dispose();
      queue.dispose();
      port2.close();
    },
  };
}

test.each<[string, number, Circumstances]>([
  ['a network that swallows requests', 9, { answer: swallow }],
  ['a network that begins to', 2, { answer: swallow }],
  [
    'a server that takes a minute for each chunk',
    9,
    {
      async answer(clock) {
        await later(clock, 60_000);
        return { kind: 'answered', text: 'late', needsReview: null };
      },
    },
  ],
  [
    'storage that never answers',
    9,
    {
      answer: async () => ({ kind: 'answered', text: 'text', needsReview: null }),
      store: { ...createMemoryQueueStore(), put: never },
      journal: { flush: never },
    },
  ],
])('%s, %i minutes recorded: at most 20 s from stop on', async (what, minutes, circumstances) => {
  const recording = await record(minutes, circumstances);
  const { waitedMs, result } = await recording.waited();
  console.info(`${what}: ${waitedMs} ms from stop to result`);
  expect(waitedMs).toBeLessThanOrEqual(20_000);
  expect(result.failedChunks).toBeGreaterThan(0);
  const isStored = what !== 'storage that never answers';
  const { cache } = recording.queue;
  expect(cache.hasUnstored(recording.session.id), 'else the journal is needed').toBe(!isStored);
  const spoken = recording.queue.cache.list().reduce((sum, item) => sum + item.durationSamples, 0);
  if (isStored) expect(spoken, 'all of it is in the queue').toBe(minutes * 625 * FRAME);
  recording.end();
});

test('whoever does not want to wait gets the field at once, and the text goes on its way', async () => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const recording = await record(0.5, {
    async answer() {
      await held;
      return { kind: 'answered', text: 'late', needsReview: null };
    },
  });
  const { clock, queue, session, requests } = recording;
  await clock.advance(6_000);
  expect(recording.isOver()).toBe(false);
  session.stopWaiting();
  const { waitedMs, result } = await recording.waited();
  expect(waitedMs).toBeLessThanOrEqual(6_600);
  expect(result).toMatchObject({ text: '', failedChunks: 1 });
  letGo();
  await expect.poll(() => queue.cache.head('s:0')?.state.kind).toBe('answered');
  expect(requests, 'the same request').toEqual(['s:0']);
  recording.end();
});
