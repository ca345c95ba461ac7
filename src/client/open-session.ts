import * as Comlink from 'comlink';
import { sleep } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import type { CaptureHandle, CapturePort, CaptureRequest } from '../core/contracts/capture-port.ts';
import { type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import type { SessionOptions } from '../core/options/dictation-options.ts';
import type { SessionWorker } from './worker-connection.ts';

/** What a session is opened with. */
export type SessionOpening = {
  readonly id: string;
  readonly worker: SessionWorker;
  readonly options: SessionOptions;
  readonly capture: CapturePort<MessagePort>;
  readonly request: Omit<CaptureRequest<MessagePort>, 'framePort'>;
  readonly clock: Clock;
  /** Fulfilled when the worker has done with the session before; null if there is none. */
  readonly free: Promise<void> | null;
  /** Whether the worker is there already. */
  readonly hasWorker: boolean;
  /** Aborted when nobody wants the session any more, be it being opened or running. */
  readonly gone: AbortSignal;
  /** Told once the microphone's frames flow, be there a worker or not. */
  readonly onOpen: (capture: CaptureHandle<MessagePort>) => void;
  /**
   * Told when no worker could begin it and something may have been said by then: it is in the
   * worklet, for a worker that can.
   */
  readonly onWorkerless: () => void;
};

/**
 * A worker that has to be started is not in the microphone's way: it loads while the first frame is
 * spoken. Unless the browser asks the person, which takes its time.
 */
const WORKER_AFTER_MS = 150;

/** In less than this nobody has said a word. */
const WORDLESS_MS = 1_000;

const GONE: ErrorInfo = { code: 'wrong-phase', message: 'The recording is no longer wanted' };

/**
 * Opens worker and microphone side by side. Null when both are, or why not; then nothing stays
 * open. Once `gone` is aborted, the microphone is let go, now or when it comes, and no worker is
 * started any more.
 */
export async function openSession(opening: SessionOpening): Promise<ErrorInfo | null> {
  const { capture, request, clock, hasWorker, gone } = opening;
  if (gone.aborted) return GONE;
  const { port1, port2 } = new MessageChannel();
  // First, since everything waits for it.
  const listening = capture.open({ ...request, framePort: port2 });
  const left = new Promise<ErrorInfo>((resolve) => {
    gone.addEventListener('abort', () => {
      // A prompt may still be open.
      listening.then((microphone) => microphone.end()).catch(() => {});
      resolve(GONE);
    });
  });
  if (!hasWorker) await Promise.race([settled(listening), sleep(clock, WORKER_AFTER_MS), left]);
  return gone.aborted ? left : Promise.race([left, begin(opening, listening, port1)]);
}

async function begin(
  opening: SessionOpening,
  listening: Promise<CaptureHandle<MessagePort>>,
  port: MessagePort,
): Promise<ErrorInfo | null> {
  const { id, worker, options, clock, gone } = opening;
  let heardFromMs = Number.POSITIVE_INFINITY;
  const heard = listening.then((microphone) => {
    heardFromMs = clock.nowMs();
    if (!gone.aborted) {
      worker.attach(microphone);
      opening.onOpen(microphone);
    }
    return microphone;
  });
  heard.catch(() => {}); // Told below.
  // The microphone does not wait: what is said meanwhile is in the port.
  if (opening.free) await opening.free;
  if (gone.aborted) return GONE;
  let framePort: MessagePort | null = port;
  const begun = worker.call((api) => {
    const answer = api.begin(id, options);
    // A worker that goes on with it instead gets a port of its own.
    if (framePort) void api.connect(id, Comlink.transfer(framePort, [framePort]));
    framePort = null;
    return answer;
  });
  const [worked, microphone] = await Promise.allSettled([begun, heard]);
  if (gone.aborted) return GONE;
  const isSpokenInto = clock.nowMs() - heardFromMs >= WORDLESS_MS;
  if (worked.status === 'rejected' && microphone.status === 'fulfilled' && isSpokenInto) {
    opening.onWorkerless();
    return null;
  }
  const refusal =
    worked.status === 'rejected' ? toErrorInfo(worked.reason, 'worker-crashed') : worked.value;
  if (microphone.status === 'rejected') {
    return refusal ?? toErrorInfo(microphone.reason, 'microphone-failed');
  }
  const { device } = microphone.value;
  // A crash is told elsewhere.
  const why = refusal ?? (await worker.call((api) => api.opened(id, device)).catch(() => null));
  if (why) await microphone.value.end();
  return why;
}

function settled(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch(() => {});
}
