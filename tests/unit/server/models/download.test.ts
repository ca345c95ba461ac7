import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { convertInThread } from '../../../../server/models/convert/convert-in-thread.ts';
import { type FetchOptions, fetchModel } from '../../../../server/models/download/fetch-model.ts';
import {
  modelSources,
  modelsFolder,
  proxyFor,
} from '../../../../server/models/download/open-download.ts';
import { folderOf, readReady } from '../../../../server/models/layout/model-folder.ts';
import { type FileServerFault, startFileServer } from '../../../helpers/file-server.ts';
import { layDown, madeModel } from '../../../helpers/made-model.ts';

const never = new AbortController().signal;

async function temporaryFolder() {
  const root = await mkdtemp(join(tmpdir(), 'diktera-models-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** A hub over https, with a certificate that nobody trusts. */
async function startSecureHub(files: ReadonlyMap<string, Uint8Array>) {
  const asked: string[] = [];
  const pem = (kind: string) => readFile(`tests/fixtures/tls/hub.test.${kind}`);
  const certificate = { key: await pem('key'), cert: await pem('crt') };
  const hub = createSecureServer(certificate, ({ url = '' }, answer) => {
    asked.push(url);
    answer.end(files.get(url.split('/').at(-1) ?? ''));
  });
  await new Promise<void>((done) => hub.listen(0, '127.0.0.1', done));
  onTestFinished(() => void hub.close());
  return { asked, port: (hub.address() as AddressInfo).port };
}

/** A proxy that leads every tunnel to a port of this machine. */
async function startTunnel(to: number) {
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (asked, socket) => {
    tunnels.push(`${asked.url} ${asked.headers['proxy-authorization']}`);
    const onward = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => undefined);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => void proxy.close());
  return { tunnels, port: (proxy.address() as AddressInfo).port };
}

function trustEverybody(): void {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
}

async function scene(more: Partial<FetchOptions> = {}) {
  const { model, files } = madeModel();
  const [server, mirror] = [await startFileServer(files), await startFileServer(files)];
  const root = await temporaryFolder();
  const folder = folderOf(root, model);
  const waits: number[] = [];
  const told: number[] = [];
  const options: FetchOptions = {
    model,
    folder,
    sources: [{ kind: 'hub', address: server.address }],
    env: {},
    signal: never,
    onBytes: (bytes) => told.push(bytes),
    room: { freeDiskBytes: async () => 1e12, memoryBytes: () => 1e12 },
    pause: async (ms) => void waits.push(ms),
    silenceMs: 300,
    ...more,
  };
  const get = (extra: Partial<FetchOptions> = {}) =>
    fetchModel({ ...options, ...extra }, () => convertInThread({ model, folder }, never));
  const total = model.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const encoder = model.files.find(({ name }) => name === 'encoder.onnx')!;
  return { model, files, server, mirror, root, folder, waits, told, options, get, total, encoder };
}

test('where no address gives it, what each of them said is told', async () => {
  const { get, server } = await scene();
  server.misbehave({ kind: 'wrong-bytes' });
  const sources = [server.address, 'http://127.0.0.1:1'].map(
    (address) => ({ kind: 'hub', address }) as const,
  );
  const failure = await get({ sources }).catch((error: Error) => error.message);
  expect(failure).toContain('sends other bytes for');
  expect(failure).toContain('; ');
  expect(failure).toContain('ECONNREFUSED');
});

test('a model is fetched once, from its pinned address, and told of on the way', async () => {
  const { get, server, folder, told, total, model } = await scene();
  await get();
  expect(await readReady(folder)).not.toBeNull();
  expect(server.asked).toEqual(
    model.files.map(({ name }) => `/made/model-sv/resolve/${model.commit}/${name}`),
  );
  expect(told.at(-1)).toBe(total);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  await get();
  expect(server.asked).toHaveLength(3);
  expect((await readdir(folder.root)).sort()).toEqual(['ready']);
});

/** Each fault of a server, and what becomes of it: with the fault for ever, and at first only. */
const FAULTS: readonly [name: string, fault: FileServerFault, forEver: RegExp | 'fetched'][] = [
  ['the connection is cut each 20 kB', { kind: 'cuts', afterBytes: 20_000 }, 'fetched'],
  ['the connection is cut at once', { kind: 'cuts', afterBytes: 0 }, /was cut|cannot be reached/],
  ['silence after 20 kB', { kind: 'hangs', afterBytes: 20_000 }, 'fetched'],
  ['silence', { kind: 'hangs', afterBytes: 0 }, /was cut|cannot be reached/],
  ['ranges are not known', { kind: 'ignores-ranges' }, 'fetched'],
  ['another part than it says', { kind: 'lies-about-ranges' }, /another part/],
  ['wrong bytes', { kind: 'wrong-bytes' }, /sends other bytes for vocab.txt/],
  ['more bytes than there are', { kind: 'too-many-bytes' }, /sends more than/],
  ['fewer bytes than there are', { kind: 'shorter' }, /ends vocab.txt after/],
  ['a page', { kind: 'page' }, /answers with a page instead of vocab.txt/],
  ['not found', { kind: 'status', status: 404 }, /answers 404/],
  ['not allowed', { kind: 'status', status: 401 }, /answers 401/],
  ['too busy', { kind: 'status', status: 503 }, /answers 503/],
  ['too many requests', { kind: 'status', status: 429 }, /answers 429/],
  ['round in circles', { kind: 'redirects', to: 'URL' }, /round in circles/],
  ['to a file of this machine', { kind: 'redirects', to: 'file:///etc/passwd' }, /unsafe address/],
  ['slow', { kind: 'slow', pieceBytes: 4_000 }, 'fetched'],
];

describe.each(FAULTS)('a server with this fault: %s', (_name, fault, forEver) => {
  test('for ever', async () => {
    const { get, server, folder } = await scene();
    server.misbehave(fault);
    if (forEver === 'fetched') await get();
    else await expect(get()).rejects.toThrow(forEver);
    expect((await readReady(folder)) !== null).toBe(forEver === 'fetched');
    // Whatever was left behind, a server that is well again gives the model.
    server.misbehave(null);
    await get();
    expect(await readReady(folder)).not.toBeNull();
  });

  test('with a mirror that is well', async () => {
    const { get, server, mirror, folder } = await scene();
    server.misbehave(fault);
    const sources = [server, mirror].map(({ address }) => ({ kind: 'hub', address }) as const);
    await get({ sources });
    expect(await readReady(folder)).not.toBeNull();
  });
});

type Told = readonly [
  fault: string,
  misbehaviour: FileServerFault | null,
  options: Partial<FetchOptions>,
];
const TOLD: readonly Told[] = [
  ['no-network', { kind: 'cuts', afterBytes: 0 }, {}],
  ['refused', { kind: 'status', status: 404 }, {}],
  ['refused', { kind: 'status', status: 500 }, {}],
  ['refused', { kind: 'redirects', to: 'file:///etc/passwd' }, {}],
  ['wrong-bytes', { kind: 'wrong-bytes' }, {}],
  ['wrong-bytes', { kind: 'page' }, {}],
  ['wrong-bytes', { kind: 'shorter' }, {}],
  ['bad-proxy', null, { env: { http_proxy: 'socks5://127.0.0.1:1080' } }],
  ['disk-small', null, { room: { freeDiskBytes: async () => 1, memoryBytes: () => 1e12 } }],
  ['memory-small', null, { room: { freeDiskBytes: async () => 1e12, memoryBytes: () => 1 } }],
];

test.each(TOLD)('%s is told as a code, too: %j', async (fault, misbehaviour, more) => {
  const { get, server } = await scene();
  server.misbehave(misbehaviour);
  await expect(get(more)).rejects.toMatchObject({ fault });
});

describe('going on where it ended', () => {
  test('only what is missing is asked for again', async () => {
    const { get, server, total, waits } = await scene();
    server.misbehave({ kind: 'cuts', afterBytes: 30_000 });
    await get();
    expect(server.sentBytes()).toBe(total);
    expect(server.asked.filter((one) => one.includes('bytes=30000-')).length).toBeGreaterThan(0);
    expect(waits.every((ms) => ms === 1_000)).toBe(true);
  });

  test('waits longer each time that brings nothing, and then gives up', async () => {
    const { get, server, waits } = await scene();
    server.misbehave({ kind: 'status', status: 500 });
    await expect(get()).rejects.toThrow(/answers 500/);
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000]);
  });

  test.each(['ignores-ranges', 'lies-about-ranges', 'mixes-parts'] as const)(
    'after a cut by a server that %s, all of it is fetched again and right',
    async (kind) => {
      const { get, server, folder, encoder, files } = await scene();
      const half = files.get('encoder.onnx')!.subarray(0, 1_000);
      await layDown(files, folder.files);
      await rm(join(folder.files, 'encoder.onnx'));
      await layDown(new Map([['encoder.onnx.part', half]]), folder.files);
      server.misbehave({ kind }, 1);
      await get();
      expect((await readReady(folder))?.files.map(({ name }) => name)).toContain('encoder.onnx');
      expect(server.sentBytes()).toBeLessThanOrEqual(2 * encoder.bytes);
    },
  );

  test.each([
    ['of other bytes', (bytes: Uint8Array) => Uint8Array.from(bytes).subarray(0, 500).fill(7)],
    ['longer than the file', (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.from('x')])],
    ['as long as the file and wrong', (bytes: Uint8Array) => Uint8Array.from(bytes).fill(7)],
    ['that is whole', (bytes: Uint8Array) => bytes],
  ])('from a part %s', async (_name, part) => {
    const { get, folder, files } = await scene();
    await layDown(new Map([['encoder.onnx.part', part(files.get('encoder.onnx')!)]]), folder.files);
    await get();
    expect(await readReady(folder)).not.toBeNull();
  });

  test('a file that is there and damaged is fetched again', async () => {
    const { get, folder, files } = await scene();
    const damaged = Uint8Array.from(files.get('encoder.onnx')!);
    damaged[5_000]! ^= 1;
    await layDown(new Map([['encoder.onnx', damaged]]), folder.files);
    await get();
    expect(await readReady(folder)).not.toBeNull();
  });

  test('stopped at any byte, it goes on there', async () => {
    const { get, server, folder, total } = await scene();
    for (const stopAt of [1, 10_000, 50_000, 90_000]) {
      const stop = new AbortController();
      server.misbehave({ kind: 'slow', pieceBytes: 1_000 });
      const onBytes = (bytes: number) => {
        if (bytes >= stopAt) stop.abort(new Error('paused'));
      };
      await expect(get({ signal: stop.signal, onBytes })).rejects.toThrow('paused');
      expect(await readReady(folder)).toBeNull();
    }
    server.misbehave(null);
    await get();
    // A stop lets at most what was under way be lost.
    expect(server.sentBytes()).toBeLessThan(total + 4 * 70_000);
    expect(server.asked.filter((one) => one.includes('bytes=')).length).toBeGreaterThan(0);
  });
});

test.skipIf(process.platform !== 'linux')('a disk that gets full on the way is said', async () => {
  const { get, folder, server } = await scene();
  await mkdir(folder.files, { recursive: true });
  await symlink('/dev/full', join(folder.files, 'encoder.onnx.part'));
  await expect(get()).rejects.toMatchObject({ message: 'the disk is full', fault: 'disk-full' });
  expect(server.asked).toHaveLength(3);
  expect(await readReady(folder)).toBeNull();
});

describe('before anything is fetched', () => {
  test('a disk that is too small is said', async () => {
    const { get, server } = await scene();
    const room = { freeDiskBytes: async () => 1_000_000, memoryBytes: () => 1e12 };
    await expect(get({ room })).rejects.toThrow(/needs 0.1 GB more on the disk, and 0.0 GB are/);
    expect(server.asked).toEqual([]);
  });

  test('memory that is too small is said, with what does with less', async () => {
    const { get, server } = await scene();
    const room = { freeDiskBytes: async () => 1e12, memoryBytes: () => 1_000_000 };
    await expect(get({ room })).rejects.toThrow(/of memory.*kb-whisper-base/);
    expect(server.asked).toEqual([]);
  });

  test('a folder that is a file is said', async () => {
    const { get, folder } = await scene();
    await mkdir(join(folder.root, '..'), { recursive: true });
    await writeFile(folder.root, 'a file');
    await expect(get()).rejects.toThrow();
  });

  test.skipIf(process.getuid?.() === 0)('a folder that may not be written to is said', async () => {
    const { get, root } = await scene();
    await chmod(root, 0o500);
    await expect(get()).rejects.toMatchObject({ fault: 'read-only' });
  });
});

describe('from a folder', () => {
  test('the same files are taken, and nothing is asked of a server', async () => {
    const { get, files, server, folder } = await scene();
    const path = await temporaryFolder();
    await layDown(files, path);
    await get({ sources: [{ kind: 'folder', path }] });
    expect(await readReady(folder)).not.toBeNull();
    expect(server.asked).toEqual([]);
    expect((await readdir(path)).sort()).toEqual([...files.keys()].sort());
  });

  test.each([
    ['missing', 'not in that folder'],
    ['damaged', 'not the file we know'],
  ])('a file that is %s is said, and what a download began stays', async (fault, message) => {
    const { get, files, folder } = await scene();
    const path = await temporaryFolder();
    await layDown(files, path);
    if (fault === 'missing') await rm(join(path, 'encoder.onnx'));
    else await writeFile(join(path, 'encoder.onnx'), 'other');
    await layDown(new Map([['encoder.onnx.part', Buffer.from('begun')]]), folder.files);
    await expect(get({ sources: [{ kind: 'folder', path }] })).rejects.toThrow(message);
    expect(await readFile(join(folder.files, 'encoder.onnx.part'), 'utf8')).toBe('begun');
    expect(await readReady(folder)).toBeNull();
  });
});

describe('two at once', () => {
  test('share one download', async () => {
    const { get, server, total, folder } = await scene();
    server.misbehave({ kind: 'slow', pieceBytes: 2_000 });
    const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms / 20));
    await Promise.all([get({ pause }), get({ pause }), get({ pause })]);
    expect(server.sentBytes()).toBe(total);
    expect(await readReady(folder)).not.toBeNull();
  });

  test('one takes over from a process that has ended', async () => {
    const { get, folder } = await scene();
    const other = spawn(process.execPath, ['-e', '']);
    await new Promise((done) => other.once('exit', done));
    const owner = { pid: other.pid, began: '1', host: hostname(), id: 'gone' };
    await layDown(new Map([['lock', Buffer.from(JSON.stringify(owner))]]), folder.root);
    await get();
    expect(await readReady(folder)).not.toBeNull();
  });

  test.skipIf(process.platform !== 'linux')('and from one whose number came again', async () => {
    const { get, folder } = await scene();
    const owner = { pid: process.pid, began: '1', host: hostname(), id: 'gone' };
    await layDown(new Map([['lock', Buffer.from(JSON.stringify(owner))]]), folder.root);
    await get();
    expect(await readReady(folder)).not.toBeNull();
  });

  test('but not from one that is alive', async () => {
    const { get, folder, server } = await scene();
    const owner = { pid: 1, began: '0', host: 'another machine', id: 'there' };
    await layDown(new Map([['lock', Buffer.from(JSON.stringify(owner))]]), folder.root);
    let looks = 0;
    const pause = async () => {
      if (++looks === 3) await rm(folder.lock);
    };
    await get({ pause });
    expect(looks).toBe(3);
    expect(server.asked).toHaveLength(3);
  });
});

describe('by way of a proxy', () => {
  test('which addresses go through which', () => {
    const at = (address: string, env: Record<string, string>) =>
      proxyFor(new URL(address), env)?.host ?? null;
    const env = { https_proxy: 'http://p:1', HTTP_PROXY: 'q:2', NO_PROXY: 'a.se, .b.se,c.se:81' };
    expect(at('https://hub.se/x', env)).toBe('p:1');
    expect(at('http://hub.se/x', env)).toBe('q:2');
    expect(at('https://a.se/x', env)).toBeNull();
    expect(at('https://x.b.se/x', env)).toBeNull();
    expect(at('https://ab.se/x', env)).toBe('p:1');
    expect(at('http://c.se:81/x', env)).toBeNull();
    expect(at('http://c.se/x', env)).toBe('q:2');
    expect(at('https://a.com', { all_proxy: 'http://p:1', no_proxy: '*' })).toBeNull();
    expect(() => at('https://a.com', { HTTPS_PROXY: 'socks5://p:1' })).toThrow(
      'the proxy in the environment begins with socks5://, which is not supported: ' +
        'give one that begins with http://',
    );
    expect(() => at('https://a.com', { HTTPS_PROXY: 'http://:x' })).toThrow('is no address');
  });

  test('plain requests are handed to it, with who asks', async () => {
    const { get, server, folder } = await scene();
    const passed: (string | undefined)[] = [];
    const proxy = createServer((asked, answer) => {
      passed.push(asked.headers['proxy-authorization']);
      const onward = request(asked.url ?? '', { headers: asked.headers }, (told) => {
        answer.writeHead(told.statusCode ?? 500, told.headers);
        told.pipe(answer);
      });
      onward.end();
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    await get({ env: { http_proxy: `http://me:secret@127.0.0.1:${port}` } });
    expect(passed).toEqual(Array(3).fill(`Basic ${Buffer.from('me:secret').toString('base64')}`));
    expect(server.asked).toHaveLength(3);
    expect(await readReady(folder)).not.toBeNull();
  });

  test('secure ones get a tunnel, and one that refuses is said', async () => {
    const { get } = await scene();
    const targets: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (asked, socket) => {
      targets.push(asked.url ?? '');
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const fetched = get({
      env: { https_proxy: `http://127.0.0.1:${port}` },
      sources: [{ kind: 'hub', address: 'https://hub.invalid' }],
    });
    await expect(fetched).rejects.toThrow(/answers 407 for hub.invalid/);
    expect(targets).toEqual(['hub.invalid:443']);
  });

  test('secure ones come through it, and past it where it is told so', async () => {
    const { get, files, folder } = await scene();
    const hub = await startSecureHub(files);
    const proxy = await startTunnel(hub.port);
    const env = { HTTPS_PROXY: `http://me:secret@127.0.0.1:${proxy.port}` };
    const sources = [{ kind: 'hub', address: 'https://hub.test' }] as const;
    // Nobody trusts the certificate: who stands in between is seen.
    await expect(get({ env, sources })).rejects.toMatchObject({ fault: 'no-network' });
    expect(hub.asked).toEqual([]);

    trustEverybody();
    await get({ env, sources });
    expect(await readReady(folder)).not.toBeNull();
    expect(hub.asked).toHaveLength(3);
    const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(new Set(proxy.tunnels)).toEqual(new Set([`hub.test:443 ${basic}`]));

    const tunnels = proxy.tunnels.length;
    const past = { ...env, NO_PROXY: '127.0.0.1' };
    const direct = [{ kind: 'hub', address: `https://127.0.0.1:${hub.port}` }] as const;
    await rm(folder.root, { recursive: true });
    await get({ env: past, sources: direct });
    expect(hub.asked).toHaveLength(6);
    expect(proxy.tunnels).toHaveLength(tunnels);
  });

  test('a server that is not there is said', async () => {
    const { get } = await scene();
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done));
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    await expect(
      get({ sources: [{ kind: 'hub', address: `http://127.0.0.1:${port}` }] }),
    ).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)/);
  });
});

test('where models lie, by platform and variables', () => {
  const at = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
    modelsFolder({ HOME: '/home/me', ...env }, platform);
  expect(at({})).toBe('/home/me/.cache/diktera/models');
  expect(at({ XDG_CACHE_HOME: '/cache' })).toBe('/cache/diktera/models');
  expect(at({ XDG_CACHE_HOME: 'not/absolute' })).toBe('/home/me/.cache/diktera/models');
  expect(at({}, 'darwin')).toBe('/home/me/Library/Caches/diktera/models');
  expect(at({ LOCALAPPDATA: '/local' }, 'win32')).toBe('/local/diktera/models');
  expect(at({ DIKTERA_MODELS: '/srv/models' }, 'win32')).toBe('/srv/models');
});

test('whom to ask, in order', () => {
  expect(modelSources({})).toEqual(['https://huggingface.co']);
  expect(modelSources({ HF_ENDPOINT: 'https://mirror.se/' })).toEqual([
    'https://mirror.se',
    'https://huggingface.co',
  ]);
  expect(
    modelSources({ DIKTERA_MODELS_URL: 'http://a, http://b', HF_ENDPOINT: 'ftp://c' }),
  ).toEqual(['http://a', 'http://b', 'https://huggingface.co']);
});
