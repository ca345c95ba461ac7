import { withDeadline } from '../../src/core/async.ts';
import type { SessionTakeover, TextChunks } from '../../src/core/contracts/worker-api.ts';
import { DikteraError, type ErrorInfo } from '../../src/core/errors.ts';
import { checkSessionOptions } from '../../src/core/options/session-option-check.ts';
import { joinTranscripts } from '../../src/core/queue/join-transcripts.ts';
import { EMPTY_LIVE_TEXT, type SessionState } from '../../src/core/session/snapshot.ts';
import { readPast } from './read-past.ts';
import type { Session } from './session.ts';
import {
  chooseAudioType,
  createSessionOf,
  openJournal,
  type SessionSetup,
} from './session-setup.ts';

/**
 * The worklet keeps what comes meanwhile for 60 s: an engine that takes longer to load is gone on
 * without.
 */
const ENGINE_WAIT_MS = 15_000;

/** A session that goes on here, and when it began, in ms since 1970. */
export type TakenOverSession = { readonly session: Session; readonly startedAtMs: number };

/**
 * Goes on with a session whose worker is dead; its lock is ours. Fulfilled when what the journal
 * holds is cut and the worklet has been asked for the rest; where the journal cannot be read, for
 * all it has.
 */
export async function takeOverSession(
  { sessionId: id, notices, delivered, ...takeover }: SessionTakeover,
  framePort: MessagePort,
  setup: SessionSetup & {
    /** Whether its page still has it: throws where not, and leaves nothing behind. */
    readonly isWanted: () => boolean;
  },
): Promise<TakenOverSession> {
  const { clock, log, dispatch, isWanted } = setup;
  const { journal, queue, accounts, engines, disk, publishLedger, entries, recordings } =
    setup.parts;
  const options = setup.parts.spoken(checkSessionOptions(takeover.options, log));
  const engine = engines.get(options);
  const { past, written, notes, ...known } = await readPast(
    id,
    { journal, queue, accounts, recordings },
    delivered,
  );
  expectWanted();
  tellUnreadable(notes);
  if (known.unread) tellUnread(known.unread);
  if (!known.isQueueKnown) entries.of(id).isUnread = true;
  const startedAtMs = known.startedAtMs || clock.nowMs();
  const { processedFrames, chunkCounter, pendingTranscriptions, failedChunks } = known;
  const seen = countTakeover(takeover.session, delivered);
  const transcriptions = new Map([...seen.transcriptions, ...known.transcriptions]);
  const told = {
    processedFrames,
    chunkCounter,
    transcriptions,
    pendingTranscriptions,
    failedChunks,
    live:
      options.live === true || seen.live
        ? { ...EMPTY_LIVE_TEXT, finalText: joinTranscripts(transcriptions, 'running') }
        : null,
  };
  dispatch({
    kind: 'session-taken-over',
    session: { ...seen, ...told },
    notices,
  });
  const recorder = await recordings.resume({ id, startedAtMs, options });
  expectWanted();
  const session = createSessionOf(setup, {
    id,
    options,
    startedAtMs,
    past,
    recorder,
    engine: withDeadline(clock, engine, ENGINE_WAIT_MS, () => null),
  });
  // The dead worker may not have written the header.
  void openJournal(setup, id, startedAtMs, options);
  disk.start();
  try {
    await session.replay(written.parts, isWanted);
    await chooseAudioType(setup);
    expectWanted();
  } catch (thrown) {
    session.dispose();
    await recorder.stop();
    throw thrown;
  }
  session.connect(framePort, written.endSample);
  publishLedger();
  return { session, startedAtMs };

  function expectWanted(): void {
    if (!isWanted()) throw new DikteraError('wrong-phase', 'Its page has the session no more');
  }

  function tellUnread(error: ErrorInfo): void {
    log.error('The recording goes on without its journal, which cannot be read', error);
    entries.of(id).isUnread = true;
    dispatch({ kind: 'notice-raised', notice: 'storage-failed', error });
  }

  function tellUnreadable(unread: readonly string[]): void {
    for (const note of unread) log.warn('Part of a recording could not be read', note);
    if (unread.length === 0) return;
    dispatch({ kind: 'notice-raised', notice: 'audio-damaged', error: null });
  }
}

/**
 * What the page saw last, in the next worker's hands. Of texts only those that stand in the page:
 * what else the dead one told may have been in its memory alone, and is cut anew, perhaps otherwise.
 */
export function countTakeover(session: SessionState, delivered: TextChunks): SessionState {
  const transcriptions = new Map(
    [...session.transcriptions].filter(([number]) => delivered.has(number)),
  );
  return { ...session, transcriptions, takeovers: session.takeovers + 1 };
}
