import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Starts a group, has it watched, tells its id and stays. */
const PARENT = `
  import { spawn } from 'node:child_process';
  import { killWithParent } from './tests/drivers/processes.ts';
  const child = spawn('sh', ['-c', 'sleep 600 & sleep 600'], { detached: true });
  killWithParent(child.pid, process.argv[1]);
  console.log(child.pid);
  setInterval(() => {}, 1_000);
`;

function isAlive(groupId: number): boolean {
  try {
    return process.kill(-groupId, 0);
  } catch {
    return false;
  }
}

test('a test run killed from outside takes its browser and the profile along', {
  timeout: 30_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'diktera-watch-'));
  const parent = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', PARENT, folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const groupId = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (told: Buffer) => resolve(Number(told.toString())));
  });
  onTestFinished(() => {
    parent.kill('SIGKILL');
    if (isAlive(groupId)) process.kill(-groupId, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  expect(isAlive(groupId)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isAlive(groupId), { timeout: 10_000 }).toBe(false);
  await expect.poll(() => existsSync(folder), { timeout: 10_000 }).toBe(false);
});
