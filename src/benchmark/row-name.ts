import { STRINGS } from './benchmark-strings.ts';
import type { RowKey } from './report.ts';

const ENGINE_NAMES = {
  kernel: STRINGS.kernel,
  ort: 'onnxruntime-web',
  'vad-web': 'vad-web',
} as const;
const MODEL_NAMES = { v6: 'v6.2', v4: 'v4' } as const;

/** An engine, a model and its threads, as in "Kärnan v6.2". */
export function rowName({ engine, model, threads }: RowKey): string {
  const name = `${ENGINE_NAMES[engine]} ${MODEL_NAMES[model]}`;
  return engine === 'ort' ? `${name}, ${STRINGS.threads(threads)}` : name;
}

/** The same where there is little room: the engine, and the model with its threads. */
export function shortRowName({ engine, model, threads }: RowKey): readonly [string, string] {
  const name = { ...ENGINE_NAMES, ort: 'ort' }[engine];
  return [name, engine === 'ort' ? `${MODEL_NAMES[model]} ×${threads}` : MODEL_NAMES[model]];
}
