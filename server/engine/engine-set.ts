import type { TranscriptionEngine } from './engine-port.ts';

/** The engines of a server, and which of them writes which language. */
export type EngineSet = Pick<TranscriptionEngine, 'state' | 'start'> & {
  /**
   * The languages of all; name and model are the fallback's, which most requests go to, and so is
   * `state`.
   */
  readonly description: TranscriptionEngine['description'];
  /** Each that is offered now once, the fallback first. */
  readonly engines: readonly TranscriptionEngine[];
  /** The engine that writes `language`. */
  engineFor(language: string): TranscriptionEngine;
  dispose(): Promise<void>;
};

/** Which engine writes which language; the first entry of a language counts. */
export type EngineRoutes = {
  /** @default none: the fallback writes all it can */
  readonly byLanguage?: ReadonlyMap<string, TranscriptionEngine>;
  /** Takes every other language it has, and audio of which nobody said the language. */
  readonly fallback: TranscriptionEngine;
  /**
   * What an empty `language` means, by an operator's word. @default the browser's language, or what
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
      const engine = byLanguage.get(language);
      return engine !== undefined && isOffered(engine) ? engine : fallback;
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
