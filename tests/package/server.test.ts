import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../drivers/processes.ts';

const exec = promisify(execFile);

test('diktera-server from its tarball, in an empty project, writes down a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'diktera-server-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await exec('npm', ['pack', '--workspace', 'diktera-server', '--pack-destination', folder]);
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await exec('npm', ['install', ...quiet, `./${tarball}`], { cwd: folder });
  // An installed package's own overrides do not count: these came with its English model once.
  const packages = await readdir(join(folder, 'node_modules'));
  expect(packages).not.toContain('@huggingface');
  expect(packages).not.toContain('onnxruntime-node');

  const port = await freePort();
  const env = { ...process.env, PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
  const command = join(folder, 'node_modules', '.bin', 'diktera-server');
  const server = spawn(command, { cwd: folder, env, stdio: 'inherit' });
  onTestFinished(() => void server.kill());
  const url = `http://127.0.0.1:${port}/api`;
  const isReady = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
  const body = new FormData();
  body.set('audioFile', new Blob([await readFile('tests/fixtures/dictation-one.wav')]), 'one.wav');
  for (const option of ['removePii', 'fixSpelling', 'fast']) body.set(option, 'false');
  body.set('language', 'en');
  const answer = await fetch(`${url}/asr/vad`, { method: 'POST', body });
  const { transcription } = (await answer.json()) as { readonly transcription: string };
  expect(transcription).toContain('report to the office');
});
