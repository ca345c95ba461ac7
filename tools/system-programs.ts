import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './run.ts';

/** Debian keeps servers' programs where only root's PATH looks. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Where a program may be, by any of these names in their order; the first that exists counts. */
export function commandPaths(names: readonly string[]): readonly string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...SYSTEM_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** The path a variable of the environment names, else null. Throws when nothing is there. */
export function namedByVariable(variable: string): string | null {
  const path = process.env[variable];
  if (!path) return null;
  if (!existsSync(path)) throw new Error(`${variable} names ${path}, which is not there.`);
  return path;
}

/** Whether packages can be installed here without asking anybody. */
export function isRootOnDebian(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/** Installs packages of Debian. Throws when that fails. */
export async function installDebianPackages(packages: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await mustRun('apt-get', ['update', '-qq'], env);
  await mustRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], env);
}

/** Runs a command; throws when it fails. */
export async function mustRun(
  command: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<void> {
  const code = await run(command, args, env);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}`);
}
