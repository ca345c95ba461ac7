import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../../src/core/audio-format.ts';
import type { CapturePort, CaptureRequest } from '../../../src/core/capture-port.ts';
import { DikteraError } from '../../../src/core/errors.ts';
import type { FrameMessage } from '../../../src/core/frame-protocol.ts';

const DEVICE = { deviceId: 'fed', label: 'Fed microphone' };

/** A microphone at the worklet's place: its frames are what the test feeds it, at any speed. */
export type FedMicrophone = {
  readonly capture: CapturePort<MessagePort>;
  /** Samples that the worker's port has been given in this session. */
  readonly fedSamples: number;
  /** Feeds samples at `speed` times real time; waits while `isBehind` says so. */
  feed(samples: Float32Array, speed: number, isBehind: () => boolean): Promise<void>;
  /** The device is gone. */
  lose(): void;
};

export function createFedMicrophone(): FedMicrophone {
  let request: CaptureRequest<MessagePort> | null = null;
  let fedSamples = 0;

  function post(message: FrameMessage): void {
    request?.framePort.postMessage(message);
  }

  return {
    capture: {
      preload: async () => {},
      async open(given) {
        request = given;
        fedSamples = 0;
        return {
          device: DEVICE,
          pause: () => post({ kind: 'paused', atSample: fedSamples }),
          resume: () => post({ kind: 'resumed', atSample: fedSamples }),
          async end() {
            post({ kind: 'ended', atSample: fedSamples, inputFrames: fedSamples });
            request = null;
          },
        };
      },
    },
    get fedSamples() {
      return fedSamples;
    },
    async feed(samples, speed, isBehind) {
      const startedMs = performance.now();
      for (let offset = 0; offset < samples.length && request; offset += FRAME_SAMPLES) {
        const dueMs = ((offset + FRAME_SAMPLES) / SAMPLE_RATE_HZ / speed) * 1_000;
        while (performance.now() - startedMs < dueMs || isBehind()) {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        const frame = samples.slice(offset, offset + FRAME_SAMPLES);
        post({ kind: 'frame', startSample: fedSamples, samples: frame });
        fedSamples += frame.length;
      }
    },
    lose() {
      request?.onLost(new DikteraError('microphone-lost', 'The test took it away'));
    },
  };
}
