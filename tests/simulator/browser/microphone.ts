import { FRAME_SAMPLES } from '../../../src/core/audio/audio-format.ts';
import type { FrameMessage, FrameRequest } from '../../../src/core/audio/frame-protocol.ts';
import type { CaptureHandle, CapturePort } from '../../../src/core/contracts/capture-port.ts';
import { createFramePool, createFrameStream } from '../../../worklets/frame-stream.ts';
import type { Line, Realm, Scheduler } from '../scheduler.ts';
import { writeFrame } from '../words.ts';
import type { FakePort } from './ports.ts';

const FRAME_MS = 96;

/** The speaker at a microphone, frame by frame. */
export type Speaker = {
  /** The session's number among the story's; null when no more can be told apart. */
  readonly session: number;
  isSpeechAt(frame: number): boolean;
  /** Told of each frame, when it is captured. */
  captured(frame: number, isSpeech: boolean): void;
};

export type MicrophonePorts = {
  readonly scheduler: Scheduler;
  readonly page: Realm;
  /** The speaker of the microphone that opens now. */
  readonly nextSpeaker: () => Speaker;
};

/** The real worklet's stream, fed frame by frame, on an audio thread that dies with its page. */
export function createMicrophone(ports: MicrophonePorts): CapturePort<MessagePort> {
  const { scheduler, page, nextSpeaker } = ports;

  return {
    async preload() {},
    async open({ framePort }) {
      const speaker = nextSpeaker();
      const clock = scheduler.clockOf(page);
      await new Promise<void>((resolve) => clock.after(20 + scheduler.random() * 200, resolve));
      const thread = scheduler.newRealm(`${page.name} audio`);
      page.onDeath.push(() => scheduler.kill(thread));
      return listen(speaker, thread, framePort);
    },
  };

  function listen(
    speaker: Speaker,
    thread: Realm,
    framePort: MessagePort,
  ): CaptureHandle<MessagePort> {
    const pool = createFramePool();
    const stream = createFrameStream(pool);
    const owner = { realm: thread };
    const samples = new Float32Array(FRAME_SAMPLES);
    let connected: FakePort | null = null;
    let frame = 0;
    let isPaused = false;
    let stopped: Promise<void> | null = null;

    function connect(port: FakePort): (message: FrameMessage) => void {
      connected?.close();
      connected = port;
      port.realm = thread;
      stream.halt();
      const post = (message: FrameMessage): void => port.postMessage({ ...message });
      port.onmessage = ({ data }) => {
        const request = data as FrameRequest;
        if (request.kind === 'recycle') {
          for (const buffer of request.buffers) pool.give(buffer);
          stream.pump();
          return;
        }
        stream.sendFrom(request.fromSample, post);
        if (stopped) stream.flush();
      };
      return post;
    }

    function mark(kind: 'paused' | 'resumed' | 'ended'): void {
      const atSample = stream.positionSamples;
      stream.mark(kind === 'ended' ? { kind, atSample, inputFrames: 0 } : { kind, atSample });
    }

    function tick(): void {
      if (stopped) return;
      if (!isPaused) {
        const isSpeech = speaker.isSpeechAt(frame);
        writeFrame(samples, speaker.session, frame, isSpeech);
        speaker.captured(frame, isSpeech);
        frame += 1;
        stream.push(samples, FRAME_SAMPLES);
      }
      scheduler.after(FRAME_MS, owner, tick);
    }

    // Messages to the worklet arrive in their order, as on its port.
    const line: Line = { lastDueMs: 0 };
    const later = (run: () => void): Promise<void> =>
      new Promise((resolve) => {
        const back = { realm: page };
        const asked = (): void => {
          run();
          scheduler.soon(back, resolve);
        };
        scheduler.soon(owner, asked, line);
      });

    stream.sendFrom(0, connect(framePort as unknown as FakePort));
    scheduler.after(FRAME_MS, owner, tick);
    return {
      device: { deviceId: 'made', label: 'Made' },
      pause: () =>
        void later(() => {
          if (!isPaused && !stopped) mark('paused');
          isPaused = true;
        }),
      resume: () =>
        void later(() => {
          if (isPaused && !stopped) mark('resumed');
          isPaused = false;
        }),
      reconnect: (port) => void later(() => connect(port as unknown as FakePort)),
      stop() {
        stopped ??= later(() => mark('ended'));
        return stopped;
      },
      async end() {
        stopped ??= later(() => mark('ended'));
        await stopped;
        scheduler.kill(thread);
      },
    };
  }
}
