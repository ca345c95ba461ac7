import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { speechForm } from '../../helpers/running-server.ts';
import { startUpstreamStub } from '../../helpers/upstream-stub.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The server as its own process, as a person starts it. */
function startProcess(env: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, output, ended };
}

test('prints one line with its address, gets ready, and ends well on SIGTERM', async () => {
  const { child, output, ended } = startProcess({ PORT: '0', LOG_LEVEL: 'info' });
  await expect.poll(() => output.out, { timeout: 15_000 }).toContain('\n');
  const address = /^Diktera is at (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(output.out)?.[1];
  const status = async () => (await fetch(`${address}/api/health`)).status;
  await expect.poll(status, { timeout: 15_000 }).toBe(200);

  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(output.out.split('\n')).toHaveLength(2);
}, 40_000);

test('says everything that is wrong with its variables, and ends', async () => {
  const { output, ended } = startProcess({ PORT: 'x', LOG_LEVEL: 'y' });
  expect(await ended).toBe(1);
  expect(output.err).toMatch(/PORT must be.*\nLOG_LEVEL must be/);
  expect(output.out).toBe('');
}, 20_000);

test('says that the port is taken', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { output, ended } = startProcess({ PORT: String(port), LOG_LEVEL: 'silent' });
  expect(await ended).toBe(1);
  expect(output.err).toContain('The port is taken; choose another with PORT.');
  other.close();
}, 20_000);

test('--help names the variables and starts nothing', async () => {
  const { output, ended } = startProcess({ PORT: 'x' }, ['--help']);
  expect(await ended).toBe(0);
  expect(output.out).toContain('ASR_ROUTES');
  expect(output.err).toBe('');
}, 20_000);

test('runs that do not end are cut off after STOP_S', async () => {
  const upstream = await startUpstreamStub();
  upstream.reply('silent');
  const { child, output, ended } = startProcess({
    PORT: '0',
    LOG_LEVEL: 'silent',
    STOP_S: '1',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
  });
  await expect.poll(() => output.out, { timeout: 15_000 }).toContain('\n');
  const url = /http:\S+/.exec(output.out)?.[0] ?? '';
  const status = async () => (await fetch(`${url}/api/health`)).status;
  await expect.poll(status, { timeout: 15_000 }).toBe(200);
  const file = waveFile(16_000, tone(440, 16_000, 0.5));
  const lost = fetch(`${url}/api/asr/vad`, { method: 'POST', body: speechForm(file) });
  const failed = expect(lost).rejects.toThrow();
  await expect.poll(() => upstream.calls.length, { timeout: 10_000 }).toBe(1);
  const startedMs = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toBe(1);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  await failed;
  await upstream.close();
}, 40_000);
