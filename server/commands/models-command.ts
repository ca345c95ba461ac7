import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { assertNever } from '../../src/core/assert-never.ts';
import type { Environment } from '../config/env-reader.ts';
import { CATALOGUE } from '../models/catalogue.ts';
import { convertInThread } from '../models/convert/convert-in-thread.ts';
import { fetchModel, type ModelSource } from '../models/download/fetch-model.ts';
import { takeLock } from '../models/download/owner-lock.ts';
import { modelSources, modelsFolder } from '../models/download/read-environment.ts';
import type { MachineRoom } from '../models/download/room.ts';
import { findFault } from '../models/layout/hash-file.ts';
import { type FetchedModel, type KnownModel, totalBytes } from '../models/layout/known-model.ts';
import { folderOf, readReady, removeVersion, versionOf } from '../models/layout/model-folder.ts';
import { readModelsOrder } from './models-order.ts';
import { tryOnSpeech } from './try-on-speech.ts';

/** What the command works with. */
export type ModelsCommandPorts = {
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
