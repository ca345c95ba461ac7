import type { FrameMessage } from '../../src/core/frame-protocol.ts';
import type { Collected, CollectorReport } from './frame-collector.worker.ts';

/** A real worker that takes frames from `framePort`. */
export type FrameCollector = {
  readonly framePort: MessagePort;
  /** Waits for the first mark of this kind. */
  marked(kind: FrameMessage['kind']): Promise<void>;
  /** All the worker got, once the end was marked. */
  readonly ended: Promise<readonly Collected[]>;
};

export function collectFrames(): FrameCollector {
  const worker = new Worker(new URL('./frame-collector.worker.ts', import.meta.url), {
    type: 'module',
  });
  const { port1, port2 } = new MessageChannel();
  const marks = new Set<FrameMessage['kind']>();
  const waiting = new Set<() => void>();
  const ended = new Promise<readonly Collected[]>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<CollectorReport>) => {
      if (data.kind === 'all') {
        worker.terminate();
        resolve(data.collected);
        return;
      }
      marks.add(data.mark);
      for (const check of waiting) check();
    };
    worker.onerror = (event) => reject(new Error(event.message));
  });
  worker.postMessage(port1, [port1]);
  return {
    framePort: port2,
    ended,
    marked: (kind) =>
      new Promise((resolve) => {
        const check = () => {
          if (!marks.has(kind)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
