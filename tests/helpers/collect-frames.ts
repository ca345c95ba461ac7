import type { FrameMessage } from '../../src/core/audio/frame-protocol.ts';
import type { Collected, CollectorReport, CollectorStart } from './frame-collector.worker.ts';

/** A real worker that takes frames from `framePort`. */
export type FrameCollector = {
  readonly framePort: MessagePort;
  /** The messages received so far. */
  readonly got: readonly FrameMessage[];
  /** Waits for the first message of this kind. */
  marked(kind: FrameMessage['kind']): Promise<void>;
  /** All the worker got, once the end was marked. */
  readonly ended: Promise<readonly Collected[]>;
  /** Ends the worker, as a crash would. */
  kill(): void;
};

/** With `replayFrom`, a worker that takes over from another, and goes on at that sample. */
export function collectFrames(replayFrom?: number): FrameCollector {
  const worker = new Worker(new URL('./frame-collector.worker.ts', import.meta.url), {
    type: 'module',
  });
  const { port1, port2 } = new MessageChannel();
  const got: FrameMessage[] = [];
  const waiting = new Set<() => void>();
  const ended = new Promise<readonly Collected[]>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<CollectorReport>) => {
      if (data.kind === 'all') {
        worker.terminate();
        resolve(data.collected);
        return;
      }
      got.push(data.message);
      for (const check of waiting) check();
    };
    worker.onerror = (event) => reject(new Error(event.message));
  });
  const start: CollectorStart = {
    port: port1,
    ...(replayFrom === undefined ? {} : { replayFrom }),
  };
  worker.postMessage(start, [port1]);
  return {
    framePort: port2,
    got,
    ended,
    kill: () => worker.terminate(),
    marked: (kind) =>
      new Promise((resolve) => {
        const check = () => {
          if (!got.some((message) => message.kind === kind)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
