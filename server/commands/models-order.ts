import type { FetchedModel, KnownModel } from '../models/layout/known-model.ts';

/** What `diktera-server models` was told to do. */
export type ModelsOrder =
  | { readonly kind: 'list' }
  | { readonly kind: 'verify'; readonly models: readonly FetchedModel[] }
  | { readonly kind: 'fetch' | 'remove'; readonly model: FetchedModel }
  | { readonly kind: 'import'; readonly model: FetchedModel; readonly folder: string }
  /** `recordings` are files, each with what is said in it. */
  | { readonly kind: 'try'; readonly model: FetchedModel; readonly recordings: readonly string[] }
  | { readonly kind: 'wrong'; readonly message: string };

/** What `models` alone prints. */
export const MODELS_USAGE = `diktera-server models list
diktera-server models fetch MODEL|LANGUAGE       fetches a model and makes it ready
diktera-server models import MODEL|LANGUAGE FOLDER   takes files that were fetched elsewhere
diktera-server models verify [MODEL|LANGUAGE]    reads every byte of what is here
diktera-server models remove MODEL|LANGUAGE      deletes it with its older versions
diktera-server models try MODEL|LANGUAGE [FILE TEXT]...   fetches it and writes down clips
`;

/** Reads the words behind `models`. A word too many is an error: nobody knows what was meant. */
export function readModelsOrder(
  words: readonly string[],
  catalogue: readonly KnownModel[],
): ModelsOrder {
  const [action, ...rest] = words;
  switch (action) {
    case undefined:
      return wrong('');
    case 'list':
      return tooMany(rest, 0) ?? { kind: 'list' };
    case 'verify':
      if (rest.length > 0) break;
      return { kind: 'verify', models: catalogue.filter((model) => model.kind === 'fetched') };
    case 'fetch':
    case 'remove':
    case 'import':
    case 'try':
      break;
    default:
      return wrong(`There is no command '${action}'.\n${MODELS_USAGE}`);
  }
  const [named, ...more] = rest;
  if (named === undefined) return wrong(`Which model? See: models list\n${MODELS_USAGE}`);
  const model = findModel(named, catalogue);
  if (model === null) return wrong(`There is no model '${named}' to fetch; see: models list\n`);
  if (model.kind === 'packaged') {
    return wrong(`${model.name} (${named}) comes with the server: there is nothing to do.\n`);
  }
  switch (action) {
    case 'verify':
      return tooMany(more, 0) ?? { kind: 'verify', models: [model] };
    case 'import': {
      const [folder] = more;
      if (folder === undefined) return wrong('Which folder do its files lie in?\n');
      return tooMany(more, 1) ?? { kind: 'import', model, folder };
    }
    case 'try':
      if (more.length % 2 > 0) return wrong(`What is said in ${more.at(-1)}?\n`);
      return { kind: 'try', model, recordings: more };
    default:
      return tooMany(more, 0) ?? { kind: action, model };
  }
}

function tooMany(words: readonly string[], known: number): ModelsOrder | null {
  const [first] = words.slice(known);
  return first === undefined ? null : wrong(`'${first}' is one word too many.\n${MODELS_USAGE}`);
}

function wrong(message: string): ModelsOrder {
  return { kind: 'wrong', message: message === '' ? MODELS_USAGE : message };
}

/** By its id, else the one that writes the language: the same that the server would ask. */
function findModel(named: string, catalogue: readonly KnownModel[]): KnownModel | null {
  const byId = catalogue.find(({ id }) => id === named);
  return byId ?? catalogue.find(({ languages }) => languages.includes(named)) ?? null;
}
