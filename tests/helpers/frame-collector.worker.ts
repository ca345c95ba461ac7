import type { FrameMessage, FrameRequest } from '../../src/core/audio/frame-protocol.ts';

/** A message and when the worker had it, in ms since 1970. */
export type Collected = { readonly message: FrameMessage; readonly arrivedAtMs: number };

/** A page's message to the collector. */
export type CollectorStart = {
  readonly port: MessagePort;
  /** Set for one that takes over: where it goes on. */
  readonly replayFrom?: number;
};

/**
 * A collector's message to the page: each mark and frame at once, and all of them after the end.
 */
export type CollectorReport =
  | { readonly kind: 'got'; readonly message: FrameMessage }
  | { readonly kind: 'all'; readonly collected: readonly Collected[] };

const collected: Collected[] = [];

function report(message: CollectorReport): void {
  self.postMessage(message);
}

/** Stands in for the dictation worker: takes the frames' port, keeps frames, gives memory back. */
self.onmessage = ({ data: { port, replayFrom } }: MessageEvent<CollectorStart>) => {
  function request(message: FrameRequest, transfer: Transferable[] = []): void {
    port.postMessage(message, transfer);
  }

  port.onmessage = ({ data: message }: MessageEvent<FrameMessage>) => {
    const arrivedAtMs = performance.timeOrigin + performance.now();
    if (message.kind === 'frame') {
      const kept = { ...message, pcm: message.pcm.slice() };
      collected.push({ message: kept, arrivedAtMs });
      const buffer = message.pcm.buffer as ArrayBuffer;
      request({ kind: 'recycle', buffers: [buffer] }, [buffer]);
      report({ kind: 'got', message: kept });
      return;
    }
    collected.push({ message, arrivedAtMs });
    report({ kind: 'got', message });
    if (message.kind === 'ended') report({ kind: 'all', collected });
  };
  if (replayFrom !== undefined) request({ kind: 'replay', fromSample: replayFrom });
};
