import type { AudioEncoderPort } from '../../src/core/audio/audio-types.ts';
import type { Clock } from '../../src/core/clock.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import { JOURNAL_SCHEMA_VERSION, type Journal } from '../../src/core/session/journal.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import type { DictationLocks } from '../../src/platform/locks.ts';
import type { EngineCache } from '../audio/engine-cache.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { DiskWatch } from '../store/disk-watch.ts';
import type { DictationEntries } from '../upload/dictation-entry.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import type { LettingGo } from './letting-go.ts';
import type { LiveParts } from './live-speech.ts';
import type { SampleAccounts } from './sample-accounts.ts';
import { createSession, type Session, type SessionPorts } from './session.ts';

/** The worker's parts that sessions are made of. */
export type SessionParts = {
  readonly engines: EngineCache;
  readonly encoder: AudioEncoderPort;
  readonly live: LiveParts;
  readonly journal: Journal;
  readonly locks: DictationLocks;
  readonly queue: UploadQueue;
  readonly accounts: SampleAccounts;
  readonly entries: DictationEntries;
  readonly lettingGo: LettingGo;
  readonly recordings: Recordings;
  /** Puts the account of the samples into the snapshot. */
  readonly publishLedger: () => void;
  readonly disk: DiskWatch;
  /** A recording's options with its language, as far as that is known by now. */
  readonly spoken: (options: SessionOptions) => SessionOptions;
};

/** What sessions are made with. */
export type SessionSetup = {
  readonly parts: SessionParts;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** A session made of the worker's parts. */
export function createSessionOf(
  setup: SessionSetup,
  given: Pick<SessionPorts, 'id' | 'options' | 'startedAtMs' | 'past' | 'engine' | 'recorder'>,
): Session {
  const { engines, encoder, live, queue, journal, accounts } = setup.parts;
  const parts = { encoder, live, queue, journal, accounts, onEngineFailed: engines.giveUp };
  return createSession({ ...setup, ...parts, ...given });
}

/** Opens a session's journal. Storage that fails is told by the journal itself and stops nobody. */
export function openJournal(
  { parts }: SessionSetup,
  dictationId: string,
  startedAtMs: number,
  options: SessionOptions,
): Promise<void> {
  const schemaVersion = JOURNAL_SCHEMA_VERSION;
  const header = { dictationId, startedAtMs, options, target: null, schemaVersion };
  return parts.journal.begin(header).catch(() => {});
}

/** Finds the audio format; null, or why there is none. */
export async function chooseAudioType({ parts }: SessionSetup): Promise<ErrorInfo | null> {
  try {
    await parts.encoder.chooseType();
    return null;
  } catch (error) {
    return toErrorInfo(error, 'audio-type-missing');
  }
}
