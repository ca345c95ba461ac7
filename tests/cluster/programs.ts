import { existsSync } from 'node:fs';
import {
  commandPaths,
  installDebianPackages,
  isRootOnDebian,
  namedByVariable,
  say,
} from '../../tools/browsers.ts';

/** The programs of others that a cluster has. */
export type Programs = { readonly balancer: string; readonly store: string };

type Wanted = {
  /** Names its path, when it is set. */
  readonly variable: string;
  /** Best first. */
  readonly commands: readonly string[];
  /** Debian's; the first one there is. */
  readonly packages: readonly string[];
};

const BALANCER: Wanted = { variable: 'HAPROXY', commands: ['haproxy'], packages: ['haproxy'] };

const STORE: Wanted = {
  variable: 'REDIS_SERVER',
  commands: ['valkey-server', 'redis-server'],
  packages: ['valkey-server', 'redis-server'],
};

/** Finds HAProxy and Valkey or Redis, or installs them. When neither works it throws what to do. */
export async function findOrInstallPrograms(): Promise<Programs> {
  return { balancer: await findOrInstall(BALANCER), store: await findOrInstall(STORE) };
}

async function findOrInstall(wanted: Wanted): Promise<string> {
  return find(wanted) ?? (await install(wanted));
}

function find({ variable, commands }: Wanted): string | null {
  return namedByVariable(variable) ?? commandPaths(commands).find(existsSync) ?? null;
}

async function install(wanted: Wanted): Promise<string> {
  const { variable, commands, packages } = wanted;
  const names = commands.join(' or ');
  if (!isRootOnDebian()) {
    throw new Error(`${names} is needed: install it, or name its path with ${variable}.`);
  }
  for (const name of packages) {
    say(`No ${names} here: installing Debian’s ${name}`);
    const failure = await installDebianPackages([name]).then(() => null, String);
    const found = find(wanted);
    if (found !== null) return found;
    if (failure !== null) say(failure);
  }
  throw new Error(`${names} could not be installed; name its path with ${variable}.`);
}
