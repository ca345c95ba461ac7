import { assertNever } from '../core/assert-never.ts';
import { createDeferred } from '../core/async.ts';
import type { WorkletCommand, WorkletReport } from '../core/audio/frame-protocol.ts';
import { DikteraError } from '../core/errors.ts';

/** The page's end of the capture worklet. */
export type WorkletLink = ReturnType<typeof createWorkletLink>;

/** Speaks with the processor of `node`, which must be a capture processor. */
export function createWorkletLink(node: AudioWorkletNode) {
  const running = createDeferred();
  const ended = createDeferred();
  const failed = createDeferred<DikteraError>();
  let heard: (unheardMs: number, isSilent: boolean) => void = () => {};
  // Nobody need be waiting when it fails.
  running.promise.catch(() => {});

  function fail(message: string): void {
    const error = new DikteraError('audio-graph-failed', message);
    running.reject(error);
    failed.resolve(error);
    ended.resolve();
  }

  // The attribute, since Chromium's event is named 'error': a listener for 'processorerror' is
  // deaf.
  node.onprocessorerror = (event) => {
    fail(`The capture worklet threw: ${event.message ?? event.type}`);
  };
  node.port.onmessage = ({ data }: MessageEvent<WorkletReport>) => {
    switch (data.kind) {
      case 'running':
        running.resolve();
        break;
      case 'heard':
        heard(data.unheardMs, data.isSilent);
        break;
      case 'ended':
        ended.resolve();
        break;
      case 'failed':
        fail(`The capture worklet failed: ${data.message}`);
        break;
      default:
        assertNever(data);
    }
  };

  function send(command: WorkletCommand<MessagePort>, transfer: Transferable[] = []): void {
    node.port.postMessage(command, transfer);
  }

  return {
    /**
     * Hands the frames' port over for good; fulfilled when the worklet runs, rejected if it fails.
     */
    connect(framePort: MessagePort): Promise<void> {
      send({ kind: 'connect', framePort }, [framePort]);
      return running.promise;
    },
    /** Hands another worker's port over; that worker asks for what it wants to have again. */
    reconnect: (framePort: MessagePort) => send({ kind: 'connect', framePort }, [framePort]),
    pause: () => send({ kind: 'pause' }),
    resume: () => send({ kind: 'resume' }),
    /** Flushes and ends; fulfilled when all frames are on their way, or the worklet has failed. */
    end(): Promise<void> {
      send({ kind: 'end' });
      return ended.promise;
    },
    /**
     * Sets who is told, once a second, that audio goes through, for how long none did before, and
     * whether it was nothing but zeros.
     */
    onHeard(listener: (unheardMs: number, isSilent: boolean) => void) {
      heard = listener;
    },
    /** Nothing more is said or heard. */
    close() {
      node.onprocessorerror = null;
      node.port.onmessage = null;
      node.port.close();
    },
    /** Fulfilled if the worklet ever fails. */
    failed: failed.promise,
  };
}
