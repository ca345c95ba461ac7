import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished } from 'vitest';

const exec = promisify(execFile);

/** An example in a folder outside of the project, with the library installed from its tarball. */
export type InstalledExample = {
  readonly folder: string;
  /** Runs a command of an installed package; throws with its output when it fails. */
  run(command: string, ...args: readonly string[]): Promise<void>;
  /** Runs a script of the example. */
  runNode(script: string): Promise<void>;
  /**
   * Starts a command of an installed package that serves the example at `url`, until the test is
   * over; fulfilled when it answers.
   */
  serve(url: string, env: NodeJS.ProcessEnv, command: string, ...args: string[]): Promise<void>;
};

/** Copies an example away and installs it, with `others` beside it; gone when the test is over. */
export async function installExample(
  name: string,
  others: readonly string[] = [],
): Promise<InstalledExample> {
  const folder = await mkdtemp(join(tmpdir(), `diktera-${name}-`));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join('examples', name), folder, { recursive: true });
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await exec('npm', ['install', ...quiet, inject('tarball'), ...others], { cwd: folder });
  const command = (name: string): string => join(folder, 'node_modules', '.bin', name);
  const start = async (program: string, args: readonly string[]): Promise<void> => {
    const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
    await exec(program, args, { cwd: folder, env, maxBuffer: 64 * 2 ** 20 });
  };
  return {
    folder,
    run: (name, ...args) => start(command(name), args),
    runNode: (script) => start(process.execPath, [script]),
    async serve(url, env, name, ...args) {
      // A group of its own, since such servers have processes of theirs.
      const child = spawn(command(name), args, {
        cwd: folder,
        env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
        detached: true,
        stdio: 'ignore',
      });
      onTestFinished(() => void (child.pid && process.kill(-child.pid)));
      const isServed = () =>
        fetch(url)
          .then(({ ok }) => ok)
          .catch(() => false);
      await expect.poll(isServed, { timeout: 60_000 }).toBe(true);
    },
  };
}
