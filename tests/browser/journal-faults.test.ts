import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { DikteraError } from '../../src/core/errors.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createJournal, type JournalPorts } from '../../workers/store/journal.ts';
import { inChromium } from '../helpers/engine.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { noiseFrame, outline, testHeader } from '../helpers/journal-session.ts';
import {
  breakTransactions,
  failOpening,
  fillDisk,
  refuseRecords,
  useSmallDisk,
} from '../helpers/storage-faults.ts';
import { createTestDatabase, storedOf, testDatabase } from '../helpers/test-database.ts';

type JournalParts = Partial<JournalPorts> & { readonly databaseName?: string };

function openJournal({ databaseName = testDatabase(), ...ports }: JournalParts = {}) {
  const onFailure = vi.fn<(error: DikteraError) => void>();
  const onRecovered = vi.fn();
  const clock = createFakeClock();
  const journal = createJournal({
    database: createTestDatabase(databaseName, ports.clock ?? clock),
    clock,
    onFailure,
    onRecovered,
    ...ports,
  });
  onTestFinished(() => journal.dispose());
  return { journal, clock, databaseName, onFailure, onRecovered };
}

function storageFailure(causeName: string) {
  return expect.objectContaining({
    code: 'storage-failed',
    message: expect.stringContaining(causeName),
    cause: expect.objectContaining({ name: causeName }),
  });
}

describe('a journal whose storage fails', () => {
  test('survives one failed open, and one lost connection, without a word', async () => {
    const { journal, onFailure } = openJournal();
    const opening = failOpening(1);
    await journal.begin(testHeader('s'));
    expect(opening.failures()).toBe(1);

    const breaking = breakTransactions('lost', 1);
    journal.append('s', 0, noiseFrame(0));
    await journal.flush('s');
    expect(breaking.failures()).toBe(1);
    expect(outline((await journal.read('s'))?.parts)).toEqual([[0, FRAME_SAMPLES]]);
    expect(onFailure).not.toHaveBeenCalled();
  });

  test('says so once for each cause, keeps everything, and writes it when storage is back', async () => {
    const { journal, clock, onFailure, onRecovered } = openJournal();
    const opening = failOpening(Number.POSITIVE_INFINITY);
    await expect(journal.begin(testHeader('s'))).rejects.toEqual(storageFailure('UnknownError'));
    for (const number of [0, 1, 2, 3]) {
      journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
    }
    journal.mark('s', { kind: 'gap', atSample: 2 * FRAME_SAMPLES });
    await clock.advance(10_000);
    expect(onFailure.mock.calls).toEqual([[storageFailure('UnknownError')]]);
    expect(onRecovered).not.toHaveBeenCalled();

    opening.heal();
    await clock.advance(30_000);
    await expect.poll(() => onRecovered.mock.calls.length).toBe(1);
    const recording = await journal.read('s');
    expect(recording?.header).toEqual(testHeader('s'));
    expect(outline(recording?.parts)).toEqual([[0, 3_072], 'gap 3072', [3_072, 6_144]]);

    const again = breakTransactions('abort', 2);
    journal.append('s', 4 * FRAME_SAMPLES, noiseFrame(4));
    await expect(journal.flush('s')).rejects.toEqual(storageFailure('AbortError'));
    expect(again.failures()).toBe(2);
    expect(onFailure).toHaveBeenCalledTimes(2);
  });

  test('deletes nothing that a recovery would need while the cut cannot be written, and queues nothing', async () => {
    const { journal, databaseName } = openJournal();
    await journal.begin(testHeader('s'));
    journal.append('s', 0, noiseFrame(0));
    await journal.flush('s');
    const heal = refuseRecords('dictations');
    journal.append('s', FRAME_SAMPLES, noiseFrame(1));
    const cut = { nextChunkNumber: 1, cutUpToSample: 2 * FRAME_SAMPLES, isInSpeech: false };
    const queueIt = (_dictations: IDBObjectStore, chunks: IDBObjectStore) =>
      void chunks.put({}, ['s', 0]);
    await expect(journal.cutWith({ ...cut, dictationId: 's' }, queueIt)).rejects.toMatchObject({
      code: 'storage-failed',
    });

    // The power goes: another start sees the disk alone.
    const { journal: next } = openJournal({ databaseName });
    const dead = await next.read('s', 'cut');
    expect(dead?.cut.nextChunkNumber).toBe(0);
    expect(outline(dead?.parts)).toEqual([[0, FRAME_SAMPLES]]);

    expect((await storedOf(databaseName)).chunks).toHaveLength(0);

    heal();
    await journal.cutWith({ ...cut, dictationId: 's' }, queueIt);
    await journal.flush('s');
    expect((await next.read('s', 'cut'))?.cut).toEqual(cut);
    expect(await next.usedBytes()).toBe(0);
    expect((await storedOf(databaseName)).chunks).toHaveLength(1);
  });

  inChromium(
    'full disk: a typed error with its cause, and all is written once there is room (Firefox, WebKitGTK: no storage buckets to fill)',
    async () => {
      await useSmallDisk(2_000_000);
      const { journal, onFailure, onRecovered } = openJournal();
      await journal.begin(testHeader('s'));
      const makeRoom = await fillDisk();
      for (let number = 0; number < 40; number += 1) {
        journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
      }
      await expect(journal.flush('s')).rejects.toEqual(storageFailure('QuotaExceededError'));
      expect(onFailure).toHaveBeenCalledTimes(1);

      await makeRoom();
      await journal.flush('s');
      expect(onRecovered).toHaveBeenCalledTimes(1);
      expect(outline((await journal.read('s'))?.parts)).toEqual([[0, 40 * FRAME_SAMPLES]]);
    },
  );

  inChromium(
    'full disk: what can be spared elsewhere is, before anybody is told (Firefox, WebKitGTK: no storage buckets to fill)',
    async () => {
      await useSmallDisk(2_000_000);
      const spare = { others: async () => false };
      const { journal, onFailure } = openJournal({ spareOthers: () => spare.others() });
      await journal.begin(testHeader('s'));
      const makeRoom = await fillDisk();
      spare.others = async () => {
        await makeRoom();
        return true;
      };
      for (let number = 0; number < 40; number += 1) {
        journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
      }
      await journal.flush('s');
      expect(onFailure).not.toHaveBeenCalled();
      expect(outline((await journal.read('s'))?.parts)).toEqual([[0, 40 * FRAME_SAMPLES]]);
    },
  );

  inChromium(
    'full disk: silence is deleted all the same, and what was said gets its place (Firefox, WebKitGTK: no storage buckets to fill)',
    async () => {
      await useSmallDisk(2_000_000);
      const { journal, clock, databaseName, onFailure } = openJournal();
      await journal.begin(testHeader('s'));
      for (let number = 0; number < 100; number += 1) {
        journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
      }
      await journal.flush('s');
      await fillDisk();
      const endSample = 100 * FRAME_SAMPLES;
      for (let number = 100; number < 140; number += 1) {
        journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
      }
      await expect.poll(() => onFailure.mock.calls.length).toBe(1);
      journal.drop('s', { startSample: 0, endSample });
      await clock.advance(10_000);
      // The browser says some time after a deletion that there is room.
      const isWritten = () =>
        journal.flush('s').then(
          () => true,
          () => false,
        );
      await expect.poll(isWritten).toBe(true);
      const { journal: onDisk } = openJournal({ databaseName });
      expect(outline((await onDisk.read('s'))?.parts)).toEqual([
        `hole 0-${endSample}`,
        [endSample, endSample + 40 * FRAME_SAMPLES],
      ]);
    },
  );

  test('full disk: a browser that counts what is stored only when something changes counts again', async () => {
    const { journal, onRecovered } = openJournal();
    const heal = refuseRecords('pcm', 'QuotaExceededError');
    const remove = IDBObjectStore.prototype.delete;
    const removing = vi.spyOn(IDBObjectStore.prototype, 'delete');
    onTestFinished(() => removing.mockRestore());
    removing.mockImplementation(function (this: IDBObjectStore, range) {
      heal();
      return remove.call(this, range);
    });
    journal.append('s', 0, noiseFrame(0));
    await expect(journal.flush('s')).rejects.toEqual(storageFailure('QuotaExceededError'));
    await journal.flush('s');
    expect(onRecovered).toHaveBeenCalledTimes(1);
  });

  test('full disk: what waits to be deleted goes before a chunk is given up', async () => {
    const { journal, databaseName } = openJournal();
    for (let number = 0; number < 100; number += 1) {
      journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
    }
    await journal.flush('s');
    const heal = refuseRecords('head', 'QuotaExceededError');
    const remove = IDBObjectStore.prototype.delete;
    const removing = vi.spyOn(IDBObjectStore.prototype, 'delete');
    onTestFinished(() => removing.mockRestore());
    removing.mockImplementation(function (this: IDBObjectStore, range) {
      heal();
      return remove.call(this, range);
    });
    journal.drop('s', { startSample: 0, endSample: 90 * FRAME_SAMPLES });
    const cut = { nextChunkNumber: 1, cutUpToSample: 95 * FRAME_SAMPLES, isInSpeech: false };
    await journal.cutWith(
      { ...cut, dictationId: 's' },
      (_dictations, chunks) => void chunks.put({}, ['s', 0]),
    );
    expect((await storedOf(databaseName)).chunks).toHaveLength(1);
    expect(await journal.usedBytes()).toBe(6 * FRAME_SAMPLES * 2);
  });

  test('no room for audio: a cut is small and goes through, and what it has handed over is deleted', async () => {
    const { journal, databaseName } = openJournal();
    await journal.begin(testHeader('s'));
    journal.append('s', 0, noiseFrame(0));
    await journal.flush('s');
    const heal = refuseRecords('pcm', 'QuotaExceededError');
    journal.append('s', FRAME_SAMPLES, noiseFrame(1));
    const cut = { nextChunkNumber: 1, cutUpToSample: FRAME_SAMPLES, isInSpeech: false };
    await journal.cutWith({ ...cut, dictationId: 's' }, () => {});

    // The power goes: another start sees the disk alone.
    const { journal: next } = openJournal({ databaseName });
    const dead = await next.read('s');
    expect(dead?.cut).toEqual(cut);
    expect(dead?.parts).toEqual([]);

    heal();
    await journal.flush('s');
    expect(outline((await next.read('s', 'cut'))?.parts)).toEqual([
      [FRAME_SAMPLES, 2 * FRAME_SAMPLES],
    ]);
  });

  test('never answers: the deadline ends it, and what comes too late changes nothing', async () => {
    const { journal, clock, databaseName, onFailure } = openJournal();
    const opening = failOpening(2, 'hang');
    const flushed = expect(journal.begin(testHeader('s'))).rejects.toEqual(
      storageFailure('TimeoutError'),
    );
    await clock.advance(30_000);
    await flushed;
    expect(onFailure).toHaveBeenCalledTimes(1);
    await journal.remove('s');
    opening.heal();
    // Openings are answered in their order: the late ones are through when this one is.
    expect((await storedOf(databaseName)).rows).toEqual([]);
  });

  test('for long: gives up the oldest audio beyond its bound, says so, and keeps the rest', async () => {
    const opening = failOpening(Number.POSITIVE_INFINITY);
    const { journal, onFailure } = openJournal({ maxPendingBytes: 10 * FRAME_SAMPLES * 2 });
    await journal.begin(testHeader('s')).catch(() => {});
    for (let number = 0; number < 13; number += 1) {
      journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
    }
    expect(onFailure).toHaveBeenCalledTimes(2);
    opening.heal();
    const recording = await journal.read('s');
    expect(recording?.header).toEqual(testHeader('s'));
    expect(outline(recording?.parts)).toEqual([
      ...[0, 1, 2].map((frame) => `hole ${frame * FRAME_SAMPLES}-${(frame + 1) * FRAME_SAMPLES}`),
      [3 * FRAME_SAMPLES, 13 * FRAME_SAMPLES],
    ]);
    expect(recording?.parts[0]).toMatchObject({ cause: 'unreadable' });
    expect(recording?.notes).toHaveLength(3);
  });
});

test('a nonsense position is reported and does not stop what is sound', async () => {
  const { journal, onFailure } = openJournal({ clock: browserClock });
  journal.append('s', Number.NaN, noiseFrame(0));
  journal.append('s', 0, noiseFrame(0));
  await journal.flush('s');
  expect(outline((await journal.read('s'))?.parts)).toEqual([[0, FRAME_SAMPLES]]);
  expect(onFailure).toHaveBeenCalledTimes(1);
  const uncloneable = { ...testHeader('s'), target: (() => 'x') as never };
  await expect(journal.begin(uncloneable)).rejects.toMatchObject({ code: 'storage-failed' });
});
