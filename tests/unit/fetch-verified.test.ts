import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DikteraError } from '../../src/core/errors.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { fetchVerified } from '../../workers/http/fetch-asset.ts';
import { createHttpClient } from '../../workers/http/http-client.ts';
import { type ScriptedServer, send, startScriptedServer } from '../helpers/scripted-server.ts';

const CONTENT = new TextEncoder().encode('the right file');
const BINARY = { 'content-type': 'application/octet-stream' };

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

function fetchIt(subtle?: SubtleCrypto | null) {
  const http = createHttpClient({ clock: browserClock, retryDelayMs: () => 0 });
  const sha256 = createHash('sha256').update(CONTENT).digest('hex');
  const file = { address: `${server.url}model`, bytes: CONTENT.length, sha256 };
  return fetchVerified(http, file, subtle);
}

async function failure(subtle?: SubtleCrypto | null): Promise<DikteraError> {
  const error: unknown = await fetchIt(subtle).then(
    () => expect.unreachable('it should have failed'),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(DikteraError);
  return error as DikteraError;
}

test('the right file is given', async () => {
  server.script(send(200, BINARY, CONTENT));
  expect(new Uint8Array(await fetchIt())).toEqual(CONTENT);
  expect(server.calls).toEqual(['GET /model']);
});

test('a server that stumbles is asked again', async () => {
  server.script(send(503), send(200, BINARY, CONTENT));
  expect((await fetchIt()).byteLength).toBe(CONTENT.length);
});

describe('a wrong file says what is wrong, after a second try past the cache', () => {
  const changed = CONTENT.with(0, 0x54);
  test.each<[string, Record<string, string>, string | Uint8Array, string]>([
    ['an HTML page by its type', { 'content-type': 'text/html; charset=utf-8' }, '', 'HTML'],
    ['an HTML page by its content', BINARY, '<!DOCTYPE', 'HTML'],
    ['an HTML page of the right length', BINARY, '<html><html>..', 'HTML'],
    ['a file cut short', BINARY, CONTENT.subarray(1), 'it holds 13 bytes, not 14'],
    ['an empty file', BINARY, '', 'it holds 0 bytes, not 14'],
    ['a file that is too long', BINARY, 'x'.repeat(15), 'it holds more than 14 bytes'],
    ['another file', BINARY, changed, 'its SHA-256 is '],
  ])('%s', async (_what, headers, body, words) => {
    server.script(send(200, headers, body));
    const error = await failure();
    expect(error.code).toBe('asset-wrong');
    expect(error.message).toContain(`${server.url}model is not the file it should be: `);
    expect(error.message).toContain(words);
    expect(server.calls).toHaveLength(2);
  });

  test('the second try may find the right one', async () => {
    server.script(send(200, BINARY, changed), send(200, BINARY, CONTENT));
    expect(new Uint8Array(await fetchIt())).toEqual(CONTENT);
  });

  test('the second try goes past the cache', async () => {
    const caches: (RequestCache | undefined)[] = [];
    const http = createHttpClient({
      clock: browserClock,
      fetch: (input, init) => {
        caches.push(init?.cache);
        return fetch(input, init);
      },
    });
    server.script(send(200, BINARY, 'no'));
    const file = { address: server.url, bytes: 14, sha256: '' };
    await expect(fetchVerified(http, file)).rejects.toMatchObject({ code: 'asset-wrong' });
    expect(caches).toEqual(['default', 'reload']);
  });
});

test('without hashing the length must do', async () => {
  server.script(send(200, BINARY, CONTENT.with(0, 0x54)));
  expect((await fetchIt(null)).byteLength).toBe(CONTENT.length);
  server.script(send(200, BINARY, CONTENT.subarray(1)));
  expect((await failure(null)).code).toBe('asset-wrong');
});

test('a file that is not there is unreachable, with the status as its cause', async () => {
  server.script(send(404));
  const error = await failure();
  expect(error.code).toBe('asset-unreachable');
  expect(error.message).toContain(`${server.url}model`);
  expect(error.message).toContain('404');
  expect(error.cause).toMatchObject({ code: 'http-status', status: 404 });
});

test('a server that is gone is unreachable, with the network as its cause', async () => {
  const gone = await startScriptedServer();
  await gone.close();
  const http = createHttpClient({ clock: browserClock, retryDelayMs: () => 0 });
  const file = { address: gone.url, bytes: 1, sha256: '' };
  await expect(fetchVerified(http, file)).rejects.toMatchObject({
    code: 'asset-unreachable',
    cause: { code: 'http-network' },
  });
});
