import { createDeferred, sleep } from '../../src/core/async.ts';
import { msToSamples } from '../../src/core/audio/audio-format.ts';
import type { AudioEncoderPort } from '../../src/core/audio/audio-types.ts';
import { createMicrophoneDiagnostics } from '../../src/core/audio/microphone-diagnostics.ts';
import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import type { DictationText } from '../../src/core/contracts/worker-api.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import { type JournalCut, joinTranscripts } from '../../src/core/queue/queue-item.ts';
import {
  JOURNAL_SCHEMA_VERSION,
  type JournalPart,
  NO_CUT,
} from '../../src/core/session/journal.ts';
import type { MicrophoneDevice, SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import type { DictationLocks } from '../../src/platform/locks.ts';
import type { EngineCache } from '../audio/engine-cache.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { DiskWatch } from '../store/database.ts';
import type { Journal } from '../store/journal.ts';
import type { ResumedChunk } from '../upload/dictation-delivery.ts';
import type { DictationEntries } from '../upload/dictation-entry.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import { createChunkSender, type SendOutcome } from './chunk-sender.ts';
import { createFrameIntake } from './frame-intake.ts';
import type { LettingGo } from './letting-go.ts';
import { createLiveSpeech, type LiveParts } from './live-speech.ts';
import type { SampleAccounts } from './sample-accounts.ts';
import { createReplay, createSpeechPipeline } from './speech-pipeline.ts';

/** The longest that a stop waits for the speaker, and its interval of looking. */
const SPEECH_END_WAIT_MS = 5_000;
const SPEECH_END_POLL_MS = 100;
/** With more frames waiting to be heard, about a second, nobody knows who speaks now. */
const MAX_UNHEARD_FRAMES = 10;

/**
 * The longest wait of a stop for texts, from the time of the stop: 20 s with the work that remains
 * then. Later texts go to their place.
 */
const LIVE_WAIT_MS = 19_000;

/** Grace period in which abandoned chunks report. */
const GIVING_UP_MS = 500;

/** Storage that takes longer has the frames in memory meanwhile. */
const FLUSH_WAIT_MS = 5_000;

/** The work already done when the session came to this worker. */
export type SessionPast = {
  readonly cut: JournalCut;
  /** The chunks before the cut that are in the queue. */
  readonly chunks: readonly ResumedChunk[];
  /** Samples in all chunks before the cut, those that stand in the page already included. */
  readonly spokenSamples: number;
  /** Chunks that nobody can give just now, since journal or queue could not be read. */
  readonly missingChunks: number;
  /**
   * The journal could be read: else nothing of it is given up, and what the worklet no longer has
   * is in it.
   */
  readonly isRead: boolean;
  /** Where chunks ended that the page knows of. */
  readonly chunkEnds: ReadonlyMap<number, number>;
};

/** Storage or the engine was too slow: the journal has what the queue lacks. */
export const NOT_SENT: SendOutcome = { unqueued: null, chunksToReview: 0 };

/** A session that begins here. */
export const NO_PAST: SessionPast = {
  cut: NO_CUT,
  chunks: [],
  spokenSamples: 0,
  missingChunks: 0,
  isRead: true,
  chunkEnds: new Map(),
};

type SessionPorts = {
  readonly id: string;
  readonly options: SessionOptions;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  readonly past: SessionPast;
  readonly engine: Promise<SpeechEngine | null>;
  /** The engine failed at work; all audio is kept from here on. */
  readonly onEngineFailed: (error: ErrorInfo) => void;
  readonly encoder: AudioEncoderPort;
  /** Parts for live words, where pauses end pieces. @default none are asked for */
  readonly live?: LiveParts;
  readonly queue: UploadQueue;
  readonly journal: Journal;
  /** Keeps all of its sound. */
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly accounts: SampleAccounts;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** One recording in the worker, from the first frame to the last transcript. */
export type Session = ReturnType<typeof createSession>;

export function createSession(ports: SessionPorts) {
  const { id, options, past, queue, accounts, clock, log, dispatch } = ports;
  const journal = past.isRead ? ports.journal : givingNothingUp(ports.journal);
  const showsWords = (): boolean => options.live !== false && pipeline.isInPieces;
  const live = ports.live ? createLiveSpeech({ ...ports, ...ports.live, showsWords }) : null;
  const sender = createChunkSender({
    ...ports,
    ...(live ? { audioOf: live.audioOf, dispatch: live.dispatch } : {}),
    isInPieces: () => pipeline.isInPieces,
    dictationId: id,
    isJournalCut: past.isRead,
    spokenSamples: past.cut.spokenSamples,
    endsTold: past.chunkEnds,
    upload: 'now',
  });
  /** Set while frames of the journal are processed again: these are not told. */
  let isReplaying = false;
  let areWordsTold = false;
  let sent: SendOutcome | null = null;
  let limitSamples = msToSamples(options.maxAudioDurationMs ?? Number.POSITIVE_INFINITY);
  const diagnostics = createMicrophoneDiagnostics();
  const replay = createReplay(id, accounts, clock);
  /** Set when the stop is asked for. */
  let cancelWait: CancelTimer | null = null;
  const givenUp = createDeferred();

  const pipeline = createSpeechPipeline({
    engine: ports.engine,
    options,
    cut: past.cut,
    isInPieces: () => options.live === true || ports.live?.freePieces() === true,
    log,
    onChunk: (chunk) => sender.send(chunk),
    onFrame: (processed) => {
      if (isReplaying) return;
      tellWords();
      const { waiting, maxWaiting } = intake.lag;
      const { peakDbfs, highBandDbfs, isInferred, ...facts } = processed;
      const microphoneProblem = diagnostics.examine(processed);
      const speechSamples = past.spokenSamples + facts.speechSamples;
      const lag = { lagFrames: waiting, maxLagFrames: maxWaiting };
      dispatch({ kind: 'frame-processed', ...facts, speechSamples, microphoneProblem, ...lag });
      if (facts.recordedSamples >= limitSamples) tellLimit();
    },
    onOpenPiece: (open) => {
      if (!isReplaying) live?.spoken(open);
    },
    onSilence: (range) => {
      replay.silent(range);
      journal.drop(id, range);
    },
    onEngineFailed: (error) => {
      const info = toErrorInfo(error, 'engine-failed');
      log.error('Speech detection has failed; all audio is kept', info);
      ports.onEngineFailed(info);
    },
  });

  const intake = createFrameIntake({
    ...ports,
    dictationId: id,
    pipeline,
    isPastRead: past.isRead,
  });
  sender.resume(past.chunks);

  /** Once: words are shown from now on. */
  function tellWords(): void {
    if (areWordsTold || !showsWords()) return;
    areWordsTold = true;
    dispatch({ kind: 'preview-changed', preview: { firm: '', tentative: '' } });
  }

  /** Once: the page ends the recording, as a person would. */
  function tellLimit(): void {
    limitSamples = Number.POSITIVE_INFINITY;
    dispatch({ kind: 'notice-raised', notice: 'max-duration-reached', error: null });
    dispatch({ kind: 'end-wanted', cause: 'max-duration' });
  }

  function noteStop(): void {
    cancelWait ??= clock.after(LIVE_WAIT_MS, stopWaiting);
    live?.finish();
    if (pipeline.isInPieces) queue.finalize(id);
  }

  function stopWaiting(): void {
    queue.stopWaiting(id);
    givenUp.resolve();
  }

  /** Storage that fails is told by the journal itself. */
  const flushJournal = (): Promise<boolean> => {
    const flushed = journal.flush(id).then(
      () => true,
      () => false,
    );
    return Promise.race([flushed, sleep(clock, FLUSH_WAIT_MS).then(() => false)]);
  };

  async function sendRest(): Promise<SendOutcome> {
    await intake.whenProcessed();
    pipeline.flush();
    const [outcome] = await Promise.all([sender.settled(), flushJournal()]);
    return outcome;
  }

  return {
    id,
    /** After `finish`: what became of the chunks. */
    get sent(): SendOutcome | null {
      return sent;
    },
    get showsWords(): boolean {
      return showsWords();
    },
    /**
     * Infers and cuts again what the journal holds behind the cut, for as long as it is wanted;
     * call it before `connect`.
     */
    async replay(parts: readonly JournalPart[], isWanted: () => boolean): Promise<void> {
      isReplaying = true;
      await replay.of(parts, pipeline, isWanted);
      isReplaying = false;
    },
    /**
     * Takes the worklet's port; frames may come before the microphone is said to be open. With
     * `replayFrom` the worklet is asked for everything from that sample on.
     */
    connect: intake.connect,
    /** Takes another worklet's port, and asks it for what follows the last sample that came. */
    reconnect: intake.reconnect,
    opened: (device: MicrophoneDevice) => dispatch({ kind: 'session-opened', device }),
    /**
     * Fulfilled at the end of speech, after 5,000 ms at most; at once if no engine hears the
     * present sound.
     */
    async finishSpeech(): Promise<void> {
      noteStop();
      dispatch({ kind: 'finishing-began' });
      for (let waitedMs = 0; waitedMs < SPEECH_END_WAIT_MS; waitedMs += SPEECH_END_POLL_MS) {
        if (!pipeline.isSpeaking || intake.lag.waiting > MAX_UNHEARD_FRAMES) return;
        await sleep(clock, SPEECH_END_POLL_MS);
      }
    },
    /** Fulfilled when all frames that will come are here; true if they are in the journal. */
    async endRecording(): Promise<boolean> {
      noteStop();
      dispatch({ kind: 'transcribing-began' });
      await intake.whenEnded();
      return flushJournal();
    },
    /**
     * After `endRecording`: uploads what remains and waits for all answers, 20 s at most from the
     * stop on.
     */
    async finish(): Promise<DictationText> {
      noteStop();
      const rest = sendRest();
      const late = givenUp.promise.then(() => sleep(clock, GIVING_UP_MS));
      sent = (await Promise.race([rest, late])) ?? NOT_SENT;
      cancelWait?.();
      dispatch({ kind: 'session-stopped' });
      const { texts, needsReview, leftChunks, pendingChunks } = sender.received();
      // Speech that was not even cut in time counts as one chunk.
      const lateChunks = sent === NOT_SENT ? Math.max(1, pendingChunks) : 0;
      return {
        text: joinTranscripts(texts, pipeline.isInPieces ? 'running' : 'lines'),
        chunks: needsReview,
        texts,
        failedChunks: past.missingChunks + leftChunks + lateChunks,
        chunksToReview: sent.chunksToReview,
      };
    },
    /** These chunks stand in the page: `finish` gives them no more. */
    delivered: sender.delivered,
    /** `finish` answers at once: what is not text yet comes later. */
    stopWaiting,
    /** See `ChunkSender`. */
    allHanded: sender.allHanded,
    recorder: ports.recorder,
    /** Lets go of the port. */
    dispose() {
      cancelWait?.();
      live?.dispose();
      intake.dispose();
    },
  };
}

/** Drops nothing: an unread journal may hold speech where this worker heard silence. */
function givingNothingUp(journal: Journal): Journal {
  return { ...journal, drop() {} };
}

/** The worker's parts that sessions are made of. */
type SessionParts = {
  readonly engines: EngineCache;
  readonly encoder: AudioEncoderPort;
  readonly live: LiveParts;
  readonly journal: Journal;
  readonly locks: DictationLocks;
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

/** Everything that sessions are made with. */
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
  dictationId: string,
  startedAtMs: number,
  options: SessionOptions,
): Promise<void> {
  const schemaVersion = JOURNAL_SCHEMA_VERSION;
  const header = { dictationId, startedAtMs, options, schemaVersion };
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
