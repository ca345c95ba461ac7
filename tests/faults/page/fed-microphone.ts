import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import type { FrameRequest } from '../../../src/core/audio/frame-protocol.ts';
import type { CapturePort, CaptureRequest } from '../../../src/core/contracts/capture-port.ts';
import { DikteraError } from '../../../src/core/errors.ts';
import {
  createFramePool,
  createFrameStream,
  type FrameStream,
} from '../../../worklets/frame-stream.ts';

const DEVICE = { deviceId: 'fed', label: 'Fed microphone' };

/** A microphone before the worklet's own stream and ring: hears what it is fed, at any speed. */
export type FedMicrophone = {
  readonly capture: CapturePort<MessagePort>;
  /** Samples heard in this session, in whole frames. */
  readonly fedSamples: number;
  /** Feeds samples at `speed` times real time; waits while `isBehind` says so. */
  feed(samples: Float32Array, speed: number, isBehind: () => boolean): Promise<void>;
  /** The device is gone. */
  lose(): void;
};

/** `keptSamples` is how far back the ring reaches. @default as in the worklet */
export function createFedMicrophone(keptSamples?: number): FedMicrophone {
  let request: CaptureRequest<MessagePort> | null = null;
  let stream: FrameStream = createFrameStream(createFramePool());
  let isPaused = false;
  // The audio thread goes on, whether anybody speaks or not.
  setInterval(() => stream.pump(), 10);

  function connect(framePort: MessagePort, isFirst: boolean): void {
    const own = stream;
    const post = (message: unknown, transfer: Transferable[]) =>
      framePort.postMessage(message, transfer);
    own.halt();
    framePort.onmessage = ({ data }: MessageEvent<FrameRequest>) => {
      if (data.kind === 'replay') own.sendFrom(data.fromSample, post);
      if (data.kind === 'replay' && !request) own.flush();
    };
    if (isFirst) own.sendFrom(0, post);
  }

  function mark(kind: 'paused' | 'resumed'): void {
    if (isPaused === (kind === 'paused')) return;
    isPaused = !isPaused;
    stream.mark({ kind, atSample: stream.positionSamples });
  }

  /** Whose recording is over already has nothing to stop: another one may have begun. */
  async function stop(own: CaptureRequest<MessagePort>): Promise<void> {
    if (request !== own) return;
    request = null;
    const { positionSamples } = stream;
    stream.mark({ kind: 'ended', atSample: positionSamples, inputFrames: positionSamples });
    stream.flush();
  }

  return {
    capture: {
      preload: async () => {},
      async open(given) {
        request = given;
        isPaused = false;
        stream = createFrameStream(createFramePool(), keptSamples);
        connect(given.framePort, true);
        return {
          device: DEVICE,
          pause: () => mark('paused'),
          resume: () => mark('resumed'),
          reconnect: (framePort) => connect(framePort, false),
          stop: () => stop(given),
          end: () => stop(given),
        };
      },
    },
    get fedSamples() {
      return Math.floor(stream.positionSamples / FRAME_SAMPLES) * FRAME_SAMPLES;
    },
    async feed(samples, speed, isBehind) {
      const startedMs = performance.now();
      for (let offset = 0; offset < samples.length && request; offset += FRAME_SAMPLES) {
        const dueMs = ((offset + FRAME_SAMPLES) / SAMPLE_RATE_HZ / speed) * 1_000;
        while (performance.now() - startedMs < dueMs || isBehind()) {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        const heard = samples.subarray(offset, offset + FRAME_SAMPLES);
        if (isPaused) stream.pump();
        else stream.push(heard, heard.length);
      }
    },
    lose() {
      request?.onLost(new DikteraError('microphone-lost', 'The test took it away'));
    },
  };
}
