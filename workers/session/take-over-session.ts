import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { DictationTakeover, TextChunks } from '../../src/core/contracts/worker-api.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { checkSessionOptions } from '../../src/core/options/check-options.ts';
import { joinTranscripts } from '../../src/core/queue/queue-item.ts';
import {
  FAR_NUMBER,
  type JournalRecording,
  NO_CUT,
  restOf,
  unknownCut,
} from '../../src/core/session/journal.ts';
import { EMPTY_LIVE_TEXT, type SessionState } from '../../src/core/session/snapshot.ts';
import { withDeadline } from '../../src/platform/deadline.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { Journal } from '../store/journal.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import type { SampleAccounts } from './sample-accounts.ts';
import {
  chooseAudioType,
  createSessionOf,
  openJournal,
  type Session,
  type SessionPast,
  type SessionSetup,
} from './session.ts';
import { writtenAudio } from './speech-pipeline.ts';

type PastPorts = {
  readonly journal: Pick<Journal, 'read'>;
  readonly queue: Pick<UploadQueue, 'resume'>;
  readonly accounts: SampleAccounts;
  readonly recordings: Pick<Recordings, 'recovering'>;
};

/** The past of a session whose worker died, as the disk has it. */
type KnownPast = Pick<
  SessionState,
  | 'processedFrames'
  | 'chunkCounter'
  | 'chunkEnds'
  | 'transcriptions'
  | 'pendingTranscriptions'
  | 'failedChunks'
> & {
  readonly past: SessionPast;
  readonly written: ReturnType<typeof writtenAudio>;
  /** Records that could not be read, for developers. */
  readonly notes: readonly string[];
  /** The journal as a whole could not be read; null if it could. */
  readonly unread: ErrorInfo | null;
  /** The queue could be read, or nothing was cut that it could hold. */
  readonly isQueueKnown: boolean;
  /** 0 if nothing had been written yet. */
  readonly startedAtMs: number;
};

/**
 * Reads a session's journal and takes its chunks back from the queue; enters samples before the cut
 * in the ledger. Unreadable audio stays where it is for a recovery, and counts as failed: the
 * session's text is not whole without it.
 */
async function readPast(
  dictationId: string,
  { journal, queue, accounts, recordings }: PastPorts,
  delivered: TextChunks = new Map(),
  chunkEnds: SessionState['chunkEnds'] = new Map(),
): Promise<KnownPast> {
  const { recording, unread } = await readJournal(journal, dictationId);
  // First: texts that were delivered go into it as they are settled.
  if (recording) recordings.recovering(recording.header);
  const resumed = await queue.resume(dictationId, delivered);
  const chunks = resumed ?? [];
  // The sound behind texts that stand in the page, whether or not their chunks were stored.
  const inPage = Math.max(0, ...[...delivered.keys()].map((number) => chunkEnds.get(number) ?? 0));
  const inChunks = chunks.flatMap(({ item }) => item.ranges ?? []);
  inChunks.push({ startSample: 0, endSample: inPage });
  const rest = restOf(
    recording ?? { cut: unread ? unknownCut() : NO_CUT, parts: [], taken: [] },
    inChunks,
  );
  const { cut } = rest;
  const written = writtenAudio(rest);
  const unknownChunks = resumed || !recording ? 0 : recording.cut.nextChunkNumber;
  const missingChunks = unknownChunks + (unread ? 1 : 0);

  const queuedSamples = chunks.reduce((sum, { item }) => sum + item.durationSamples, 0);
  // Chunks that stand in the page have left the queue.
  const cutSamples = delivered.size > 0 ? (cut.spokenSamples ?? 0) : 0;
  const spokenSamples = Math.max(cutSamples, queuedSamples);
  const capturedSamples = Math.max(cut.cutUpToSample, spokenSamples);
  accounts.captured(dictationId, capturedSamples);
  accounts.delivered(dictationId, spokenSamples - queuedSamples);
  accounts.silent(dictationId, capturedSamples - spokenSamples);

  const transcriptions = new Map<number, string>();
  for (const { number, outcome } of chunks) {
    if ('kind' in outcome && outcome.kind === 'answered') transcriptions.set(number, outcome.text);
  }
  return {
    past: { cut, chunks, spokenSamples, missingChunks, isRead: unread === null, chunkEnds },
    written,
    notes: recording?.notes ?? [],
    unread,
    isQueueKnown: resumed !== null || unknownChunks === 0,
    startedAtMs: recording?.header.startedAtMs ?? 0,
    processedFrames: Math.ceil(written.endSample / FRAME_SAMPLES),
    chunkCounter: cut.nextChunkNumber < FAR_NUMBER ? cut.nextChunkNumber : chunks.length,
    transcriptions,
    chunkEnds: new Map([
      ...chunkEnds,
      ...chunks.map(({ number, item }) => [number, item.ranges?.at(-1)?.endSample ?? 0] as const),
    ]),
    // Each is told of once more, the ones that are there already included.
    pendingTranscriptions: chunks.length,
    failedChunks: missingChunks,
  };
}

async function readJournal(
  journal: PastPorts['journal'],
  dictationId: string,
): Promise<{
  readonly recording: JournalRecording | undefined;
  readonly unread: ErrorInfo | null;
}> {
  try {
    return { recording: await journal.read(dictationId, 'cut'), unread: null };
  } catch (thrown) {
    return { recording: undefined, unread: toErrorInfo(thrown, 'storage-failed') };
  }
}

/**
 * The worklet keeps what comes meanwhile for 60 s: an engine that takes longer to load is gone on
 * without.
 */
const ENGINE_WAIT_MS = 15_000;

/** A session that goes on here, and when it began, in ms since 1970. */
type TakenOverSession = { readonly session: Session; readonly startedAtMs: number };

/**
 * Goes on with a session whose worker is dead; its lock is ours. Fulfilled when what the journal
 * holds is cut and the worklet has been asked for the rest; where the journal cannot be read, for
 * all it has.
 */
export async function takeOverSession(
  { dictationId: id, notices, delivered, ...takeover }: DictationTakeover,
  framePort: MessagePort,
  setup: SessionSetup & {
    /** True if its page still has it: throws where not, and leaves nothing behind. */
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
    takeover.session.chunkEnds,
  );
  expectWanted();
  tellUnreadable(notes);
  if (known.unread) tellUnread(known.unread);
  if (!known.isQueueKnown) entries.of(id).isUnread = true;
  const startedAtMs = known.startedAtMs || clock.nowMs();
  const { processedFrames, chunkCounter, chunkEnds, pendingTranscriptions, failedChunks } = known;
  const seen = countTakeover(takeover.session, delivered);
  const transcriptions = new Map([...seen.transcriptions, ...known.transcriptions]);
  const told = {
    processedFrames,
    chunkCounter,
    chunkEnds,
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
 * The session as the page saw it last, for the next worker. It keeps only texts that are in the
 * page: others may have been in the dead worker's memory alone, and their audio is cut again,
 * perhaps differently.
 */
export function countTakeover(session: SessionState, delivered: TextChunks): SessionState {
  const transcriptions = new Map(
    [...session.transcriptions].filter(([number]) => delivered.has(number)),
  );
  return { ...session, transcriptions, takeovers: session.takeovers + 1 };
}
