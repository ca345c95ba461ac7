import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { type JournalRecording, restOf } from '../../src/core/session/journal.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { EngineChoice, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import {
  DEAD_WORKER_WAIT_MS,
  type DictationLocks,
  type ReleaseLock,
} from '../../src/platform/locks.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { Journal } from '../store/journal.ts';
import type { DictationEntries, Recovered } from '../upload/dictation-entry.ts';
import { type ChunkSenderPorts, createChunkSender, type SendOutcome } from './chunk-sender.ts';
import type { LettingGo } from './letting-go.ts';
import type { LiveParts } from './live-speech.ts';
import { createReplay, createSpeechPipeline } from './speech-pipeline.ts';

type RecoveryPorts = Omit<
  ChunkSenderPorts,
  | 'dictationId'
  | 'options'
  | 'startedAtMs'
  | 'isJournalCut'
  | 'spokenSamples'
  | 'dispatch'
  | 'upload'
> & {
  /** @default a server that bills by the request */
  readonly live?: Pick<LiveParts, 'freePieces'>;
  readonly clock: Clock;
  readonly engine: Promise<SpeechEngine | null>;
};

/**
 * Brings what a dead session left in the journal into the queue: the audio that was not yet there
 * is cut as it would have been. Fulfilled when each chunk waits to be sent, or could not be
 * encoded.
 */
async function recoverSession(
  { header, cut, parts, notes }: JournalRecording,
  ports: RecoveryPorts,
): Promise<SendOutcome> {
  for (const note of notes) ports.log.warn('Part of a recording could not be read', note);
  const { dictationId, options } = header;
  const { accounts, clock } = ports;
  // As the session itself was, by all that is known.
  const isInPieces = () => options.live === true || ports.live?.freePieces() === true;
  const replay = createReplay(dictationId, accounts, clock);
  accounts.replaying(dictationId, cut.nextChunkNumber);
  const sender = createChunkSender({
    ...ports,
    dictationId,
    options,
    isInPieces,
    // A header that was lost does not say.
    startedAtMs: header.startedAtMs || clock.nowMs(),
    isJournalCut: true,
    spokenSamples: cut.spokenSamples,
    dispatch: () => {},
    upload: 'later',
  });
  const pipeline = createSpeechPipeline({
    engine: ports.engine,
    options,
    cut,
    isInPieces,
    log: ports.log,
    onChunk: (chunk) => sender.send(chunk),
    onFrame: () => {},
    onSilence: replay.silent,
    onEngineFailed: (error) => ports.log.error('Speech detection has failed', error),
  });
  await replay.of(parts, pipeline);
  pipeline.flush();
  return sender.settled();
}

type RecoverySetup = Omit<RecoveryPorts, 'engine'> & {
  readonly entries: DictationEntries;
  readonly journal: Journal;
  readonly locks: DictationLocks;
  readonly lettingGo: LettingGo;
  readonly recordings: Pick<Recordings, 'recovering' | 'complete'>;
  readonly dispatch: (event: SnapshotEvent) => void;
  /** An engine of its own: a live session's must not hear another's audio. */
  readonly loadEngine: (choice: EngineChoice) => Promise<SpeechEngine>;
};

/** Storage that failed is tried again. */
const RECOVER_AGAIN_MS = 5_000;

/** Interval of looking for sessions whose tab has died meanwhile. */
const ORPHAN_LOOK_MS = 10_000;

type TakeLock = (dictationId: string) => Promise<ReleaseLock | undefined>;

/** Brings sessions whose tab or worker died into the queue. */
export function createRecovery(setup: RecoverySetup) {
  const { entries, journal, locks, log, clock, queue, dispatch, lettingGo, recordings } = setup;

  function recover(dictationId: string, takeLock: TakeLock): Promise<Recovered> {
    const entry = entries.of(dictationId);
    entry.recovering ??= recoverLocked(dictationId, takeLock).finally(() => {
      entry.recovering = null;
    });
    return entry.recovering;
  }

  async function recoverLocked(dictationId: string, takeLock: TakeLock): Promise<Recovered> {
    const entry = entries.of(dictationId);
    if (entry.held) return entry.unencodable ? 'in-part' : 'whole';
    const release = entry.owed?.lock ?? (await takeLock(dictationId));
    if (!release) return 'kept-by-another';
    let letGo = async (): Promise<void> => {
      await release();
      queue.sessionClosed();
    };
    try {
      const recording = await journal.read(dictationId, 'cut');
      entry.isUnread = false;
      if (!recording) {
        entry.owed = null;
        return 'whole';
      }
      recordings.recovering(recording.header);
      const { unqueued } = await enqueue(recording);
      const settle = async (): Promise<void> => {
        if (unqueued) return;
        await recordings.complete(dictationId);
        await journal.remove(dictationId);
      };
      letGo = () => lettingGo.hold(dictationId, release, settle);
      noteRest(recording, unqueued);
      await entry.owed?.settle();
      entry.owed = null;
      // Not before: half a session, sent and answered, would look like a whole one.
      queue.adopt(dictationId);
      return unqueued ? 'in-part' : 'whole';
    } catch (thrown) {
      const { owed } = entry;
      if (owed) {
        letGo = async () => {
          owed.lock = release;
          clock.after(RECOVER_AGAIN_MS, () => recoverOwed(dictationId));
        };
      }
      throw thrown;
    } finally {
      await letGo();
    }
  }

  /** Offers speech that could not be encoded as it is. */
  function noteRest(
    { header: { dictationId, startedAtMs } }: JournalRecording,
    unqueued: SendOutcome['unqueued'],
  ): void {
    if (unqueued === null) lettingGo.forgetUnencodable(dictationId);
    else {
      const atMs = startedAtMs || clock.nowMs();
      lettingGo.noteUnencodable({ dictationId, startedAtMs: atMs, ...unqueued });
    }
  }

  function recoverOwed(dictationId: string): void {
    recover(dictationId, async () => undefined).catch((error: unknown) => {
      log.error('What is left of a delivered recording could not be looked for', error);
    });
  }

  /** Processed as it would have been, by an engine that is given back whatever fails. */
  async function enqueue(recording: JournalRecording): Promise<SendOutcome> {
    // A chunk that is stored already may be longer than what the journal makes of it.
    if (!(await queue.look())) {
      throw new DikteraError('storage-failed', 'The queue cannot be read, nor be recovered into');
    }
    if (recording.notes.length > 0) {
      dispatch({ kind: 'notice-raised', notice: 'audio-damaged', error: null });
    }
    const engine = setup.loadEngine(recording.header.options).catch((error: unknown) => {
      log.error('Recovered audio is kept without speech detection', error);
      return null;
    });
    try {
      const chunks = queue.cache
        .list()
        .filter((chunk) => chunk.dictationId === recording.header.dictationId);
      const rest = restOf(
        recording,
        chunks.flatMap(({ ranges }) => ranges ?? []),
      );
      return await recoverSession({ ...recording, ...rest }, { ...setup, engine });
    } finally {
      await (await engine)?.dispose();
    }
  }

  async function bringIn(dictationId: string): Promise<unknown> {
    // Read again: its page may have ended since the look, and undone its cancel before that.
    const header = (await journal.list()).find((one) => one.dictationId === dictationId);
    if (header?.isCancelled) return lettingGo.throwAway(dictationId);
    return recover(dictationId, locks.takeOrphan);
  }

  /** All orphans of this origin, one after the other. */
  async function recoverOrphans(): Promise<void> {
    lettingGo.look();
    const dictationIds = (await journal.list()).map(({ dictationId }) => dictationId);
    // Another tab may have brought it into the queue, or thrown it away.
    for (const { dictationId } of lettingGo.unencodable()) {
      if (!dictationIds.includes(dictationId)) lettingGo.forgetUnencodable(dictationId);
    }
    for (const dictationId of dictationIds) {
      const { unencodable, isUnread } = entries.of(dictationId);
      if (unencodable) continue;
      // The rest of it is in the queue, which is not read.
      if (isUnread && !queue.cache.isRead) continue;
      if (!(await locks.isOrphan(dictationId))) continue;
      // One that fails now is tried at the next look, and does not keep the others waiting.
      await bringIn(dictationId).catch((error: unknown) => {
        log.error('An earlier recording could not be recovered', error, dictationId);
      });
    }
  }

  return {
    recoverOrphans,
    /**
     * Recovers one session, once its dead owner has let it go; fulfilled when its chunks wait in
     * the queue. `settle` marks the chunks that are in the page as delivered, before the others are
     * offered. If the session cannot be recovered now, its lock is kept, and it is tried again
     * until it can.
     */
    recover(dictationId: string, settle?: () => Promise<void>): Promise<Recovered> {
      const entry = entries.of(dictationId);
      if (settle) entry.owed = { settle, lock: entry.owed?.lock ?? null };
      return recover(dictationId, (id) => locks.take(id, DEAD_WORKER_WAIT_MS));
    },
    /**
     * Recovers sessions whose tab has died, now and whenever one does, as long as the worker lives;
     * `onLooked` is told when they have been looked for, in vain or not.
     */
    async watch(onLooked: () => void): Promise<void> {
      await recoverOrphans().catch((error: unknown) => {
        log.error('Earlier recordings could not be looked for', error);
      });
      onLooked();
      clock.after(ORPHAN_LOOK_MS, () => void this.watch(onLooked));
    },
  };
}
