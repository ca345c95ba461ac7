import type { FrameMessage } from '../../src/core/frame-protocol.ts';

/** A message and when the worker had it, in ms since 1970. */
export type Collected = { readonly message: FrameMessage; readonly arrivedAtMs: number };

/** What the collector tells the page: each mark at once, and everything once the end is marked. */
export type CollectorReport =
  | { readonly kind: 'mark'; readonly mark: FrameMessage['kind'] }
  | { readonly kind: 'all'; readonly collected: readonly Collected[] };

const collected: Collected[] = [];

function report(message: CollectorReport): void {
  self.postMessage(message);
}

/** Stands in for the dictation worker: takes the frames' port, keeps frames, gives memory back. */
self.onmessage = ({ data: port }: MessageEvent<MessagePort>) => {
  port.onmessage = ({ data: message }: MessageEvent<FrameMessage>) => {
    const arrivedAtMs = performance.timeOrigin + performance.now();
    if (message.kind === 'frame') {
      collected.push({ message: { ...message, samples: message.samples.slice() }, arrivedAtMs });
      const buffer = message.samples.buffer as ArrayBuffer;
      port.postMessage({ kind: 'recycle', buffer }, [buffer]);
      return;
    }
    collected.push({ message, arrivedAtMs });
    report({ kind: 'mark', mark: message.kind });
    if (message.kind === 'ended') report({ kind: 'all', collected });
  };
};
