import type { Deferred } from '../core/async.ts';
import type { CaptureHandle } from '../core/contracts/capture-port.ts';
import type { StartOptions } from '../core/contracts/dictation.ts';
import type { SessionResult, SessionTakeover } from '../core/contracts/worker-api.ts';
import type { SessionOptions } from '../core/options/dictation-options.ts';
import { IDLE_SESSION, type SessionState, type Snapshot } from '../core/session/snapshot.ts';
import type { LivePieces } from './text-inbox.ts';
import type { SessionWorker } from './worker-connection.ts';

/** A session from the press of the button to the delivery of its text. */
export type ActiveSession = {
  readonly id: string;
  readonly worker: SessionWorker;
  readonly options: SessionOptions;
  readonly deliver: StartOptions['deliver'];
  /** Its live pieces on their way into the page. */
  readonly pieces: LivePieces;
  /** True once the microphone is open; false if it did not open. */
  readonly opened: Promise<boolean>;
  /** Lets other tabs have what is left of it. */
  readonly releaseLock: () => void;
  capture: CaptureHandle<MessagePort> | null;
  /**
   * All that was said is in the journal, or has been brought, or is given up: a worker that dies now
   * is replaced by a recovery.
   */
  isWritten: boolean;
  /** Its text, or what of it came in time, is on its way to its place. */
  isAnswered: boolean;
  /** Aborted when the dictation is disposed of, or its page left. */
  readonly gone: AbortController;
  /** The next recording was asked for: this one waits for nothing more. */
  readonly hurried: Deferred<void>;
  /** Its microphone is closed. */
  readonly quiet: Deferred<void>;
  /** The worker may begin another. */
  readonly free: Deferred<void>;
  /** Set by whatever ends the session first; later ones wait for the same end. */
  ending: Promise<SessionResult | null> | null;
};

const STARTING_SESSION: SessionState = { ...IDLE_SESSION, phase: 'starting' };

/** What the worker that goes on with a session is told. */
export function takeoverOf(
  { id: sessionId, options, pieces }: ActiveSession,
  { session: seen, notices }: Snapshot,
): SessionTakeover {
  // The dead one may not have told of it.
  const session = seen.id === sessionId ? seen : { ...STARTING_SESSION, id: sessionId };
  // A copy: what goes in from now on is told the next worker by itself.
  const delivered = new Map(pieces.delivered);
  return { sessionId, options, session, notices, delivered };
}
