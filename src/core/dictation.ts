import type { SessionOptions } from './dictation-options.ts';
import type { LevelPort } from './level-reading.ts';
import type { NoticeKind } from './notices.ts';
import type { Snapshot } from './snapshot.ts';
import type { AudioFile, SessionResult } from './worker-api.ts';

/** Options of one recording, and who gets its text. */
export type StartOptions = Partial<SessionOptions> & {
  /** The microphone to use; null or left out chooses as the spec says. */
  readonly deviceId?: string | null;
  /** Record the sound of a tab too, which the user picks in the browser's dialog. @default false */
  readonly tabSound?: boolean;
  /**
   * Gets the whole text, once: when the session ends, however it ends, or, if chunks are missing then,
   * when the last of them has come and the text was not taken otherwise (if it was, or was thrown away,
   * the text is empty). Answers true when it is in the user's hands: only then is it forgotten here;
   * else it stays in the queue. Left out, the text counts as delivered by the promise of `stop`.
   */
  readonly deliver?: (result: SessionResult) => boolean | Promise<boolean>;
};

/** Voice dictation without an interface. One recording at a time; every call may be repeated. */
export type Dictation = {
  /** Loads what recording will need, without asking for anything: call it when it becomes likely. */
  prepare(): void;
  /** Opens the microphone and records. False, with a log line and a notice, if that can't be. */
  start(options?: StartOptions): Promise<boolean>;
  /** Ends the running segment and holds; the microphone stays open. */
  pause(): void;
  resume(): void;
  /**
   * Waits for the end of speech (5 s at most), closes the microphone, waits for all answers, delivers.
   * Null if nothing was being recorded.
   */
  stop(): Promise<SessionResult | null>;
  getSnapshot(): Snapshot;
  /** Calls `listener` after every change; the answer ends that. */
  subscribe(listener: () => void): () => void;
  /**
   * A port that tells every frame's level from now on: a meter's. The snapshot has the level too, about
   * once a second. Handed on to a worker, it costs the main thread nothing.
   */
  levels(): LevelPort;
  /** Tries a waiting or parked chunk now; null tries all. */
  retry(itemId: string | null): void;
  /** Deletes a chunk: the user has said so. */
  discard(itemId: string): void;
  /** Tries again to bring a kept recording (`Snapshot.kept`) into the queue; fulfilled when it was tried. */
  retryKept(sessionId: string): Promise<void>;
  /** Deletes a kept recording: the user has said so. */
  discardKept(sessionId: string): void;
  /**
   * Gives the text of a waiting session, as far as it is there, to `insert`, and forgets it if that
   * answers true. False if it did not, or no text was to be had: another tab may have taken it.
   */
  takeText(sessionId: string, insert: (text: string) => Promise<boolean>): Promise<boolean>;
  /** The audio of a waiting session as one file; null if there is none. */
  audio(sessionId: string): Promise<AudioFile | null>;
  /** Deletes all stored audio and text, but for a recording under way. */
  wipe(): Promise<void>;
  dismissNotice(kind: NoticeKind): void;
  /** Ends everything; a running recording is kept in the journal, and one being opened is given up (`start` gives false). */
  dispose(): void;
};
