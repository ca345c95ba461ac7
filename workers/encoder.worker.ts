import { assertNever } from '../src/core/assert-never.ts';
import { DikteraError, toErrorInfo } from '../src/core/errors.ts';
import { createKernelEngine, type KernelEngine } from './kernel/kernel-engine.ts';
import { encodeSlice } from './offline/encode-slice.ts';
import type { EncoderAnswer, EncoderOrder } from './offline/encoder-messages.ts';

let kernel: KernelEngine | null = null;

function obey(order: EncoderOrder): EncoderAnswer {
  switch (order.kind) {
    case 'start':
      kernel = createKernelEngine(order);
      return { kind: 'started' };
    case 'encode':
      if (!kernel) throw new DikteraError('wrong-phase', 'The encoder has not been started');
      return { kind: 'encoded', features: encodeSlice(kernel, order.slice) };
    default:
      return assertNever(order);
  }
}

function answerTo(order: EncoderOrder): EncoderAnswer {
  try {
    return obey(order);
  } catch (error) {
    return { kind: 'failed', error: toErrorInfo(error, 'engine-failed') };
  }
}

self.onmessage = ({ data }: MessageEvent<EncoderOrder>) => {
  const answer = answerTo(data);
  self.postMessage(answer, { transfer: answer.kind === 'encoded' ? [answer.features.buffer] : [] });
};
