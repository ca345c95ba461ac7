import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject, onTestFinished } from 'vitest';

const exec = promisify(execFile);

/** An example in a folder outside of the project, with the library installed from its tarball. */
export type InstalledExample = {
  readonly folder: string;
  /** Runs a command of an installed package; throws with its output when it fails. */
  run(command: string, ...args: readonly string[]): Promise<void>;
  /** Runs a script of the example. */
  runNode(script: string): Promise<void>;
};

/** Copies an example away and installs it; gone when the test is over. */
export async function installExample(name: string): Promise<InstalledExample> {
  const folder = await mkdtemp(join(tmpdir(), `diktera-${name}-`));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join('examples', name), folder, { recursive: true });
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await exec('npm', ['install', ...quiet, inject('tarball')], { cwd: folder });
  const start = async (program: string, args: readonly string[]): Promise<void> => {
    const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
    await exec(program, args, { cwd: folder, env, maxBuffer: 64 * 2 ** 20 });
  };
  return {
    folder,
    run: (command, ...args) => start(join(folder, 'node_modules', '.bin', command), args),
    runNode: (script) => start(process.execPath, [script]),
  };
}
