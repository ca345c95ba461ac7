import type { TranscriptionEngine } from './engine-port.ts';

/** Which engine writes which language; the first entry of a language counts. */
export type EngineRoutes = {
  readonly byLanguage: ReadonlyMap<string, TranscriptionEngine>;
  /** Takes every other language it has, and audio of which nobody said the language. */
  readonly fallback: TranscriptionEngine;
  /** What an empty `language` means; null: what it means to the fallback. */
  readonly defaultLanguage: string | null;
};

/**
 * Several engines as one. Its languages are those of all routes and of the fallback; its state and
 * name are the fallback's, which most requests go to. `route` gives the engine for a language.
 */
export function createEngineRouter(routes: EngineRoutes): TranscriptionEngine {
  const { byLanguage, fallback } = routes;
  const parts = [...new Set([fallback, ...byLanguage.values()])];
  const languages = [...new Set([...fallback.description.languages, ...byLanguage.keys()])];
  const route = (language: string) => byLanguage.get(language) ?? fallback;
  const defaultLanguage = routes.defaultLanguage ?? fallback.description.defaultLanguage;
  return {
    description: { ...fallback.description, languages, defaultLanguage },
    parts,
    route,
    state: fallback.state,
    async start() {
      await Promise.all(parts.map((part) => part.start()));
    },
    transcribe: (samples, wish, signal, turn) =>
      route(wish.language).transcribe(samples, wish, signal, turn),
    async dispose() {
      await Promise.all(parts.map((part) => part.dispose?.()));
    },
  };
}
