import type { OpenAiSettings } from './openai-engine.ts';
import type { TransformersSettings } from './transformers-engine.ts';
import type { UpstreamProxies } from './upstream-fetch.ts';
import type { WhisperCppSettings } from './whisper-cpp-engine.ts';

/** The engines an operator can choose. */
export const ENGINE_NAMES = ['embedded', 'openai', 'whispercpp', 'transformers'] as const;

/** One of them. */
export type EngineName = (typeof ENGINE_NAMES)[number];

/** Which engines there are and what each is asked. */
export type EngineOptions = {
  /** The engine for every language without a route. */
  readonly main: EngineName;
  /** Engine by language, such as `sv` to `openai`. */
  readonly routes: ReadonlyMap<string, EngineName>;
  /** Languages for which a model is fetched and run here. */
  readonly local: readonly string[];
  /** Null when no engine in use needs it. */
  readonly openai: OpenAiSettings | null;
  /** Null when no engine in use needs it. */
  readonly whisperCpp: WhisperCppSettings | null;
  /** Null when no engine in use needs it. */
  readonly transformers: TransformersSettings | null;
  /** By way of what other servers are asked; null: directly. */
  readonly proxies: UpstreamProxies | null;
  /** What an empty `language` means; null leaves it to the engine. */
  readonly defaultLanguage: string | null;
  /** Whether many short requests cost no more than one long one. */
  readonly freePieces: boolean;
};
