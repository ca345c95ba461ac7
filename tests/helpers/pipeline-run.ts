import type { FrameMessage } from '../../src/core/audio/frame-protocol.ts';
import { type CapturePipeline, createCapturePipeline } from '../../worklets/capture-pipeline.ts';
import { createFramePool, createFrameStream } from '../../worklets/frame-stream.ts';
import { newResampler } from './speex.ts';

/** A pipeline in Node, what it has sent, and a context's clock to feed it by. */
export type PipelineRun = {
  readonly pipeline: CapturePipeline;
  readonly messages: FrameMessage[];
  /** Pushes channels as the next block; `skipFrames` lets the clock run on before it. */
  feed(channels: readonly Float32Array[], skipFrames?: number): void;
};

/** Messages are kept as clones, as a port would deliver them. */
export function newPipelineRun(rateHz: number): PipelineRun {
  const messages: FrameMessage[] = [];
  let clockFrames = 1_000;
  const stream = createFrameStream(createFramePool());
  stream.sendFrom(0, (message, transfer) => {
    messages.push(structuredClone(message, { transfer }));
  });
  const pipeline = createCapturePipeline({ resampler: newResampler(rateHz), stream });
  return {
    pipeline,
    messages,
    feed(channels, skipFrames = 0) {
      clockFrames += skipFrames;
      pipeline.push(channels, clockFrames);
      clockFrames += channels[0]?.length ?? 128;
    },
  };
}
