import type { EngineOptions } from '../engine/engine-options.ts';
import { CATALOGUE, modelFor } from './catalogue.ts';
import type { FetchedModel, KnownModel } from './layout/known-model.ts';
import type { LocalEngine } from './local-engine.ts';

/** The engines with fetched models, and which language goes to which. */
export type LocalEngines = {
  readonly engines: readonly LocalEngine[];
  readonly byLanguage: ReadonlyMap<string, LocalEngine>;
};

/**
 * Makes an engine of each model that may be of use: for languages that are wanted, and, where the
 * embedded engine is the main one, for all others nobody else writes, should one be fetched later.
 */
export function createLocalEngines(
  { main, routes, local }: Pick<EngineOptions, 'main' | 'routes' | 'local'>,
  make: (model: FetchedModel, isWanted: boolean) => LocalEngine,
  catalogue: readonly KnownModel[] = CATALOGUE,
): LocalEngines {
  const engines: LocalEngine[] = [];
  const byLanguage = new Map<string, LocalEngine>();
  for (const model of catalogue) {
    if (model.kind !== 'fetched') continue;
    const languages = model.languages.filter(
      (language) =>
        modelFor(language, catalogue) === model &&
        !routes.has(language) &&
        (main === 'embedded' || local.includes(language)),
    );
    if (languages.length === 0) continue;
    const engine = make(
      model,
      languages.some((language) => local.includes(language)),
    );
    engines.push(engine);
    for (const language of languages) byLanguage.set(language, engine);
  }
  return { engines, byLanguage };
}
