import {
  CAPTURE_PROCESSOR_NAME,
  type CaptureProcessorOptions,
} from '../src/core/audio/frame-protocol.ts';
import { createCaptureHost } from './capture-host.ts';
import { createFramePool } from './frame-stream.ts';

type NodeOptions = { readonly processorOptions?: Partial<CaptureProcessorOptions<unknown>> };

const NO_CHANNELS: readonly Float32Array[] = [];

/** The audio thread's end of capture; see `capture-host.ts` for all it does. */
class CaptureProcessor extends AudioWorkletProcessor {
  readonly #host;

  constructor(options: NodeOptions) {
    super();
    this.#host = createCaptureHost({
      contextRateHz: sampleRate,
      resamplerModule: options.processorOptions?.resamplerModule,
      pool: createFramePool(),
      pagePort: this.port,
      heardAtMs: options.processorOptions?.heardAtMs ?? null,
    });
  }

  process(inputs: readonly (readonly Float32Array[])[]): boolean {
    return this.#host.process(inputs[0] ?? NO_CHANNELS, currentFrame);
  }
}

registerProcessor(CAPTURE_PROCESSOR_NAME, CaptureProcessor);
