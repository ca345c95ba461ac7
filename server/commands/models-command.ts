import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { assertNever } from '../../src/core/assert-never.ts';
import type { Environment } from '../config/env-reader.ts';
import { CATALOGUE } from '../models/catalogue.ts';
import { convertInThread } from '../models/convert/convert-in-thread.ts';
import { fetchModel, type MachineRoom, type ModelSource } from '../models/download/fetch-model.ts';
import { modelSources, modelsFolder } from '../models/download/open-download.ts';
import { takeLock } from '../models/download/owner-lock.ts';
import {
  type FetchedModel,
  findFault,
  folderOf,
  type KnownModel,
  readReady,
  removeVersion,
  totalBytes,
  versionOf,
} from '../models/layout/model-folder.ts';
import { tryOnSpeech } from './try-on-speech.ts';

/** The order given to `diktera-server models`. */
type ModelsOrder =
  | { readonly kind: 'list' }
  | { readonly kind: 'verify'; readonly models: readonly FetchedModel[] }
  | { readonly kind: 'fetch' | 'remove'; readonly model: FetchedModel }
  | { readonly kind: 'import'; readonly model: FetchedModel; readonly folder: string }
  /** `recordings` are files, each with what is said in it. */
  | { readonly kind: 'try'; readonly model: FetchedModel; readonly recordings: readonly string[] }
  | { readonly kind: 'wrong'; readonly message: string };

/** The text that `models` alone prints. */
const MODELS_USAGE = `diktera-server models list
diktera-server models fetch MODEL|LANGUAGE       fetches a model and makes it ready
diktera-server models import MODEL|LANGUAGE FOLDER   takes files that were fetched elsewhere
diktera-server models verify [MODEL|LANGUAGE]    reads every byte of what is here
diktera-server models remove MODEL|LANGUAGE      deletes it with its older versions
diktera-server models try MODEL|LANGUAGE [FILE TEXT]...   fetches it and writes down clips
`;

/** Reads the words behind `models`. A word too many is an error: nobody knows what was meant. */
function readModelsOrder(words: readonly string[], catalogue: readonly KnownModel[]): ModelsOrder {
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

/** The parts that the command works with. */
type ModelsCommandPorts = {
  readonly env: Environment;
  /** Writes to the terminal. */
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  /** @default all that this server knows */
  readonly catalogue?: readonly KnownModel[];
  /** @default this machine */
  readonly room?: MachineRoom;
};

/** Runs `diktera-server models ...`; gives back what the process is to end with. */
export async function runModelsCommand(
  words: readonly string[],
  ports: ModelsCommandPorts,
): Promise<number> {
  const { print, catalogue = CATALOGUE } = ports;
  const order = readModelsOrder(words, catalogue);
  switch (order.kind) {
    case 'list':
      return list(ports);
    case 'verify': {
      let worst = 0;
      for (const model of order.models) worst = Math.max(worst, await verify(model, ports));
      return worst;
    }
    case 'fetch':
      return makeReady(order.model, hubs(ports.env), ports);
    case 'import': {
      const path = resolve(order.folder);
      const isFolder = await stat(path).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (isFolder) return makeReady(order.model, [{ kind: 'folder', path }], ports);
      print(`${path} is not a folder.\n`);
      return 2;
    }
    case 'remove':
      return remove(order.model, ports);
    case 'try': {
      const { model, recordings } = order;
      const code = await makeReady(model, hubs(ports.env), ports);
      if (code !== 0) return code;
      return tryOnSpeech(model, folderOf(modelsFolder(ports.env), model), recordings, print);
    }
    case 'wrong':
      print(order.message);
      return 2;
    default:
      return assertNever(order);
  }
}

async function list({ env, print, catalogue = CATALOGUE }: ModelsCommandPorts): Promise<number> {
  const root = modelsFolder(env);
  print(`Models lie in ${root} (DIKTERA_MODELS).\n`);
  for (const model of catalogue) {
    const { id, name, languages, licence, attribution } = model;
    const changes = model.kind === 'fetched' && model.changes ? `; changed: ${model.changes}` : '';
    const where = model.kind === 'packaged' ? 'comes with the server' : await whereOf(model, root);
    print(`\n${id}: ${where}\n  ${name}, by ${attribution}; ${licence}${changes}\n`);
    print(`  languages: ${languages.join(' ')}; memory: ${mb(model.memoryBytes)}\n`);
  }
  return 0;
}

async function whereOf(model: FetchedModel, root: string): Promise<string> {
  const folder = folderOf(root, model);
  if ((await readReady(folder)) !== null) return 'ready';
  const begun = await readdir(folder.files).catch((): string[] => []);
  const size = mb(totalBytes(model));
  return begun.length > 0 ? `begun, ${size} in all` : `not here, ${size} to fetch`;
}

async function makeReady(
  model: FetchedModel,
  sources: readonly ModelSource[],
  ports: ModelsCommandPorts,
): Promise<number> {
  const { env, print, signal, room } = ports;
  const folder = folderOf(modelsFolder(env), model);
  const total = totalBytes(model);
  let told = -1;
  const onBytes = (bytes: number) => {
    const percent = Math.floor((100 * bytes) / total);
    if (percent >= told + 5 || (percent === 100 && told < 100)) {
      told = percent;
      print(`${model.name}: ${percent} % of ${mb(total)}\n`);
    }
  };
  const from = sources.map((source) => (source.kind === 'hub' ? source.address : source.path));
  if ((await readReady(folder)) === null) {
    print(`${model.name}: ${mb(total)} are wanted from ${from.join(', else ')}\n`);
  }
  try {
    // Whoever asks by hand wants it tried again as well.
    await rm(folder.trial, { force: true });
    const options = { model, folder, sources, env, signal, onBytes, ...(room ? { room } : {}) };
    await fetchModel(options, async () => {
      print('Making it ready...\n');
      await convertInThread({ model, folder }, signal);
    });
    print(`${model.id} is ready.\n`);
    return 0;
  } catch (error) {
    print(`${model.id}: ${error instanceof Error ? error.message : String(error)}.\n`);
    print('What has come is kept; the same command goes on.\n');
    return 1;
  }
}

async function verify(model: FetchedModel, ports: ModelsCommandPorts): Promise<number> {
  const folder = folderOf(modelsFolder(ports.env), model);
  const ready = await readReady(folder);
  if (ready === null) {
    ports.print(`${model.id} is not here.\n`);
    return 1;
  }
  for (const file of ready.files) {
    const fault = await findFault(join(folder.ready, file.name), file);
    if (fault === null) continue;
    ports.print(`${model.id}: ${fault}; remove it and fetch it again.\n`);
    return 1;
  }
  ports.print(`${model.id}: every byte is as it should be.\n`);
  return 0;
}

async function remove(model: FetchedModel, ports: ModelsCommandPorts): Promise<number> {
  const root = modelsFolder(ports.env);
  const folder = folderOf(root, model);
  const versions = await readdir(join(root, model.id)).catch((): string[] => []);
  if (versions.length === 0) {
    ports.print(`${model.id} is not here.\n`);
    return 1;
  }
  if (versions.includes(versionOf(model)) && (await takeLock(folder.lock)) === null) {
    ports.print(`${model.id} is being fetched by another process.\n`);
    return 1;
  }
  await removeVersion(folder);
  await rm(join(root, model.id), { recursive: true, force: true });
  ports.print(`${model.id} is removed.\n`);
  return 0;
}

function hubs(env: Environment): readonly ModelSource[] {
  return modelSources(env).map((address) => ({ kind: 'hub', address }));
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
