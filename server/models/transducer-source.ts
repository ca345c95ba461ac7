import { join } from 'node:path';
import type { TransducerSource } from '../engine/engine-protocol.ts';
import type { FetchedModel } from './layout/known-model.ts';
import { type ModelFolder, READY_FILES } from './layout/model-folder.ts';

/** What an engine is told to run a model that is ready; `threads` are cores for one utterance. */
export function sourceOf(
  { facts }: FetchedModel,
  { ready }: ModelFolder,
  threads: number,
  precision: TransducerSource['precision'],
): TransducerSource {
  const path = (part: keyof typeof READY_FILES) => join(ready, READY_FILES[part]);
  return {
    encoder: path('encoder'),
    decoder: path('decoder'),
    joiner: path('joiner'),
    tokens: path('tokens'),
    featureBins: facts.featureBins,
    threads,
    precision,
  };
}
