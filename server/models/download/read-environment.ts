import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where models are asked for first. */
const HUB = 'https://huggingface.co';

/**
 * The folder of all models: `DIKTERA_MODELS`, else where this platform keeps what programs can
 * fetch again.
 */
export function modelsFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  const named = env.DIKTERA_MODELS?.trim();
  if (named) return resolve(named);
  const home = env.HOME || homedir();
  if (platform === 'win32') {
    return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'diktera', 'models');
  }
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'diktera', 'models');
  // A relative one does not count, by the convention itself.
  const cache = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(home, '.cache');
  return join(cache, 'diktera', 'models');
}

/** Addresses to ask, one after the other: `DIKTERA_MODELS_URL`, `HF_ENDPOINT`, Hugging Face. */
export function modelSources(env: Environment): readonly string[] {
  const own = (env.DIKTERA_MODELS_URL ?? '').split(',').map((one) => one.trim());
  const all = [...own, env.HF_ENDPOINT?.trim() ?? '', HUB].map((one) => one.replace(/\/+$/, ''));
  return [...new Set(all.filter((one) => /^https?:\/\//.test(one)))];
}
