import type { Clock } from '../src/core/clock.ts';
import type { WorkerSetup } from '../src/core/contracts/worker-api.ts';
import type { Logger } from '../src/core/logger.ts';
import type { WorkerEdges } from './assemble-worker.ts';
import { createAudioEncoder } from './audio/audio-encoder.ts';
import { audioFormats } from './audio/audio-formats.ts';
import { loadSpeechEngine } from './audio/choose-engine.ts';
import { kernelFactory } from './audio/kernel-engine.ts';
import { createHttpClient } from './http/http-client.ts';
import { fetchForm } from './upload/transcribe-request.ts';

/** The browser's own: WebCodecs, onnxruntime or the kernel, fetch. */
export function browserEdges(
  { assets }: Pick<WorkerSetup, 'assets'>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): WorkerEdges {
  const http = createHttpClient({ clock });
  return {
    loadEngine: ({ engine }) =>
      loadSpeechEngine({ kind: engine, assets }, { http, log, kernel: kernelFactory }),
    encoder: createAudioEncoder({ clock, log, formats: audioFormats(assets) }),
    fetch: fetchForm,
    random: Math.random,
  };
}
