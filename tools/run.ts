import { spawn } from 'node:child_process';

/**
 * Runs a command with its output shown; the promise gives its exit code (130 if a signal ended it).
 */
export function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { stdio: 'inherit', env });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 130));
  });
}

/** The path of a command of an installed package. */
export function localCommand(name: string): string {
  return `node_modules/.bin/${name}${process.platform === 'win32' ? '.cmd' : ''}`;
}

/** Says what is being done: one line, easy to find in a long log. */
export function say(text: string): void {
  console.log(`\n> ${text}`);
}
