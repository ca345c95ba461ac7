import { STRINGS } from './benchmark-strings.ts';
import type { RowKey } from './report.ts';

const ENGINE_NAMES = {
  kernel: STRINGS.kernel,
  ort: 'onnxruntime-web',
  'vad-web': 'vad-web',
} as const;

/** An engine and its threads, as in "onnxruntime-web, 2 trådar". */
export function rowName({ engine, threads }: RowKey): string {
  const name = ENGINE_NAMES[engine];
  return engine === 'ort' ? `${name}, ${STRINGS.threads(threads)}` : name;
}

/** The same where there is little room: the engine, and its threads. */
export function shortRowName({ engine, threads }: RowKey): readonly string[] {
  return engine === 'ort' ? ['ort', `×${threads}`] : [ENGINE_NAMES[engine]];
}
