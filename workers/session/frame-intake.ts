import { assertNever } from '../../src/core/assert-never.ts';
import { createDeferred, sleep } from '../../src/core/async.ts';
import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import { createInbox, type InboxLag } from '../../src/core/audio/frame-inbox.ts';
import {
  type FrameMessage,
  type FrameRequest,
  RECYCLED_TOGETHER,
} from '../../src/core/audio/frame-protocol.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { Journal } from '../store/journal.ts';
import type { SampleAccounts } from './sample-accounts.ts';
import type { AudioMessage, SpeechPipeline } from './speech-pipeline.ts';

/**
 * The end mark comes right behind the last frame; a dead audio context never sends one. Waited for
 * in parts: to a worker that stood still the whole time seems over before it has looked at its
 * messages, a part of it does not.
 */
const END_MARK_WAIT_PART_MS = 100;
const END_MARK_WAIT_PARTS = 10;
/** 60 s of frames: with more waiting, the oldest are kept without inference. */
const INBOX_LIMIT_FRAMES = 625;

/** An engine that has not answered for so long at the end answers no more. */
const ENGINE_HANGS_MS = 2_000;

type FrameIntakePorts = {
  readonly dictationId: string;
  readonly pipeline: SpeechPipeline;
  readonly journal: Journal;
  readonly recorder: Pick<Recorder, 'append'>;
  readonly accounts: SampleAccounts;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
  /**
   * The past is known: else samples that the worklet no longer has are not lost, but in the
   * journal.
   */
  readonly isPastRead: boolean;
};

/**
 * The worklet's frames on their way in: into the journal at once, then through the pipeline in
 * their turn.
 */
export function createFrameIntake(ports: FrameIntakePorts) {
  const { dictationId, pipeline, journal, recorder, accounts, clock, log, dispatch } = ports;
  let port: MessagePort | null = null;
  let nextSample = 0;
  let receivedMessages = 0;
  let isEnded = false;
  let isLagging = false;
  let spent: ArrayBuffer[] = [];
  const ended = createDeferred();

  const inbox = createInbox<FrameMessage>({
    handle: (message, turn) => {
      if (inbox.lag.waiting === 0) tellLagging(false);
      const done = pipeline.take(message, turn);
      if (done) return done.then(() => afterMessage(message));
      afterMessage(message);
    },
    overload: {
      limit: INBOX_LIMIT_FRAMES,
      handle: (message) => {
        pipeline.takeWithoutEngine(message);
        tellLagging(true);
        afterMessage(message);
      },
    },
    onError: (error) => pipeline.giveUpEngine(error),
  });

  function tellLagging(isLaggingNow: boolean): void {
    if (isLagging === isLaggingNow) return;
    isLagging = isLaggingNow;
    if (isLagging) dispatch({ kind: 'notice-raised', notice: 'lagging', error: null });
    else dispatch({ kind: 'notice-cleared', notice: 'lagging' });
  }

  function receive(received: FrameMessage): void {
    if (isEnded) return;
    receivedMessages += 1;
    const message = received.kind === 'frame' ? own(received) : received;
    keep(message);
    inbox.push(message);
  }

  /** One copy for all who keep it; the worklet may fill the memory again. */
  function own(frame: AudioMessage): AudioMessage {
    const pcm = frame.pcm.slice();
    if (frame.pcm.buffer instanceof ArrayBuffer) spent.push(frame.pcm.buffer);
    if (spent.length >= RECYCLED_TOGETHER) recycle();
    return { ...frame, pcm };
  }

  /** Writes to the journal all that must be safe before any inference. */
  function keep(message: FrameMessage): void {
    switch (message.kind) {
      case 'frame':
        nextSample = message.startSample + message.pcm.length;
        journal.append(dictationId, message.startSample, message.pcm);
        recorder.append(message.startSample, message.pcm);
        accounts.captured(dictationId, message.pcm.length);
        break;
      case 'paused':
      case 'gap':
        journal.mark(dictationId, message);
        break;
      case 'lost':
        nextSample = message.atSample;
        journal.mark(dictationId, { kind: 'gap', atSample: message.atSample });
        if (!ports.isPastRead) break;
        accounts.overwritten(dictationId, message.lostSamples);
        tellLost(message.lostSamples);
        break;
      case 'ended':
        isEnded = true;
        ended.resolve();
        break;
      case 'resumed':
        break;
      default:
        assertNever(message);
    }
  }

  function tellLost(samples: number): void {
    const message = `${samplesToMs(samples)} ms of audio were not written down in time, and the worklet no longer has them`;
    log.error(message);
    const error = { code: 'worker-crashed', message } as const;
    dispatch({ kind: 'notice-raised', notice: 'speech-lost', error });
  }

  /** Tells the meaning of a message once everything before it has been processed. */
  function afterMessage(message: FrameMessage): void {
    if (message.kind !== 'frame') recycle();
    switch (message.kind) {
      case 'gap':
        dispatch({ kind: 'input-lost', inputFrames: message.lostInputFrames });
        break;
      case 'paused':
        dispatch({ kind: 'recording-paused' });
        break;
      case 'resumed':
        dispatch({ kind: 'recording-resumed' });
        break;
      case 'frame':
      case 'lost':
      case 'ended':
        break;
      default:
        assertNever(message);
    }
  }

  function request(message: FrameRequest, transfer: ArrayBuffer[] = []): void {
    port?.postMessage(message, transfer);
  }

  function recycle(): void {
    const buffers = spent;
    spent = [];
    request({ kind: 'recycle', buffers }, buffers);
  }

  function connect(framePort: MessagePort, replayFrom?: number): void {
    port = framePort;
    framePort.onmessage = ({ data }: MessageEvent<FrameMessage>) => receive(data);
    if (replayFrom === undefined) return;
    nextSample = replayFrom;
    request({ kind: 'replay', fromSample: replayFrom });
  }

  return {
    /** Takes the worklet's port; with `replayFrom`, asks for everything from that sample on. */
    connect,
    /** Takes another worklet's port, and asks it for what follows the last sample that came. */
    reconnect(framePort: MessagePort) {
      // A stuck worklet that wakes up would send again.
      port?.close();
      connect(framePort, nextSample);
    },
    /**
     * Fulfilled when the end mark is here, or nothing has come for 1,000 ms: nothing is taken after
     * it.
     */
    async whenEnded(): Promise<void> {
      for (let quietParts = 0; !isEnded && quietParts < END_MARK_WAIT_PARTS; ) {
        const seen = receivedMessages;
        await Promise.race([ended.promise, sleep(clock, END_MARK_WAIT_PART_MS)]);
        quietParts = receivedMessages === seen ? quietParts + 1 : 0;
      }
      isEnded = true;
    },
    /** Fulfilled when all that was taken is processed, without an engine that answers no more. */
    async whenProcessed(): Promise<void> {
      const closed = inbox.close().then(() => true);
      for (let isDone = false; !isDone; ) {
        const { waiting } = inbox.lag;
        isDone = await Promise.race([closed, sleep(clock, ENGINE_HANGS_MS).then(() => false)]);
        if (isDone || inbox.lag.waiting < waiting) continue;
        pipeline.giveUpEngine(new DikteraError('engine-failed', 'No answer at the end'));
        inbox.flush();
      }
      tellLagging(false);
    },
    get lag(): InboxLag {
      return inbox.lag;
    },
    /** Lets go of the port. */
    dispose() {
      port?.close();
      port = null;
    },
  };
}
