import { assertNever } from '../../src/core/assert-never.ts';
import { msToSamples } from '../../src/core/audio-format.ts';
import type { AudioEncoderPort } from '../../src/core/audio-types.ts';
import { type Clock, sleep } from '../../src/core/clock.ts';
import type { SessionOptions } from '../../src/core/dictation-options.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { createInbox } from '../../src/core/frame-inbox.ts';
import type { FrameMessage, RecycleMessage } from '../../src/core/frame-protocol.ts';
import { joinTranscripts } from '../../src/core/join-transcripts.ts';
import type { Journal } from '../../src/core/journal.ts';
import type { Logger } from '../../src/core/logger.ts';
import { createMicrophoneDoctor } from '../../src/core/microphone-doctor.ts';
import { rangeSamples } from '../../src/core/sample-range.ts';
import type { MicrophoneDevice, Snapshot } from '../../src/core/snapshot.ts';
import type { SnapshotEvent } from '../../src/core/snapshot-events.ts';
import type { SpeechEngine } from '../../src/core/speech-engine.ts';
import type { SessionResult } from '../../src/core/worker-api.ts';
import type { UploadQueue } from '../upload/upload-queue-port.ts';
import { createChunkSender, type SendOutcome } from './chunk-sender.ts';
import { createSpeechPipeline } from './speech-pipeline.ts';
import type { WordBook } from './word-book.ts';

/** How long a stop waits for the speaker, and how often it looks (spec, section 9). */
const SPEECH_END_WAIT_MS = 5_000;
const SPEECH_END_POLL_MS = 100;
/** The end mark comes right behind the last frame; a dead audio context never sends one. */
const END_MARK_WAIT_MS = 1_000;
/** 60 s of frames: with more waiting, the oldest are kept unjudged. */
const INBOX_LIMIT_FRAMES = 625;

export type SessionPorts = {
  readonly id: string;
  readonly options: SessionOptions;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  readonly engine: Promise<SpeechEngine | null>;
  /** The judge failed at work; all audio is kept from here on. */
  readonly onEngineFailed: (error: ErrorInfo) => void;
  readonly encoder: AudioEncoderPort;
  readonly queue: UploadQueue;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly book: WordBook;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
  readonly snapshot: () => Snapshot;
};

/** One recording in the worker, from the first frame to the last transcript. */
export type Session = {
  readonly id: string;
  /** Takes the worklet's port; frames may come before the microphone is said to be open. */
  connect(port: MessagePort): void;
  opened(device: MicrophoneDevice): void;
  /** Fulfilled when nobody speaks, after 5,000 ms at most. */
  finishSpeech(): Promise<void>;
  /** Takes what is still under way, uploads what remains and waits for all answers. */
  finish(): Promise<SessionResult>;
  /** After `finish`: what became of the chunks. */
  readonly sent: SendOutcome | null;
  /** Lets go of the port. */
  dispose(): void;
};

export function createSession(ports: SessionPorts): Session {
  const { id, options, journal, book, clock, log, dispatch } = ports;
  const sender = createChunkSender({ ...ports, sessionId: id, upload: 'now' });
  let port: MessagePort | null = null;
  let isEnded = false;
  let sent: SendOutcome | null = null;
  let limitSamples = msToSamples(options.maxAudioDurationMs ?? Number.POSITIVE_INFINITY);
  const doctor = createMicrophoneDoctor();
  let announceEnd = (): void => {};
  const ended = new Promise<void>((resolve) => {
    announceEnd = resolve;
  });

  const pipeline = createSpeechPipeline({
    engine: ports.engine,
    options,
    log,
    onChunk: (chunk) => sender.send(chunk),
    onFrame: (judged) => {
      const { waiting, maxWaiting } = inbox.lag;
      const { peakDbfs, highBandDbfs, isJudged, ...facts } = judged;
      const ailment = doctor.examine(judged);
      const lag = { lagFrames: waiting, maxLagFrames: maxWaiting };
      dispatch({ kind: 'frame-judged', ...facts, ailment, ...lag });
      if (facts.recordedSamples >= limitSamples) tellLimit();
    },
    onSilence: (range) => {
      book.silent(id, rangeSamples(range));
      journal.drop(id, range);
    },
    onEngineFailed: (error) => {
      const info = toErrorInfo(error, 'engine-failed');
      log.error('Speech can no longer be judged; all audio is kept', info);
      ports.onEngineFailed(info);
    },
  });

  const inbox = createInbox<FrameMessage>({
    handle: (message, turn) => {
      const done = pipeline.take(message, turn);
      if (done) return done.then(() => afterMessage(message));
      afterMessage(message);
    },
    overload: {
      limit: INBOX_LIMIT_FRAMES,
      handle: (message) => {
        pipeline.takeUnjudged(message);
        dispatch({ kind: 'notice-raised', notice: 'lagging', error: null });
        afterMessage(message);
      },
    },
    onError: (error) => pipeline.giveUpEngine(error),
  });

  /** Once: the page ends the recording, as a person would. */
  function tellLimit(): void {
    limitSamples = Number.POSITIVE_INFINITY;
    dispatch({ kind: 'notice-raised', notice: 'max-duration-reached', error: null });
  }

  function receive(message: FrameMessage): void {
    if (isEnded) return;
    if (message.kind === 'frame') {
      journal.append(id, message.startSample, message.samples);
      book.captured(id, message.samples.length);
    } else if (message.kind === 'paused' || message.kind === 'gap') journal.mark(id, message);
    inbox.push(message);
  }

  /** What a message means once everything before it has been judged. */
  function afterMessage(message: FrameMessage): void {
    switch (message.kind) {
      case 'frame':
        recycle(message.samples);
        break;
      case 'gap':
        dispatch({ kind: 'input-lost', inputFrames: message.lostInputFrames });
        break;
      case 'paused':
        dispatch({ kind: 'recording-paused' });
        break;
      case 'resumed':
        dispatch({ kind: 'recording-resumed' });
        break;
      case 'ended':
        isEnded = true;
        announceEnd();
        break;
      default:
        assertNever(message);
    }
  }

  /** Everything needed has been copied: the worklet may fill the memory again. */
  function recycle({ buffer }: Float32Array): void {
    if (!(buffer instanceof ArrayBuffer)) return;
    const message: RecycleMessage = { kind: 'recycle', buffer };
    port?.postMessage(message, [buffer]);
  }

  return {
    id,
    get sent() {
      return sent;
    },
    connect(framePort) {
      port = framePort;
      framePort.onmessage = ({ data }: MessageEvent<FrameMessage>) => receive(data);
    },
    opened: (device) => dispatch({ kind: 'session-opened', device }),
    async finishSpeech() {
      dispatch({ kind: 'finishing-began' });
      for (let waitedMs = 0; waitedMs < SPEECH_END_WAIT_MS; waitedMs += SPEECH_END_POLL_MS) {
        if (!pipeline.isSpeaking) return;
        await sleep(clock, SPEECH_END_POLL_MS);
      }
    },
    async finish() {
      dispatch({ kind: 'transcribing-began' });
      await Promise.race([ended, sleep(clock, END_MARK_WAIT_MS)]);
      isEnded = true;
      await inbox.close();
      pipeline.flush();
      await journal.flush(id).catch(() => {}); // Told by the journal itself.
      sent = await sender.settled();
      dispatch({ kind: 'session-stopped' });
      const { transcriptions, failedChunks } = ports.snapshot().session;
      return { transcription: joinTranscripts(transcriptions), failedChunks };
    },
    dispose() {
      port?.close();
      port = null;
    },
  };
}
