import { expect, test } from 'vitest';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { Journal, JournalRecording } from '../../src/core/session/journal.ts';
import type { UploadQueue } from '../../workers/delivery/upload-queue-port.ts';
import { createKeptRecordings } from '../../workers/session/kept-recordings.ts';
import { createRecovery, type RecoverySetup } from '../../workers/session/recovery.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { createUnstoredSessions } from '../../workers/session/unstored-sessions.ts';
import type { SessionLocks } from '../../workers/storage/session-lock.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createFakeSpeechEngine } from '../helpers/fake-speech-engine.ts';
import { testHeader } from '../helpers/journal-session.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const RECORDING: JournalRecording = {
  header: {
    ...testHeader('dead'),
    options: { ...DEFAULT_SESSION_OPTIONS, model: 'v4', engine: 'ort' },
  },
  cut: { nextChunkNumber: 0, cutUpToSample: 0, isInSpeech: false },
  parts: [],
  notes: [],
};

/** A recovery of dead sessions without audio, whose journal does as the test says. */
function setUp(does: Partial<Journal>) {
  const engine = createFakeSpeechEngine('v4');
  const choices: unknown[] = [];
  const journal = { read: async () => RECORDING, remove: async () => {}, ...does } as Journal;
  const queue = { adopt() {}, sessionClosed() {} } as unknown as UploadQueue;
  const log = createRecordingLog();
  const takeLock = async () => () => {};
  const locks = { take: takeLock, takeOrphan: takeLock, isOrphan: async () => true };
  const recovery = createRecovery({
    journal,
    locks: locks as unknown as SessionLocks,
    queue,
    unstored: createUnstoredSessions({ queue, journal }),
    encoder: {} as RecoverySetup['encoder'],
    accounts: createSampleAccounts(),
    kept: createKeptRecordings(() => {}),
    unread: new Set(),
    dispatch: () => {},
    clock: createFakeClock(),
    log,
    loadEngine: async (choice) => {
      choices.push(choice);
      return engine;
    },
  });
  return { recovery, engine, choices, log };
}

test('the engine of a recovery that fails is given back all the same', async () => {
  const { recovery, engine } = setUp({
    remove: () => Promise.reject(new Error('The disk is gone')),
  });
  await expect(recovery.recover('dead')).rejects.toThrow('The disk is gone');
  expect(engine.calls).toContain('dispose');
});

test('what died goes again through the model and the engine that it was recorded with', async () => {
  const { recovery, choices } = setUp({});
  expect(await recovery.recover('dead')).toBe('whole');
  expect(choices).toMatchObject([{ model: 'v4', engine: 'ort' }]);
});

test('a recording that cannot be recovered now does not keep the next one waiting', async () => {
  const read: string[] = [];
  const removed: string[] = [];
  const { recovery, log } = setUp({
    list: async () => [testHeader('unreadable'), testHeader('dead')],
    read: async (sessionId) => {
      read.push(sessionId);
      if (sessionId === 'unreadable') throw new Error('The disk cannot be read here');
      return RECORDING;
    },
    remove: async (sessionId) => void removed.push(sessionId),
  });
  await recovery.recoverOrphans();
  expect(read).toEqual(['unreadable', 'dead']);
  expect(removed).toEqual(['dead']);
  expect(log.lines.map(([level]) => level)).toEqual(['error']);
});
