import type { UpstreamPorts } from './ask-upstream.ts';
import type { EngineName, EngineOptions } from './engine-options.ts';
import type { TranscriptionEngine } from './engine-port.ts';
import { createEngineSet, type EngineSet } from './engine-set.ts';
import { createOpenAiEngine } from './openai-engine.ts';
import type { TransformersSettings } from './transformers-engine.ts';
import { createWhisperCppEngine } from './whisper-cpp-engine.ts';

/** What engines are made with. */
export type EngineMakers = UpstreamPorts & {
  /** Makes the embedded engine; called only when it is used. */
  readonly embedded: () => TranscriptionEngine;
  /** Makes the engine inside Transformers.js; called only when it is used. */
  readonly transformers: (settings: TransformersSettings) => TranscriptionEngine;
  /** Engines with models of their own, by language. @default none */
  readonly local?: ReadonlyMap<string, TranscriptionEngine>;
};

/** The engines an operator configured. */
export function createEngines(options: EngineOptions, makers: EngineMakers): EngineSet {
  const made = new Map<EngineName, TranscriptionEngine>();
  const make = (name: EngineName): TranscriptionEngine => {
    const engine = made.get(name) ?? makeEngine(name, options, makers);
    made.set(name, engine);
    return engine;
  };
  const byLanguage = new Map<string, TranscriptionEngine>(makers.local);
  for (const [language, name] of options.routes) byLanguage.set(language, make(name));
  const fallback = make(options.main);
  return createEngineSet({ byLanguage, fallback, defaultLanguage: options.defaultLanguage });
}

function makeEngine(
  name: EngineName,
  options: EngineOptions,
  makers: EngineMakers,
): TranscriptionEngine {
  if (name === 'openai' && options.openai !== null) {
    return createOpenAiEngine(options.openai, makers);
  }
  if (name === 'whispercpp' && options.whisperCpp !== null) {
    return createWhisperCppEngine(options.whisperCpp, makers);
  }
  if (name === 'transformers' && options.transformers !== null) {
    return makers.transformers(options.transformers);
  }
  return makers.embedded();
}
