import type { AudioEncoderPort } from '../../src/core/audio/audio-types.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import type { Journal } from '../../src/core/session/journal.ts';
import type { EngineHolder } from '../audio/engine-holder.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { DiskWatch } from '../store/disk-watch.ts';
import type { SessionLocks } from '../store/session-lock.ts';
import type { DictationEntries } from '../upload/dictation-entry.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import type { LettingGo } from './letting-go.ts';
import type { LiveParts } from './live-speech.ts';
import type { SampleAccounts } from './sample-accounts.ts';

/** The worker's parts that sessions are made of. */
export type SessionParts = {
  readonly engines: EngineHolder;
  readonly encoder: AudioEncoderPort;
  readonly live: LiveParts;
  readonly journal: Journal;
  readonly locks: SessionLocks;
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
