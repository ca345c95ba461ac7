import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextChunks } from '../../src/core/contracts/worker-api.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import {
  type JournalPart,
  type JournalRecording,
  NO_CUT,
  restOf,
  unknownCut,
} from '../../src/core/session/journal.ts';
import {
  INITIAL_SNAPSHOT,
  LEDGER_PLACES,
  samplesInPlaces,
} from '../../src/core/session/snapshot.ts';
import { reduceSnapshot } from '../../src/core/session/snapshot-reducer.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { writtenAudio } from '../../workers/session/speech-pipeline.ts';
import { readPast } from '../../workers/session/take-over-session.ts';
import type { ResumedChunk } from '../../workers/upload/dictation-delivery.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const FRAME = 1_536;

function audio(startSample: number, frames: number): JournalPart {
  return { kind: 'audio', startSample, pcm: new Int16Array(frames * FRAME) };
}

function recording(parts: readonly JournalPart[], cut = NO_CUT): JournalRecording {
  const header = {
    dictationId: 's',
    startedAtMs: 7,
    options: DEFAULT_SESSION_OPTIONS,
    target: null,
    schemaVersion: 1,
  };
  return { header, cut, parts, taken: [], notes: [] };
}

function chunk(number: number, outcome: ResumedChunk['outcome'], samples = 20_000): ResumedChunk {
  const item = { ...makeQueueItem({ number }), durationSamples: samples };
  return { number, item, outcome };
}

describe('where the worklet is to go on', () => {
  test('behind the last audio; marks and holes beyond it are had again', () => {
    const parts: JournalPart[] = [
      { kind: 'hole', cause: 'silent', startSample: 0, endSample: FRAME },
      audio(FRAME, 2),
      { kind: 'paused', atSample: 3 * FRAME },
      audio(3 * FRAME, 1),
      { kind: 'hole', cause: 'silent', startSample: 4 * FRAME, endSample: 4 * FRAME + 10 },
      { kind: 'gap', atSample: 4 * FRAME + 10 },
    ];
    const written = writtenAudio(recording(parts));
    expect(written.endSample).toBe(4 * FRAME);
    expect(written.parts).toEqual(parts.slice(0, 4));
  });

  test('at the cut, where nothing is written behind it', () => {
    const cut = { nextChunkNumber: 3, cutUpToSample: 9_000, isInSpeech: false };
    const marks: JournalPart[] = [{ kind: 'paused', atSample: 9_000 }];
    expect(writtenAudio(recording(marks, cut))).toEqual({ parts: [], endSample: 9_000 });
    expect(writtenAudio(recording([]))).toEqual({ parts: [], endSample: 0 });
  });
});

describe('what is known of a session whose worker died', () => {
  const error = { code: 'http-network', message: 'no network' } as const;

  function read(
    chunks: readonly ResumedChunk[] | null,
    found: JournalRecording | undefined,
    delivered?: TextChunks,
  ) {
    const accounts = createSampleAccounts();
    const told: string[] = [];
    const past = readPast(
      's',
      {
        accounts,
        journal: { read: async () => found },
        recordings: {
          recovering: ({ dictationId }) => void told.push(`recovering ${dictationId}`),
        },
        queue: {
          async resume() {
            told.push('resume');
            return chunks;
          },
        },
      },
      delivered,
    );
    return { accounts, past, told };
  }

  test('its chunks, the texts that are there, and how far it had come', async () => {
    const cut = { nextChunkNumber: 3, cutUpToSample: 90_000, isInSpeech: false };
    const chunks = [
      chunk(0, { kind: 'answered', text: 'one', needsReview: null }),
      chunk(1, { kind: 'left', error, isForAll: true }),
      chunk(2, Promise.resolve({ kind: 'answered', text: 'three', needsReview: null } as const)),
    ];
    const { past, accounts, told } = read(chunks, recording([audio(90_000, 2)], cut));
    expect(await past).toMatchObject({
      startedAtMs: 7,
      chunkCounter: 3,
      transcriptions: new Map([[0, 'one']]),
      pendingTranscriptions: 3,
      failedChunks: 0,
      written: { endSample: 90_000 + 2 * FRAME },
    });
    // Texts that the queue settles go into a recording that is known by then.
    expect(told).toEqual(['recovering s', 'resume']);
    for (const { item } of chunks) accounts.enqueued(item);
    expect(accounts.ledger(chunks.map(({ item }) => item))).toMatchObject({
      capturedSamples: 90_000,
      silentSamples: 30_000,
      queuedSamples: 60_000,
      journalledSamples: 0,
      lostSamples: 0,
    });
  });

  test('pieces that stand in the page are neither silence nor lost, though the queue has them no more', async () => {
    const cut = { nextChunkNumber: 3, cutUpToSample: 90_000, isInSpeech: false };
    const chunks = [chunk(2, { kind: 'answered', text: 'three', needsReview: null })];
    const delivered = new Map([
      [0, null],
      [1, null],
    ]);
    const { past, accounts } = read(
      chunks,
      recording([audio(90_000, 2)], { ...cut, spokenSamples: 60_000 }),
      delivered,
    );
    expect(await past).toMatchObject({ past: { spokenSamples: 60_000 } });
    for (const { item } of chunks) accounts.enqueued(item);
    expect(accounts.ledger(chunks.map(({ item }) => item))).toMatchObject({
      capturedSamples: 90_000,
      silentSamples: 30_000,
      deliveredSamples: 40_000,
      queuedSamples: 20_000,
      journalledSamples: 0,
      lostSamples: 0,
    });
    const earlier = read(chunks, recording([audio(90_000, 2)], cut), delivered);
    expect(await earlier.past, 'an older version does not say').toMatchObject({
      past: { spokenSamples: 20_000 },
    });
  });

  test('nothing, if it died before it had written anything', async () => {
    const { past } = read([], undefined);
    expect(await past).toMatchObject({
      past: { cut: NO_CUT, chunks: [] },
      written: { parts: [], endSample: 0 },
      startedAtMs: 0,
      chunkCounter: 0,
    });
  });

  test('a journal that cannot be read: it goes on with numbers of its own, and its text is not whole', async () => {
    const accounts = createSampleAccounts();
    const unreadable = new DikteraError('storage-failed', 'unreadable');
    const known = await readPast('s', {
      accounts,
      journal: { read: () => Promise.reject(unreadable) },
      recordings: { recovering() {} },
      queue: {
        resume: async () => [chunk(0, { kind: 'answered', text: 'one', needsReview: null })],
      },
    });
    expect(known).toMatchObject({
      past: { cut: unknownCut(), isRead: false },
      written: { parts: [], endSample: 0 },
      unread: { code: 'storage-failed' },
      transcriptions: new Map([[0, 'one']]),
      failedChunks: 1,
    });
  });

  test('neither journal nor queue: what stands in the page is not cut again', async () => {
    const known = await readPast(
      's',
      {
        accounts: createSampleAccounts(),
        journal: { read: () => Promise.reject(new DikteraError('storage-failed', 'unreadable')) },
        recordings: { recovering() {} },
        queue: { resume: async () => null },
      },
      new Map([[0, null]]),
      new Map([
        [0, 5 * FRAME],
        [1, 9 * FRAME],
      ]),
    );
    expect(known.past.cut).toEqual(unknownCut(5 * FRAME));
    expect(known.written).toEqual({ parts: [], endSample: 5 * FRAME });
  });

  test('a queue that cannot be read: what it may hold counts as failed', async () => {
    const cut = { nextChunkNumber: 3, cutUpToSample: 90_000, isInSpeech: false };
    const { past } = read(null, recording([audio(90_000, 2)], cut));
    expect(await past).toMatchObject({ past: { isRead: true }, failedChunks: 3 });
    const { past: nothingCut } = read(null, recording([audio(0, 2)]));
    expect(await nothingCut).toMatchObject({ failedChunks: 0 });
  });

  test('the account adds up, whatever the codec has made of the lengths', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50_000 }), { maxLength: 6 }),
        fc.nat(200_000),
        async (lengths, cutUpToSample) => {
          const chunks = lengths.map((length, number) =>
            chunk(number, { kind: 'answered', text: '', needsReview: null }, length),
          );
          const cut = { nextChunkNumber: lengths.length, cutUpToSample, isInSpeech: false };
          const { past, accounts } = read(chunks, recording([], cut));
          await past;
          const items = chunks.map(({ item }) => item);
          for (const item of items) accounts.enqueued(item);
          const ledger = accounts.ledger(items);
          expect(samplesInPlaces(ledger)).toBe(ledger.capturedSamples);
          expect(Math.min(...LEDGER_PLACES.map((place) => ledger[place]))).toBe(0);
        },
      ),
      { seed: 5 },
    );
  });
});

test('what a replay could not give again is lost in the account', () => {
  const accounts = createSampleAccounts();
  accounts.captured('s', 1_000);
  accounts.overwritten('s', 500);
  expect(accounts.ledger([])).toMatchObject({
    capturedSamples: 1_500,
    journalledSamples: 1_000,
    lostSamples: 500,
    lostReasons: { unreadable: 0, overwritten: 500, unaccounted: 0 },
  });
});

test('the page goes on showing the session, and the notices that are about it', () => {
  const session = { ...INITIAL_SNAPSHOT.session, id: 's', phase: 'paused' as const };
  const takenOver = reduceSnapshot(INITIAL_SNAPSHOT, {
    kind: 'session-taken-over',
    session,
    notices: [
      { kind: 'microphone-muted', error: null },
      { kind: 'upload-failed', error: null },
    ],
  });
  expect(takenOver.session).toBe(session);
  expect(takenOver.notices).toEqual([{ kind: 'microphone-muted', error: null }]);
});

describe('sound that chunks hold already', () => {
  const cut = { nextChunkNumber: 2, cutUpToSample: FRAME, isInSpeech: false, spokenSamples: 9 };
  const range = (from: number, to: number) => ({
    startSample: from * FRAME,
    endSample: to * FRAME,
  });

  test('is left out, and the cut moves behind it with a number that nobody has', () => {
    const found = { ...recording([audio(FRAME, 4)], cut), taken: [range(1, 2)] };
    expect(restOf(found, [range(2, 3)])).toEqual({
      cut: { ...unknownCut(3 * FRAME), spokenSamples: 9 + 2 * FRAME },
      parts: [audio(3 * FRAME, 2)],
    });
    expect(restOf(recording([], cut), [range(0, 5)]).cut.cutUpToSample).toBe(5 * FRAME);
  });

  test('leaves what lies before it to be cut', () => {
    const hole = { kind: 'hole', cause: 'chunk', ...range(2, 3) } as const;
    const found = recording([audio(FRAME, 4)], cut);
    expect(restOf(found, [range(2, 3)])).toEqual({
      cut,
      parts: [audio(FRAME, 1), hole, audio(3 * FRAME, 2)],
    });
  });

  test('is not asked for again where only silence is left before it', () => {
    const rest = restOf(recording([audio(FRAME, 2)], cut), [range(4, 6)]);
    const hole = { kind: 'hole', cause: 'chunk', ...range(3, 6) } as const;
    expect(rest).toEqual({ cut, parts: [audio(FRAME, 2), hole] });
    expect(writtenAudio(rest).endSample).toBe(6 * FRAME);
  });

  test('counts once where chunks overlap', () => {
    const rest = restOf(recording([], cut), [range(0, 4), range(2, 4), range(3, 5)]);
    expect(rest.cut).toEqual({ ...unknownCut(5 * FRAME), spokenSamples: 9 + 4 * FRAME });
  });

  test('before the cut says nothing', () => {
    const found = recording([audio(FRAME, 1)], cut);
    expect(restOf(found, [range(0, 1)])).toEqual({ cut, parts: found.parts });
  });
});
