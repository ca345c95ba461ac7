import type { UpstreamPorts } from './ask-upstream.ts';
import type { EngineDescription, TranscriptionEngine } from './engine-port.ts';
import type { WhisperSource } from './engine-process.ts';
import { createOpenAiEngine, type OpenAiSettings } from './openai-engine.ts';
import { recogniseInPieces } from './pieces.ts';
import { type SupervisorPorts, superviseRecogniser } from './supervised-recogniser.ts';
import type { UpstreamProxies } from './upstream-watch.ts';
import { createWhisperCppEngine, type WhisperCppSettings } from './whisper-cpp-engine.ts';

const DESCRIPTION: EngineDescription = {
  engine: 'moonshine',
  model: 'moonshine-tiny-int8',
  languages: ['en'],
  defaultLanguage: 'en',
};

/**
 * The embedded engine: English, from the npm registry alone, in a process of its own. One speed, so
 * `fast` changes nothing.
 */
export function createMoonshineEngine(ports: SupervisorPorts): TranscriptionEngine {
  const recogniser = superviseRecogniser(ports);
  let started: Promise<void> | null = null;
  return {
    description: DESCRIPTION,
    state: recogniser.state,
    start() {
      started ??= recogniser.start();
      return started;
    },
    async transcribe(samples, { language }, signal, turn) {
      const recognise = (utterance: Float32Array) => recogniser.recognise(utterance, language);
      return { ...(await recogniseInPieces(recognise, samples, signal, turn)), language };
    },
    dispose: async () => recogniser.stop(),
  };
}

/** Which model, and what it writes. */
export type TransformersSettings = WhisperSource & {
  /** Never empty. */
  readonly languages: readonly string[];
  /** The language that an empty one stands for: Transformers.js finds out nothing and would write English. */
  readonly defaultLanguage: string;
};

/** Half a gigabyte comes over a slow line. */
const LOAD_MS = 3_600_000;

/** As long as any engine elsewhere may be given; a large model writes slower than one speaks. */
const STALL_MS = 600_000;

/**
 * Whisper, such as KBLab's for Swedish, by way of Transformers.js in a process of its own. It only
 * decodes greedily, so `fast` changes nothing. It takes one recording at a time: `CONCURRENCY` 1
 * suits it.
 */
export function createTransformersEngine(
  settings: TransformersSettings,
  ports: Omit<SupervisorPorts, 'loadMs' | 'stallMs'>,
): TranscriptionEngine {
  const { model, languages, defaultLanguage } = settings;
  const recogniser = superviseRecogniser({ ...ports, loadMs: LOAD_MS, stallMs: STALL_MS });
  let started: Promise<void> | null = null;
  return {
    description: { engine: 'transformers', model, languages, defaultLanguage },
    state: recogniser.state,
    start() {
      started ??= recogniser.start();
      return started;
    },
    async transcribe(samples, { language }, signal) {
      signal.throwIfAborted();
      const { text } = await recogniser.recognise(samples, language);
      return { text, language };
    },
    dispose: async () => recogniser.stop(),
  };
}

/** The parts that engines are made with. */
type EngineMakers = UpstreamPorts & {
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

/** The engines of a server, and which of them writes which language. */
export type EngineSet = Pick<TranscriptionEngine, 'state' | 'start'> & {
  /**
   * The languages of all; name and model are the fallback's, which most requests go to, and so is
   * `state`.
   */
  readonly description: TranscriptionEngine['description'];
  /** Each that is offered now once, the fallback first. */
  readonly engines: readonly TranscriptionEngine[];
  /** The engine that writes `language`; it may be one that is not offered, or is out of order. */
  engineFor(language: string): TranscriptionEngine;
  dispose(): Promise<void>;
};

/** Which engine writes which language; the first entry of a language counts. */
type EngineRoutes = {
  /** @default none: the fallback writes all it can */
  readonly byLanguage?: ReadonlyMap<string, TranscriptionEngine>;
  /** Takes every other language it has, and audio of which nobody said the language. */
  readonly fallback: TranscriptionEngine;
  /**
   * The language that an empty one stands for, by an operator's word. @default the browser's language, or what
   * it means to the fallback
   */
  readonly defaultLanguage?: string | null;
};

/** Makes a set of one engine, or of several. */
export function createEngineSet(routes: EngineRoutes): EngineSet {
  const { byLanguage = new Map<string, TranscriptionEngine>(), fallback } = routes;
  const engines = [...new Set([fallback, ...byLanguage.values()])];
  const isOffered = (engine: TranscriptionEngine) => engine.isOffered?.() ?? true;
  const offered = () => engines.filter(isOffered);

  function describe(): TranscriptionEngine['description'] {
    const others = [...byLanguage].filter(([, engine]) => isOffered(engine));
    const languages = new Set([...fallback.description.languages, ...others.map(([one]) => one)]);
    // An engine that finds out itself is better than a browser at it; models here do not find out.
    const isToldLanguage =
      fallback.description.defaultLanguage !== null ||
      offered().some((engine) => engine.isOffered !== undefined);
    return {
      ...fallback.description,
      languages: [...languages],
      defaultLanguage: routes.defaultLanguage ?? fallback.description.defaultLanguage,
      followsBrowser: isToldLanguage && !routes.defaultLanguage,
    };
  }

  return {
    get description() {
      return describe();
    },
    get engines() {
      return offered();
    },
    engineFor(language) {
      const own = byLanguage.get(language);
      if (own === undefined || isOffered(own)) return own ?? fallback;
      // It was offered when the recording came. The fallback would write its own language for this.
      return fallback.description.languages.includes(language) ? fallback : own;
    },
    state: () => fallback.state(),
    async start() {
      await Promise.all(engines.map((engine) => engine.start()));
    },
    async dispose() {
      await Promise.all(engines.map((engine) => engine.dispose?.()));
    },
  };
}

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
  /** The language that an empty one stands for; null leaves it to the engine. */
  readonly defaultLanguage: string | null;
  /** True if many short requests cost no more than one long one. */
  readonly freePieces: boolean;
};
