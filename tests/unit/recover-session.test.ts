import { describe, expect, test } from 'vitest';
import { toPcm16 } from '../../src/core/audio/samples.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { JournalCut, QueueItem } from '../../src/core/queue/queue-item.ts';
import type { JournalRecording } from '../../src/core/session/journal.ts';
import { samplesInPlaces } from '../../src/core/session/snapshot.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { recoverSession } from '../../workers/session/recovery.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { assembleParts } from '../../workers/store/journal-audio.ts';
import type { UploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { testHeader } from '../helpers/journal-session.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const FRAME = 1_536;

/** Takes a frame's first sample for its probability. */
const engine: SpeechEngine = {
  kind: 'ort',
  infer: (frame) => frame[0] ?? 0,
  reset() {},
  dispose() {},
};

/** A journal of frames: speech, silence, or one that can't be read. */
function recordingOf(frames: readonly ('speech' | 'silence' | 'broken')[]): JournalRecording {
  const stored = frames.map((kind, number) => ({
    startSample: number * FRAME,
    endSample: (number + 1) * FRAME,
    pcm:
      kind === 'broken'
        ? undefined
        : toPcm16(new Float32Array(FRAME).fill(kind === 'speech' ? 0.9 : 0)),
  }));
  const options = { ...DEFAULT_SESSION_OPTIONS, chunkMs: 1_000 };
  return {
    header: { ...testHeader('s'), options },
    cut: { nextChunkNumber: 0, cutUpToSample: 0, isInSpeech: false },
    parts: assembleParts(stored, [], 0),
    taken: [],
    notes: [],
  };
}

function setUp(encodable: (chunk: number) => boolean = () => true) {
  const accounts = createSampleAccounts();
  const queued = new Map<string, QueueItem>();
  const cuts: JournalCut[] = [];
  let encoded = 0;
  const recover = (recording: JournalRecording) =>
    recoverSession(recording, {
      accounts,
      clock: createFakeClock(),
      engine: Promise.resolve(engine),
      encoder: {
        chooseType: async () => 'audio/wav',
        async encode(samples) {
          const isFine = encodable(encoded);
          encoded += 1;
          if (!isFine) throw new DikteraError('encoding-failed', 'No memory');
          return {
            type: 'audio/wav',
            bytes: new ArrayBuffer(8),
            durationSamples: samples.length,
          };
        },
        decode: async () => new Float32Array(0),
      },
      queue: {
        async enqueue(item: QueueItem, cut: JournalCut | null) {
          queued.set(item.id, item);
          if (cut) cuts.push(cut);
        },
      } as unknown as UploadQueue,
      log: createRecordingLog(),
    });
  const ledger = () => accounts.ledger([...queued.values()]);
  return { recover, ledger, queued, cuts };
}

const repeat = <T>(value: T, times: number): T[] => new Array<T>(times).fill(value);

describe('a journal with something unreadable in it', () => {
  test.each([
    ['in speech', [...repeat('speech', 6), 'broken', ...repeat('speech', 6)]],
    ['in silence', [...repeat('silence', 30), 'broken', ...repeat('silence', 30)]],
    ['at the end', [...repeat('speech', 6), 'broken', 'broken']],
    ['right before speech', [...repeat('silence', 20), 'broken', ...repeat('speech', 5)]],
  ] as const)('%s: so much is lost, and it is said', async (_where, frames) => {
    const { recover, ledger } = setUp();
    const { unqueued } = await recover(recordingOf(frames as never));
    expect(unqueued).toBeNull();
    const brokenSamples = frames.filter((kind) => kind === 'broken').length * FRAME;
    expect(ledger()).toMatchObject({
      capturedSamples: frames.length * FRAME,
      lostSamples: brokenSamples,
      lostReasons: { unreadable: brokenSamples },
      journalledSamples: 0,
    });
    expect(samplesInPlaces(ledger())).toBe(ledger().capturedSamples);
  });
});

describe('a cut that went through speech', () => {
  /**
   * The rest of a word: too short, or begun too abruptly, for an engine that heard nothing before
   * it.
   */
  const rest = (isInSpeech: boolean, frames: number): JournalRecording => ({
    ...recordingOf(repeat('silence', frames)),
    cut: { nextChunkNumber: 0, cutUpToSample: 0, isInSpeech },
  });

  test('is gone on with as speech, whatever the engine says of the rest', async () => {
    const { recover, ledger, queued } = setUp();
    await recover(rest(true, 5));
    expect([...queued.values()].map((item) => item.durationSamples)).toEqual([5 * FRAME]);
    expect(ledger()).toMatchObject({ silentSamples: 0, queuedSamples: 5 * FRAME });
  });

  test('the segment ends where silence has lasted as long as behind any other', async () => {
    const { recover, queued } = setUp();
    await recover(rest(true, 30));
    expect([...queued.values()].map((item) => item.durationSamples)).toEqual([8 * FRAME]);
  });

  test('between segments, the rest is what the engine says', async () => {
    const { recover, ledger, queued } = setUp();
    await recover(rest(false, 5));
    expect(queued.size).toBe(0);
    expect(ledger()).toMatchObject({ silentSamples: 5 * FRAME });
  });
});

describe('a chunk that cannot be encoded', () => {
  test('keeps itself and all after it in the journal; another try brings them, each once', async () => {
    let isWell = false;
    const { recover, ledger, queued, cuts } = setUp((chunk) => isWell || chunk !== 1);
    const recording = recordingOf(repeat('speech', 40));
    const { unqueued } = await recover(recording);
    expect([...queued.keys()]).toEqual(['s:0']);
    expect(unqueued?.error.code).toBe('encoding-failed');
    const [cut] = cuts;
    expect(cuts).toHaveLength(1);
    expect(unqueued?.durationSamples).toBe(40 * FRAME - (cut?.cutUpToSample ?? 0));
    expect(ledger().journalledSamples).toBe(unqueued?.durationSamples);

    isWell = true;
    const { parts } = recording;
    const [whole] = parts;
    const from = cut?.cutUpToSample ?? 0;
    const rest = whole?.kind === 'audio' ? whole.pcm.subarray(from) : new Int16Array();
    const again = await recover({
      ...recording,
      cut: cut ?? recording.cut,
      parts: [{ kind: 'audio', startSample: from, pcm: rest }],
    });
    expect(again).toEqual({ unqueued: null, chunksToReview: 0 });
    const durations = [...queued.values()].map(({ durationSamples }) => durationSamples);
    expect(durations.reduce((sum, samples) => sum + samples, 0)).toBe(40 * FRAME);
    expect(ledger()).toMatchObject({
      capturedSamples: 40 * FRAME,
      queuedSamples: 40 * FRAME,
      journalledSamples: 0,
      lostSamples: 0,
    });
  });
});
