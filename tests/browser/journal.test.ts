import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { JournalCut } from '../../src/core/queue/queue-item.ts';
import { unreadableCut } from '../../src/core/session/journal.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createJournal, type Journal } from '../../workers/store/journal.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { noiseFrame, outline, testHeader } from '../helpers/journal-session.ts';
import {
  createTestDatabase,
  onRecords,
  putRow,
  storedOf,
  testDatabase,
} from '../helpers/test-database.ts';

const FRAME_BYTES = FRAME_SAMPLES * 2;

function openJournal(databaseName = testDatabase(), clock = browserClock) {
  const onFailure = vi.fn();
  const journal = createJournal({
    database: createTestDatabase(databaseName, clock),
    clock,
    onFailure,
  });
  onTestFinished(async () => {
    await journal.dispose();
    expect(onFailure).not.toHaveBeenCalled();
  });
  return { journal, databaseName };
}

/** Cuts a journal behind a chunk of which nothing is put into the queue. */
function cut(journal: Journal, value: JournalCut): Promise<void> {
  return journal.cutWith({ ...value, dictationId: 's' }, () => {});
}

function appendFrames(journal: ReturnType<typeof openJournal>['journal'], numbers: number[]) {
  for (const number of numbers) journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
}

describe('what is read back', () => {
  test('is what was appended, to half a step of 16 bits, with header, cut and marks', async () => {
    const { journal, databaseName } = openJournal();
    await journal.begin(testHeader('s'));
    appendFrames(journal, [0, 1, 2]);
    journal.append('s', 3 * FRAME_SAMPLES, noiseFrame(3, 700));
    journal.mark('s', { kind: 'paused', atSample: 3 * FRAME_SAMPLES + 700 });
    journal.append('s', 3 * FRAME_SAMPLES + 700, noiseFrame(4));
    await cut(journal, { nextChunkNumber: 1, cutUpToSample: 100, isInSpeech: false });
    await journal.flush('s');

    const recording = await openJournal(databaseName).journal.read('s');
    expect(recording?.header).toEqual(testHeader('s'));
    expect(recording?.cut).toEqual({ nextChunkNumber: 1, cutUpToSample: 100, isInSpeech: false });
    expect(recording?.notes).toEqual([]);
    expect(outline(recording?.parts)).toEqual([[0, 5_308], 'paused 5308', [5_308, 6_844]]);
    const [first] = recording?.parts ?? [];
    const pcm = first?.kind === 'audio' ? first.pcm : new Int16Array();
    for (const number of [0, 1, 2]) {
      const startSample = number * FRAME_SAMPLES;
      expect(pcm.slice(startSample, startSample + FRAME_SAMPLES)).toEqual(noiseFrame(number));
    }
  });

  test('has a mark where it stands, also in the middle of a frame', async () => {
    const { journal } = openJournal();
    appendFrames(journal, [0, 1, 2]);
    journal.mark('s', { kind: 'gap', atSample: FRAME_SAMPLES + 300 });
    const parts = (await journal.read('s'))?.parts;
    expect(outline(parts)).toEqual([[0, 1_836], 'gap 1836', [1_836, 3 * FRAME_SAMPLES]]);
  });

  test('is a copy: the memory of a frame may be reused at once', async () => {
    const { journal } = openJournal();
    const pcm = new Int16Array(FRAME_SAMPLES).fill(5);
    journal.append('s', 0, pcm);
    pcm.fill(-1);
    const recording = await journal.read('s');
    expect(recording?.parts).toMatchObject([{ pcm: new Int16Array(1536).fill(5) }]);
  });

  test('from the cut, begins at the cut', async () => {
    const { journal } = openJournal();
    appendFrames(journal, [0, 1, 2, 3]);
    await cut(journal, { nextChunkNumber: 1, cutUpToSample: 2_000, isInSpeech: false });
    const recording = await journal.read('s', 'cut');
    expect(outline(recording?.parts)).toEqual([[2_000, 4 * FRAME_SAMPLES]]);
  });

  test('has the last of two cuts, though the first was still being written', async () => {
    const { journal } = openJournal();
    const first = cut(journal, {
      nextChunkNumber: 1,
      cutUpToSample: 100,
      isInSpeech: false,
    });
    appendFrames(journal, [0]); // The second record: the write of both begins.
    await Promise.all([
      first,
      cut(journal, { nextChunkNumber: 2, cutUpToSample: 200, isInSpeech: false }),
    ]);
    expect((await journal.read('s'))?.cut).toEqual({
      nextChunkNumber: 2,
      cutUpToSample: 200,
      isInSpeech: false,
    });
  });

  test('is long: a page of the database is no limit', async () => {
    const { journal } = openJournal();
    const numbers = Array.from({ length: 1_203 }, (_, number) => number);
    appendFrames(journal, numbers);
    const recording = await journal.read('s');
    expect(outline(recording?.parts)).toEqual([[0, 1_203 * FRAME_SAMPLES]]);
    expect(await journal.usedBytes()).toBe(1_203 * FRAME_BYTES);
  });

  test('has a hole and a note where a record is broken, and default options without a header', async () => {
    const { journal, databaseName } = openJournal();
    await journal.begin(testHeader('s'));
    appendFrames(journal, [0, 1, 2, 3, 4]);
    await journal.flush('s');
    await onRecords(databaseName, 'audio', (records) => {
      records.put(new ArrayBuffer(10), ['pcm', 's', 2 * FRAME_SAMPLES, 4 * FRAME_SAMPLES]);
    });
    await putRow(databaseName, 's', { id: 's' });
    const recording = await journal.read('s', 'cut');
    expect(outline(recording?.parts)).toEqual([[0, 3_072], 'hole 3072-6144', [6_144, 7_680]]);
    expect(recording?.notes).toEqual([expect.stringContaining('["pcm","s",3072,6144]')]);
    expect(recording?.header.options).toEqual(DEFAULT_SESSION_OPTIONS);
    // A chunk in the queue must not be written over.
    expect(recording?.cut).toEqual(unreadableCut(0));
  });

  test('is speech from its first sample on where the cut cannot be read: it may have gone through a word', async () => {
    const { journal, databaseName } = openJournal();
    await journal.begin(testHeader('s'));
    appendFrames(journal, [2, 3]);
    await journal.flush('s');
    await putRow(databaseName, 's', 'nonsense');
    const recording = await journal.read('s', 'cut');
    expect(recording?.cut).toEqual(unreadableCut(2 * FRAME_SAMPLES));
    expect(recording?.cut.isInSpeech).toBe(true);
    expect(outline(recording?.parts)).toEqual([[2 * FRAME_SAMPLES, 4 * FRAME_SAMPLES]]);
  });

  test('is nothing for a session that never was', async () => {
    expect(await openJournal().journal.read('s')).toBeUndefined();
  });
});

test('a frame alone is on disk within 200 ms, two together at once, as one record', async () => {
  const clock = createFakeClock();
  const { journal, databaseName } = openJournal(testDatabase(), clock);
  appendFrames(journal, [0]);
  await clock.advance(100);
  expect((await storedOf(databaseName)).audio.pcm).toBe(0);
  await clock.advance(90);
  await expect.poll(async () => (await storedOf(databaseName)).audio.pcm).toBe(1);

  appendFrames(journal, [1, 2]);
  await expect.poll(async () => (await storedOf(databaseName)).audio.pcm).toBe(2);
  expect(outline((await journal.read('s'))?.parts)).toEqual([[0, 3 * FRAME_SAMPLES]]);
});

test('an hour of a quiet room costs next to nothing, and what is said in it stays', async () => {
  const { journal, databaseName } = openJournal();
  const quiet = new Int16Array(FRAME_SAMPLES);
  const framesInHour = 37_500;
  const spoken = { first: 20_000, end: 20_100 };
  let mostRecords = 0;
  for (let number = 0; number < framesInHour; number += 1) {
    const startSample = number * FRAME_SAMPLES;
    journal.append('s', startSample, quiet);
    // The gate holds back the padding before speech: ten frames.
    const processed = number - 10;
    const isSpoken = processed >= spoken.first && processed < spoken.end;
    if (processed >= 0 && !isSpoken) {
      const startOfProcessed = processed * FRAME_SAMPLES;
      journal.drop('s', {
        startSample: startOfProcessed,
        endSample: startOfProcessed + FRAME_SAMPLES,
      });
    }
    if (number % 25 > 0) continue;
    // As time would: what is due gets written. Not a flush of the session, which deletes more.
    await journal.read('another');
    if (number % 1_250 > 0) continue;
    mostRecords = Math.max(mostRecords, (await storedOf(databaseName)).audio.pcm);
  }
  expect(mostRecords).toBeLessThan(200 + 100);
  await journal.flush('s');
  expect(await journal.usedBytes()).toBe((100 + 10) * FRAME_BYTES);
  const recording = await journal.read('s');
  expect(outline(recording?.parts)).toEqual([
    `hole 0-${spoken.first * FRAME_SAMPLES}`,
    [spoken.first * FRAME_SAMPLES, spoken.end * FRAME_SAMPLES],
    `hole ${spoken.end * FRAME_SAMPLES}-${(framesInHour - 10) * FRAME_SAMPLES}`,
    [(framesInHour - 10) * FRAME_SAMPLES, framesInHour * FRAME_SAMPLES],
  ]);
  // 37,500 frames on a machine that does something else, too.
}, 120_000);

test('an hour of speech never holds more than what is not yet in the queue', async () => {
  const { journal } = openJournal();
  const speech = noiseFrame(1);
  const chunkFrames = 937; // 90 s of speech, and a cut in the middle of a frame.
  let mostBytes = 0;
  for (let chunk = 0; chunk < 40; chunk += 1) {
    for (let number = chunk * chunkFrames; number < (chunk + 1) * chunkFrames; number += 1) {
      journal.append('s', number * FRAME_SAMPLES, speech);
    }
    mostBytes = Math.max(mostBytes, await journal.usedBytes());
    const cutUpToSample = ((chunk + 1) * chunkFrames - 50) * FRAME_SAMPLES - 100;
    await cut(journal, { nextChunkNumber: chunk + 1, cutUpToSample, isInSpeech: false });
  }
  expect(mostBytes).toBeLessThan((chunkFrames + 60) * FRAME_BYTES);
  const end = 40 * chunkFrames * FRAME_SAMPLES;
  const cutAt = end - 50 * FRAME_SAMPLES - 100;
  await journal.flush('s');
  expect(await journal.usedBytes()).toBe(51 * FRAME_BYTES);
  expect(outline((await journal.read('s', 'cut'))?.parts)).toEqual([[cutAt, end]]);
});

test('what a recording still needs stays, cut or silent, and goes when it does not', async () => {
  const { journal } = openJournal();
  await journal.begin(testHeader('s'));
  journal.keepFrom('s', 0);
  const frames = (count: number) => count * FRAME_SAMPLES;
  const left = async () => {
    await journal.flush('s');
    return outline((await journal.read('s'))?.parts);
  };
  for (let number = 0; number < 12; number += 1) appendFrames(journal, [number]);
  journal.drop('s', { startSample: 0, endSample: frames(4) });
  const cut = { nextChunkNumber: 1, cutUpToSample: frames(8), isInSpeech: false };
  await journal.cutWith({ ...cut, dictationId: 's' }, () => {});
  expect(await left()).toEqual([[0, frames(12)]]);
  journal.keepFrom('s', frames(2));
  expect(await left()).toEqual(['hole 0-3072', [frames(2), frames(12)]]);
  journal.keepFrom('s', Number.POSITIVE_INFINITY);
  expect(await left()).toEqual([`hole 0-${frames(8)}`, [frames(8), frames(12)]]);
  // From here on as if it had never been needed.
  journal.drop('s', { startSample: frames(8), endSample: frames(10) });
  expect(await left()).toEqual([`hole 0-${frames(10)}`, [frames(10), frames(12)]]);
});

test('words that are over leave the sound that a recording still needs, and none to be cut', async () => {
  const { journal, databaseName } = openJournal();
  await journal.begin(testHeader('s'));
  journal.keepFrom('s', 0);
  appendFrames(journal, [0, 1, 2, 3]);
  await journal.flush('s');
  journal.keepFrom('s', 2 * FRAME_SAMPLES);
  await journal.removeWith('s', async () => {});
  // The worker dies: the next one has no hold.
  const { journal: next } = openJournal(databaseName);
  expect((await next.read('s', 'cut'))?.parts).toEqual([]);
  expect(outline((await next.read('s'))?.parts)).toEqual([
    `hole 0-${2 * FRAME_SAMPLES}`,
    [2 * FRAME_SAMPLES, 4 * FRAME_SAMPLES],
  ]);
  await next.removeWith('s', async () => {});
  expect(await next.read('s')).toBeUndefined();
});

test('silence that a recording needed goes bit by bit, frames over the seams too', async () => {
  const { journal, databaseName } = openJournal();
  await journal.begin(testHeader('s'));
  journal.keepFrom('s', 0);
  for (let number = 0; number < 20; number += 1) {
    appendFrames(journal, [number]);
    const startSample = number * FRAME_SAMPLES;
    journal.drop('s', { startSample, endSample: startSample + FRAME_SAMPLES });
  }
  for (const sample of [1_000, 9_000, 9_001, 20_000]) {
    journal.keepFrom('s', sample);
    await journal.flush('s');
  }
  // Two frames a record: the one that the last sample lies in begins at frame 12.
  expect((await storedOf(databaseName)).audio.pcm).toBe((20 - 12) / 2);
});

test('marks before the cut go with the audio, those at it and after it stay', async () => {
  const { journal, databaseName } = openJournal();
  appendFrames(journal, [0, 1, 2]);
  for (const atSample of [0, FRAME_SAMPLES, 2 * FRAME_SAMPLES]) {
    journal.mark('s', { kind: 'paused', atSample });
  }
  await cut(journal, {
    nextChunkNumber: 1,
    cutUpToSample: FRAME_SAMPLES,
    isInSpeech: false,
  });
  await journal.flush('s');
  expect((await storedOf(databaseName)).audio.mark).toBe(2);
});

test('a record goes only when all of it was found silent', async () => {
  const { journal } = openJournal();
  appendFrames(journal, [0, 1, 2, 3, 4, 5, 6]);
  await journal.flush('s');
  journal.drop('s', { startSample: 100, endSample: 5 * FRAME_SAMPLES });
  await journal.flush('s');
  expect(outline((await journal.read('s'))?.parts)).toEqual([
    [0, 3_072],
    'hole 3072-6144',
    [6_144, 10_752],
  ]);
  // The seam: frames 4 and 5 were silent in two strokes.
  journal.drop('s', { startSample: 5 * FRAME_SAMPLES, endSample: 6 * FRAME_SAMPLES });
  await journal.flush('s');
  expect(outline((await journal.read('s'))?.parts)).toEqual([
    [0, 3_072],
    'hole 3072-9216',
    [9_216, 10_752],
  ]);
});

test('sessions are listed oldest first, also one that lost its header', async () => {
  const { journal, databaseName } = openJournal();
  await journal.begin(testHeader('young', 2_000));
  await journal.begin(testHeader('old', 1_000));
  appendFrames(journal, [0, 1, 2]);
  journal.append('young', 0, noiseFrame(0));
  await journal.flush('young');
  await putRow(databaseName, 's');
  expect((await journal.list()).map(({ dictationId }) => dictationId)).toEqual([
    's',
    'old',
    'young',
  ]);
});

test('a cut alone, its header never written, is listed and read', async () => {
  const { journal } = openJournal();
  await journal.begin(testHeader('other'));
  const noted = { nextChunkNumber: 2, cutUpToSample: 3_072, isInSpeech: false };
  await cut(journal, noted);
  expect((await journal.list()).map(({ dictationId }) => dictationId)).toEqual(['s', 'other']);
  expect(await journal.read('s')).toMatchObject({ cut: noted, parts: [] });
});

test('a removed session is gone, with what was not written yet and what comes later', async () => {
  const { journal, databaseName } = openJournal();
  await journal.begin(testHeader('s'));
  await journal.begin(testHeader('other'));
  journal.append('other', 0, noiseFrame(0));
  appendFrames(journal, [0, 1, 2, 3]);
  journal.mark('s', { kind: 'paused', atSample: 5 });
  const removal = journal.remove('s');
  appendFrames(journal, [4]);
  journal.drop('s', { startSample: 0, endSample: 1_000_000 });
  await removal;
  await journal.remove('s');
  await cut(journal, { nextChunkNumber: 9, cutUpToSample: 9, isInSpeech: false });
  await journal.flush('s');
  expect((await journal.list()).map(({ dictationId }) => dictationId)).toEqual(['other']);
  expect(await storedOf(databaseName, 's')).toMatchObject({ rows: [], audio: { mark: 0 } });
  expect(await journal.usedBytes()).toBe(FRAME_BYTES);
});
