import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { TextChunks } from '../../src/core/contracts/worker-api.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import {
  FAR_NUMBER,
  type Journal,
  type JournalRecording,
  NO_CUT,
  restOf,
  unknownCut,
} from '../../src/core/session/journal.ts';
import type { SessionState } from '../../src/core/session/snapshot.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import { writtenAudio } from './replay.ts';
import type { SampleAccounts } from './sample-accounts.ts';
import type { SessionPast } from './session.ts';

export type PastPorts = {
  readonly journal: Pick<Journal, 'read'>;
  readonly queue: Pick<UploadQueue, 'resume'>;
  readonly accounts: SampleAccounts;
  readonly recordings: Pick<Recordings, 'recovering'>;
};

/** What is known of a session whose worker died, from disk alone. */
export type KnownPast = Pick<
  SessionState,
  'processedFrames' | 'chunkCounter' | 'transcriptions' | 'pendingTranscriptions' | 'failedChunks'
> & {
  readonly past: SessionPast;
  readonly written: ReturnType<typeof writtenAudio>;
  /** What could not be read, for developers. */
  readonly notes: readonly string[];
  /** The journal as a whole could not be read; null if it could. */
  readonly unread: ErrorInfo | null;
  /** The queue could be read, or nothing was cut that it could hold. */
  readonly isQueueKnown: boolean;
  /** 0 if nothing had been written yet. */
  readonly startedAtMs: number;
};

/**
 * Reads a session's journal and takes its chunks back from the queue; enters what lies before the
 * cut in the account. What cannot be read stays where it is for a recovery, and counts as failed:
 * the session's text is not whole without it.
 */
export async function readPast(
  sessionId: string,
  { journal, queue, accounts, recordings }: PastPorts,
  delivered: TextChunks = new Map(),
): Promise<KnownPast> {
  const { recording, unread } = await readJournal(journal, sessionId);
  // First: texts that were delivered go into it as they are settled.
  if (recording) recordings.recovering(recording.header);
  const resumed = await queue.resume(sessionId, delivered);
  const chunks = resumed ?? [];
  const inChunks = chunks.flatMap(({ item }) => item.ranges ?? []);
  const rest = restOf(
    recording ?? { cut: unread ? unknownCut() : NO_CUT, parts: [], taken: [] },
    inChunks,
  );
  const { cut } = rest;
  const written = writtenAudio(rest);
  const unknownChunks = resumed || !recording ? 0 : recording.cut.nextChunkNumber;
  const missingChunks = unknownChunks + (unread ? 1 : 0);

  const queuedSamples = chunks.reduce((sum, { item }) => sum + item.durationSamples, 0);
  // What stands in the page has left the queue.
  const cutSamples = delivered.size > 0 ? (cut.spokenSamples ?? 0) : 0;
  const spokenSamples = Math.max(cutSamples, queuedSamples);
  const capturedSamples = Math.max(cut.cutUpToSample, spokenSamples);
  accounts.captured(sessionId, capturedSamples);
  accounts.delivered(sessionId, spokenSamples - queuedSamples);
  accounts.silent(sessionId, capturedSamples - spokenSamples);

  const transcriptions = new Map<number, string>();
  for (const { number, outcome } of chunks) {
    if ('kind' in outcome && outcome.kind === 'transcribed')
      transcriptions.set(number, outcome.text);
  }
  return {
    past: { cut, chunks, spokenSamples, missingChunks, isRead: unread === null },
    written,
    notes: recording?.notes ?? [],
    unread,
    isQueueKnown: resumed !== null || unknownChunks === 0,
    startedAtMs: recording?.header.startedAtMs ?? 0,
    processedFrames: Math.ceil(written.endSample / FRAME_SAMPLES),
    chunkCounter: cut.nextChunkNumber < FAR_NUMBER ? cut.nextChunkNumber : chunks.length,
    transcriptions,
    // Each is told of once more, the ones that are there already included.
    pendingTranscriptions: chunks.length,
    failedChunks: missingChunks,
  };
}

async function readJournal(
  journal: PastPorts['journal'],
  sessionId: string,
): Promise<{
  readonly recording: JournalRecording | undefined;
  readonly unread: ErrorInfo | null;
}> {
  try {
    return { recording: await journal.read(sessionId, 'cut'), unread: null };
  } catch (thrown) {
    return { recording: undefined, unread: toErrorInfo(thrown, 'storage-failed') };
  }
}
