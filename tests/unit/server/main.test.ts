import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import type { ServerFolder } from '../../../tools/testing/built-server.ts';
import { freePort } from '../../drivers/processes.ts';
import { postHead, rawConnection } from '../../helpers/raw-http.ts';
import { speechForm } from '../../helpers/running-server.ts';
import { startUpstreamStub } from '../../helpers/upstream-stub.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const folder: ServerFolder = inject('serverFolder');
const MAIN = join(folder, 'main.js');
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The server as its own process, as a person starts it. */
function startProcess(env: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, [MAIN, ...args], {
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

test('a half-sent upload does not turn the stop into a failure: 503, and exit code 0', async () => {
  const { child, output, ended } = startProcess({ PORT: '0', LOG_LEVEL: 'silent', STOP_S: '10' });
  await expect.poll(() => output.out, { timeout: 15_000 }).toContain('\n');
  const url = /http:\S+/.exec(output.out)?.[0] ?? '';
  const ready = async () => (await fetch(`${url}/api/health`)).status;
  await expect.poll(ready, { timeout: 15_000 }).toBe(200);
  const half = await rawConnection(url, postHead(1_000_000));
  half.socket.write('--boundary');
  // A round trip on another connection: the server has the head by then.
  await ready();
  const startedMs = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(8_000);
  expect(half.status()).toBe(503);
  half.socket.destroy();
}, 40_000);

test('METRICS_PORT serves figures on a port of their own, and the page port has none', async () => {
  const port = await freePort();
  const { child, output, ended } = startProcess({
    PORT: '0',
    LOG_LEVEL: 'silent',
    METRICS_PORT: String(port),
  });
  await expect.poll(() => output.out, { timeout: 15_000 }).toContain('\n');
  const url = /http:\S+/.exec(output.out)?.[0] ?? '';
  const figures = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(await figures.text()).toContain('diktera_ready');
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}, 40_000);

test('an open server is not started by mistake: empty and misspelt settings', async () => {
  const { output, ended } = startProcess({ API_TOKENS: ' , ', API_TOKEN: 'hush-hush-hush-hush' });
  expect(await ended).toBe(1);
  expect(output.err).toContain('API_TOKEN is no setting of this server; is API_TOKENS meant?');
  expect(output.err).toContain('API_TOKENS is set, but nothing stands in it');
  expect(output.err).not.toContain('hush');
}, 20_000);

test('--language sv without the network: English answers, Swedish says how far it is', async () => {
  const models = await mkdtemp(join(tmpdir(), 'diktera-models-'));
  const proxy = createServer();
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const place = proxy.address();
  const port = typeof place === 'object' ? place?.port : 0;
  // A proxy that takes the connection and says nothing: no byte leaves the machine.
  const env = {
    PORT: '0',
    LOG_LEVEL: 'info',
    DIKTERA_MODELS: models,
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
  };
  const { child, output, ended } = startProcess(env, ['--language', 'sv']);
  await expect.poll(() => output.out, { timeout: 15_000 }).toContain('\n');
  const address = /http:\S+/.exec(output.out)?.[0];
  const ask = async (language: string) => {
    const body = speechForm(waveFile(16_000, tone(440, 16_000, 0.5)), { language });
    const answer = await fetch(`${address}/api/asr/vad`, { method: 'POST', body });
    return { status: answer.status, body: await answer.json() };
  };
  await expect.poll(async () => (await ask('en')).status, { timeout: 15_000 }).toBe(200);
  const swedish = { status: 503, body: { error: { code: 'engine_loading', share: 0 } } };
  expect(await ask('sv')).toMatchObject(swedish);
  expect(await ask('')).toMatchObject(swedish);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  proxy.close();
  await rm(models, { recursive: true, force: true });
}, 40_000);

test('models lists what there is, with whom to thank; a wrong argument is said', async () => {
  const models = startProcess({ DIKTERA_MODELS: join(tmpdir(), 'nothing-here') }, [
    'models',
    'list',
  ]);
  expect(await models.ended).toBe(0);
  expect(models.output.out).toContain('pianissimo-sv-int8: not here, 660 MB to fetch');
  expect(models.output.out).toContain('Klang AI AB');
  const wrong = startProcess({}, ['--langage', 'sv']);
  expect(await wrong.ended).toBe(1);
  expect(wrong.output.err).toContain('There is no argument --langage');
}, 20_000);

test.each([
  ['en,sv', 'language must be a language code'],
  ['klingon', '--language klingon: '],
])(
  'transcribe with the language %s says what is wrong with it: 2',
  async (language, says) => {
    const { output, ended } = startProcess({}, ['transcribe', 'a.mp3', '--language', language]);
    expect(await ended).toBe(2);
    expect(output.err).toContain(says);
    expect(output.err).not.toContain('    at ');
  },
  40_000,
);

test('models fetch lives through a wait, and says why it ends', async () => {
  const models = await mkdtemp(join(tmpdir(), 'diktera-models-'));
  const statuses = [503, 404];
  const hub = createHttpServer((_asked, answer) => {
    answer.writeHead(statuses.shift() ?? 404).end();
  });
  hub.on('connect', (_asked, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  const place = hub.address();
  const address = `http://127.0.0.1:${typeof place === 'object' ? place?.port : 0}`;
  const env = { DIKTERA_MODELS: models, DIKTERA_MODELS_URL: address, HTTPS_PROXY: address };
  const { output, ended } = startProcess(env, ['models', 'fetch', 'sv']);
  expect(await ended).toBe(1);
  expect(output.out).toContain('answers 404 for vocab.txt');
  expect(output.out).toContain('What has come is kept; the same command goes on.');
  expect(statuses).toEqual([]);
  hub.close();
  await rm(models, { recursive: true, force: true });
}, 40_000);

/** A server that is up, its address, and a question that is answered while it lives. */
async function startReady(env: Record<string, string>) {
  const server = startProcess({ PORT: '0', LOG_LEVEL: 'debug', ...env });
  await expect.poll(() => server.output.out, { timeout: 15_000 }).toContain('\n');
  const url = /http:\S+/.exec(server.output.out)?.[0] ?? '';
  const isThere = async () => (await fetch(`${url}/livez`)).status;
  return { ...server, url, isThere };
}

test('it goes on when whoever reads its log and its output has gone', async () => {
  const { child, ended, isThere } = await startReady({});
  child.stderr.destroy();
  child.stdout.destroy();
  // Each request is a line of the log.
  for (let i = 0; i < 20; i++) expect(await isThere()).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}, 40_000);

test('SIGHUP ends nothing, and opens a log that was moved away anew', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'diktera-test-'));
  const log = join(folder, 'diktera.log');
  const { child, ended, isThere, output } = await startReady({ LOG_FILE: log });
  expect(await isThere()).toBe(200);
  await rename(log, `${log}.1`);
  child.kill('SIGHUP');
  await expect
    .poll(() =>
      access(log)
        .then(() => true)
        .catch(() => false),
    )
    .toBe(true);
  expect(await isThere()).toBe(200);
  await expect.poll(() => readFile(log, 'utf8')).toContain('/livez');
  expect(await readFile(`${log}.1`, 'utf8')).toContain('/livez');
  expect(output.err).toBe('');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  await rm(folder, { recursive: true });
}, 40_000);

test('a log on a full disk costs its lines and no more', async () => {
  const { child, ended, isThere, output } = await startReady({ LOG_FILE: '/dev/full' });
  for (let i = 0; i < 20; i++) expect(await isThere()).toBe(200);
  expect(output.err.match(/the log cannot be written/g)).toHaveLength(1);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}, 40_000);

test.each([
  [{ WEB_ROOT: '/nonexistent' }, /WEB_ROOT is \/nonexistent, and there is no index.html in it/],
  [{ LOG_FILE: '/nonexistent/log' }, /LOG_FILE cannot be written/],
])(
  '%o can never work: said, and nothing starts',
  async (env, said) => {
    const { output, ended } = startProcess({ PORT: '0', ...env });
    expect(await ended).toBe(1);
    expect(output.err).toMatch(said);
    expect(output.err).not.toContain('    at ');
    expect(output.out).toBe('');
  },
  20_000,
);

test('a speech server with a certificate nobody trusts is named in the log, once', async () => {
  const pem = (kind: string) => readFile(join(ROOT, `tests/fixtures/tls/hub.test.${kind}`));
  const certificate = { key: await pem('key'), cert: await pem('crt') };
  const speech = createSecureServer(certificate, (_, answer) => answer.end('{}'));
  speech.listen(0, '127.0.0.1');
  await once(speech, 'listening');
  const { port } = speech.address() as AddressInfo;
  const env = { OPENAI_BASE_URL: `https://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'sk-hush' };
  const { child, ended, output, url } = await startReady({ ...env, LOG_LEVEL: 'warn' });
  const health = async () => (await (await fetch(`${url}/api/health`)).json()).reason;
  await expect.poll(health).toBe("the speech server's certificate is not trusted here");
  const line = new RegExp(`"host":"127.0.0.1:${port}","code":"DEPTH_ZERO_SELF_SIGNED_CERT"`, 'g');
  // It is looked for every two seconds.
  await new Promise((resolve) => setTimeout(resolve, 4_500));
  expect(output.err.match(line)).toHaveLength(1);
  expect(output.err).not.toContain('sk-hush');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  speech.close();
}, 40_000);

test('speech servers elsewhere are asked by way of the proxy, those on this machine are not', async () => {
  const seen: string[] = [];
  const proxy = createHttpServer(({ url = '', headers }, answer) => {
    seen.push(`${url} ${headers['proxy-authorization'] ?? ''}`);
    answer.end('{}');
  });
  proxy.on('connect', ({ url }, socket) => {
    seen.push(`CONNECT ${url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const address = `http://me:secret@127.0.0.1:${port}`;
  const proxies = { http_proxy: address, HTTPS_PROXY: address, LOG_LEVEL: 'silent' };
  const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  const upstream = await startUpstreamStub();
  const asked = async (env: Record<string, string>) => {
    seen.length = 0;
    const { child, ended, url } = await startReady({ ...proxies, ...env });
    const status = async () => (await fetch(`${url}/api/health`)).status;
    await expect.poll(async () => (await status()) === 200 || seen.length > 0).toBe(true);
    child.kill('SIGTERM');
    await ended;
    return new Set(seen);
  };
  expect(await asked({ WHISPERCPP_URL: 'http://speech.invalid:8080' })).toEqual(
    new Set([`http://speech.invalid:8080/health ${basic}`]),
  );
  expect(await asked({ OPENAI_BASE_URL: 'https://speech.invalid/v1' })).toEqual(
    new Set(['CONNECT speech.invalid:443']),
  );
  expect(await asked({ WHISPERCPP_URL: upstream.url })).toEqual(new Set());
  await upstream.close();
  proxy.close();
}, 60_000);
