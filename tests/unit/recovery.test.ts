import { expect, test } from 'vitest';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { JournalRecording } from '../../src/core/session/journal.ts';
import type { DictationLocks } from '../../src/platform/locks.ts';
import { createLettingGo } from '../../workers/session/letting-go.ts';
import { createRecovery, type RecoverySetup } from '../../workers/session/recovery.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import type { Journal } from '../../workers/store/journal.ts';
import { DictationEntries } from '../../workers/upload/dictation-entry.ts';
import type { UploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createFakeSpeechEngine } from '../helpers/fake-speech-engine.ts';
import { testHeader } from '../helpers/journal-session.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const RECORDING: JournalRecording = {
  header: {
    ...testHeader('dead'),
    options: { ...DEFAULT_SESSION_OPTIONS, engine: 'ort' },
  },
  cut: { nextChunkNumber: 0, cutUpToSample: 0, isInSpeech: false },
  parts: [],
  taken: [],
  notes: [],
};

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

/** A recovery of dead sessions without audio, whose journal does as the test says. */
function setUp(does: Partial<Journal> & { readonly isQueueReadable?: boolean }) {
  const engine = createFakeSpeechEngine();
  const choices: unknown[] = [];
  const journal = { read: async () => RECORDING, remove: async () => {}, ...does } as Journal;
  const cache = { hasUnstored: () => false, list: () => [] };
  const look = async () => does.isQueueReadable !== false;
  const queue = { adopt() {}, sessionClosed() {}, look, cache } as unknown as UploadQueue;
  const log = createRecordingLog();
  const held = new Set<string>();
  const takeLock = async (dictationId: string) => {
    held.add(dictationId);
    return () => void held.delete(dictationId);
  };
  const locks = { take: takeLock, takeOrphan: takeLock, isOrphan: async () => true };
  const entries = new DictationEntries();
  const dispatch = () => {};
  const lettingGo = createLettingGo({ entries, queue, journal, dispatch } as unknown as Parameters<
    typeof createLettingGo
  >[0]);
  const recovery = createRecovery({
    journal,
    locks: locks as unknown as DictationLocks,
    queue,
    entries,
    lettingGo,
    encoder: {} as RecoverySetup['encoder'],
    accounts: createSampleAccounts(),
    dispatch: () => {},
    clock: createFakeClock(),
    log,
    recordings: { recovering() {}, complete: async () => {} },
    loadEngine: async (choice) => {
      choices.push(choice);
      return engine;
    },
  });
  return { recovery, engine, choices, log, held };
}

test('a journal that cannot be removed now is left alone by others until it is gone', async () => {
  let isBack = false;
  const { recovery, engine, held } = setUp({
    list: async () => [],
    remove: () => Promise.reject(new Error('The disk is away')),
    async flush() {
      if (!isBack) throw new Error('The disk is away');
    },
  });
  expect(await recovery.recover('dead')).toBe('whole');
  expect(engine.calls).toContain('dispose');
  await recovery.recoverOrphans();
  await settled();
  expect([...held], 'cut anew, what is in the queue would come twice').toEqual(['dead']);
  isBack = true;
  await recovery.recoverOrphans();
  await settled();
  expect([...held]).toEqual([]);
});

test('what died goes again through the model and the engine that it was recorded with', async () => {
  const { recovery, choices } = setUp({});
  expect(await recovery.recover('dead')).toBe('whole');
  expect(choices).toMatchObject([{ engine: 'ort' }]);
});

test('nothing is brought into a queue that cannot be read: it may have more of it', async () => {
  const removed: string[] = [];
  const { recovery, held } = setUp({
    isQueueReadable: false,
    remove: async (dictationId) => void removed.push(dictationId),
  });
  await expect(recovery.recover('dead')).rejects.toThrow('cannot be read');
  expect(removed).toEqual([]);
  expect([...held]).toEqual([]);
});

test('a recording that cannot be recovered now does not keep the next one waiting', async () => {
  const read: string[] = [];
  const removed: string[] = [];
  const { recovery, log } = setUp({
    list: async () => [testHeader('unreadable'), testHeader('dead')],
    read: async (dictationId) => {
      read.push(dictationId);
      if (dictationId === 'unreadable') throw new Error('The disk cannot be read here');
      return RECORDING;
    },
    remove: async (dictationId) => void removed.push(dictationId),
  });
  await recovery.recoverOrphans();
  expect(read).toEqual(['unreadable', 'dead']);
  expect(removed).toEqual(['dead']);
  expect(log.lines.map(([level]) => level)).toEqual(['error']);
});
