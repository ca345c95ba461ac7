import type { AudioEncoderPort } from '../src/core/audio/audio-types.ts';
import type { AudioFile } from '../src/core/contracts/worker-api.ts';
import type { Journal } from '../src/core/session/journal.ts';
import type { UploadQueue } from './delivery/upload-queue-port.ts';
import type { EngineHolder } from './engine-holder.ts';
import type { ServerWatch } from './server-watch.ts';
import type { KeptRecordings } from './session/kept-recordings.ts';
import type { Recovery } from './session/recovery.ts';
import type { UnstoredSessions } from './session/unstored-sessions.ts';
import type { WordBook } from './session/word-book.ts';
import type { DiskWatch } from './storage/disk-watch.ts';
import type { SessionLocks } from './storage/session-lock.ts';
import type { VisibleTabs } from './storage/visible-lock.ts';

/** What a worker is made of, once it knows where things are. */
export type WorkerParts = {
  readonly engines: EngineHolder;
  readonly encoder: AudioEncoderPort;
  readonly journal: Journal;
  readonly locks: SessionLocks;
  readonly queue: UploadQueue;
  readonly recovery: Recovery;
  readonly server: ServerWatch;
  readonly visibleTabs: VisibleTabs;
  readonly book: WordBook;
  readonly kept: KeptRecordings;
  /**
   * Sessions that went on here without their journal or their earlier chunks: the journal stays, and nothing of
   * them is sent or given, until a recovery has read both.
   */
  readonly unread: Set<string>;
  readonly unstored: UnstoredSessions;
  /** Puts the account of the words into the snapshot. */
  readonly tellLedger: () => void;
  readonly disk: DiskWatch;
  /** The audio of a session's waiting chunks as one file. */
  readonly audioOf: (sessionId: string) => Promise<AudioFile | null>;
};
