import type { Clock, Random } from '../../src/core/clock.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { ClaimedText, SessionText, TextChunks } from '../../src/core/contracts/worker-api.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { JournalCut } from '../../src/core/queue/journal-cut.ts';
import type { QueueItem, QueueItemHead, QueueStore } from '../../src/core/queue/queue-item.ts';
import type { QueueState, ServerState } from '../../src/core/session/snapshot.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { QueueCache, TextsOf } from './queue-cache-port.ts';
import type { QueueTabs, SettledHow } from './queue-tabs.ts';
import type { ServerSight } from './server-need.ts';
import type { TranscribeRequest } from './transcribe-request.ts';

/** What an upload queue needs. */
export type UploadQueuePorts = {
  readonly store: QueueStore;
  readonly request: TranscribeRequest;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Told of every change, at once. */
  readonly onChange: (queue: QueueState) => void;
  /** The store failed (chunks are kept in memory and sent all the same), or (null) works again. */
  readonly onStorage?: (error: ErrorInfo | null) => void;
  /** A chunk left the queue for good, here or in another tab. */
  readonly onSettled?: (id: string, how: SettledHow) => void;
  /** What is to be stored of texts that are in the user's hands. @default nothing is */
  readonly textsOf?: TextsOf;
  /** Such texts have been stored. */
  readonly onHanded?: () => void;
  /**
   * Something waits here for the server's return: it is to be looked for, `serverSeen` to be told.
   */
  readonly onServerNeeded?: () => void;
  /** The server has sent a text. */
  readonly onAnswered?: () => void;
  /** The same, of a server that has learnt a language. */
  readonly onLanguageMissed?: () => void;
  /** @default no other tabs */
  readonly tabs?: QueueTabs;
};

/** A chunk that the session's dead worker had cut. */
export type ResumedChunk = {
  readonly number: number;
  readonly item: QueueItemHead;
  /** Its text if there is one already, else how its one round will end. */
  readonly outcome: ChunkOutcome | Promise<ChunkOutcome>;
};

/** Chunks on their way to becoming text. Nothing is removed before its text is handed over. */
export type UploadQueue = {
  /** Begins to send what earlier days left; call it when crashed sessions have been recovered. */
  start(): void;
  /**
   * Takes a chunk of a live session: stores it, and in the same step cuts the session's journal
   * behind it (null: that stays as it is); then uploads, stored or not. A session's chunks go in
   * the order of submitting, whatever else waits. Never rejects.
   */
  submit(item: QueueItem, cut?: JournalCut | null): Promise<ChunkOutcome>;
  /**
   * Takes a chunk of a dead session: stores it as `submit` does, and leaves it to the backlog,
   * which has it when the session is adopted. The store must have been read before. If what is
   * stored is as long or longer, it stays: an earlier version cut its journal in a step of its own,
   * and a power cut may have taken the journal's end in between. Never rejects.
   */
  enqueue(item: QueueItem, cut?: JournalCut | null): Promise<void>;
  /**
   * Goes on with a session whose worker died: gives its chunks their round, if
   * they have no text. Null if the store can't be read: then nobody knows which there are.
   * `delivered` stand in the page already: they are settled.
   */
  resume(sessionId: string, delivered?: TextChunks): Promise<readonly ResumedChunk[] | null>;
  /** Reads the store anew; false if it can't be read. */
  look(): Promise<boolean>;
  /** A dead session is this tab's to send: what can be brought here of it is here. */
  adopt(sessionId: string): void;
  /**
   * Part of a session is in its journal alone: nothing of it is sent or shown before a recovery has
   * it.
   */
  disown(sessionId: string): void;
  /**
   * The text of a session whose worker died: gives what still waits of it one round, then joins.
   */
  resultOf(sessionId: string): Promise<SessionText>;
  /** A live session's stop was asked for: a piece that fails now is not tried again for it. */
  hurry(sessionId: string): void;
  /** Nobody waits for a session's texts any more: its chunks under way leave it. */
  stopWaiting(sessionId: string): void;
  /**
   * The texts given by `submit` or `resultOf` are in the user's hands: those chunks go, but for
   * those that may not be all that was said. In the same step goes the journal of a session that is
   * over (`isOver`), if the store has all that is left of it; true if it is gone.
   */
  acknowledge(
    sessionId: string,
    verdict: Exclude<DeliveryVerdict, false>,
    isOver?: boolean,
  ): Promise<boolean>;
  /** The network may be back: the tab that sends is told, whichever it is. */
  wake(): void;
  /** Whether something waits here because of the network or the server. */
  needsServer(): boolean;
  /** The server was looked at; what waited for a language that it has learnt is sent again. */
  serverSeen(sight: ServerSight, server?: ServerState): void;
  /** Whether something was refused here for its language. */
  missesLanguage(): boolean;
  /**
   * The user wants a waiting or parked chunk tried now, a doubted one written down anew, or (null)
   * all that wait tried. Ends the pause after a 401 or 403.
   */
  retry(itemId: string | null): Promise<void>;
  /** Gives a chunk up for good. */
  discard(itemId: string): Promise<void>;
  /**
   * Gives up all chunks but those of the sessions spared, of open sessions, and of those
   * whose text another tab awaits.
   */
  discardAll(spared: ReadonlySet<string>): Promise<void>;
  /**
   * Takes the text of a waiting session for this tab alone; `settle` must follow. See `TextClaims`.
   */
  claim(sessionId: string): Promise<ClaimedText | null>;
  settle(sessionId: string, verdict: DeliveryVerdict, chunks: TextChunks): Promise<void>;
  /** Pieces of a session that runs here stand in the page. */
  settlePieces(
    sessionId: string,
    verdict: Exclude<DeliveryVerdict, false>,
    chunks: TextChunks,
  ): Promise<void>;
  /** What dead sessions have left was looked for: it is here, as far as it can be. */
  recovered(): void;
  /** A session of this tab, or a dead one, was let go: all tabs look at what is left of it. */
  sessionClosed(): void;
  /** Whether anything of a session waits. */
  holds(sessionId: string): boolean;
  /** The chunks themselves. */
  readonly cache: QueueCache;
  snapshot(): QueueState;
  /** Stops requests and timers; what is under way leaves its session and stays in the store. */
  dispose(): void;
};
