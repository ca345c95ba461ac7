import type { EngineConfig, EngineName } from '../config/engine-config.ts';
import type { UpstreamPorts } from './ask-upstream.ts';
import type { TranscriptionEngine } from './engine-port.ts';
import { createEngineRouter } from './engine-router.ts';
import { createOpenAiEngine } from './openai-engine.ts';
import type { TransformersSettings } from './transformers-engine.ts';
import { createWhisperCppEngine } from './whisper-cpp-engine.ts';

/** What engines are made with. */
export type EngineMakers = UpstreamPorts & {
  /** Makes the embedded engine; called only when it is used. */
  readonly embedded: () => TranscriptionEngine;
  /** Makes the engine inside Transformers.js; called only when it is used. */
  readonly transformers: (settings: TransformersSettings) => TranscriptionEngine;
};

/** The engine an operator configured: one, or several behind a router. */
export function createEngine(config: EngineConfig, makers: EngineMakers): TranscriptionEngine {
  const made = new Map<EngineName, TranscriptionEngine>();
  const make = (name: EngineName): TranscriptionEngine => {
    const engine = made.get(name) ?? makeEngine(name, config, makers);
    made.set(name, engine);
    return engine;
  };
  const byLanguage = new Map([...config.routes].map(([language, name]) => [language, make(name)]));
  const fallback = make(config.main);
  if (byLanguage.size === 0) return fallback;
  return createEngineRouter({ byLanguage, fallback, defaultLanguage: config.defaultLanguage });
}

function makeEngine(
  name: EngineName,
  config: EngineConfig,
  makers: EngineMakers,
): TranscriptionEngine {
  if (name === 'openai' && config.openai !== null) {
    return createOpenAiEngine(config.openai, makers);
  }
  if (name === 'whispercpp' && config.whisperCpp !== null) {
    return createWhisperCppEngine(config.whisperCpp, makers);
  }
  if (name === 'transformers' && config.transformers !== null) {
    return makers.transformers(config.transformers);
  }
  return makers.embedded();
}
