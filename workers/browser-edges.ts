import type { Clock } from '../src/core/clock.ts';
import type { WorkerSetup } from '../src/core/contracts/worker-api.ts';
import type { Logger } from '../src/core/logger.ts';
import type { WorkerEdges } from './assemble-worker.ts';
import { createAudioEncoder } from './encoding/audio-encoder.ts';
import { audioFormats } from './encoding/audio-formats.ts';
import { createHttpClient } from './http/http-client.ts';
import { kernelFactory } from './kernel/kernel-factory.ts';
import { fetchForm } from './queue/fetch-form.ts';
import { loadSpeechEngine } from './vad/load-engine.ts';

/** The browser's own: WebCodecs, onnxruntime or the kernel, fetch. */
export function browserEdges(
  { assets }: Pick<WorkerSetup, 'assets'>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): WorkerEdges {
  const http = createHttpClient({ clock });
  return {
    loadEngine: ({ model, engine }) =>
      loadSpeechEngine({ model, kind: engine, assets }, { http, log, kernel: kernelFactory }),
    encoder: createAudioEncoder({ clock, log, formats: audioFormats(assets) }),
    fetch: fetchForm,
    random: Math.random,
  };
}
