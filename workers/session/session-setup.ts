import type { Clock } from '../../src/core/clock.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import { JOURNAL_SCHEMA_VERSION } from '../../src/core/session/journal.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import { createSession, type Session, type SessionPorts } from './session.ts';
import type { SessionParts } from './session-parts.ts';

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
  sessionId: string,
  startedAtMs: number,
  options: SessionOptions,
): Promise<void> {
  const schemaVersion = JOURNAL_SCHEMA_VERSION;
  const header = { sessionId, startedAtMs, options, target: null, schemaVersion };
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
