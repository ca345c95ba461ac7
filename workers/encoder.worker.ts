import { expose, transfer } from 'comlink';
import { DikteraError } from '../src/core/errors.ts';
import { createKernelEngine, type KernelEngine } from './kernel/kernel-engine.ts';
import { encodeSlice } from './offline/encode-slice.ts';
import type { EncoderWorkerApi } from './offline/encoder-helper.ts';

let kernel: KernelEngine | null = null;

const api: EncoderWorkerApi = {
  start(model, module) {
    kernel = createKernelEngine({ model, module });
  },
  encode(slice) {
    if (!kernel) throw new DikteraError('wrong-phase', 'Call start first');
    const features = encodeSlice(kernel, slice);
    return transfer(features, [features.buffer]);
  },
};

expose(api);
