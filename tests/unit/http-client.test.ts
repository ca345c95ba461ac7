import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DikteraError } from '../../src/core/errors.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import {
  createHttpClient,
  type HttpAnswer,
  HttpStatusError,
} from '../../workers/http/http-client.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { type ScriptedServer, send, startScriptedServer } from '../helpers/scripted-server.ts';

const MAX_BYTES = 100;

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
afterEach(() => vi.useRealTimers());

/** Gets a file with retries that come at once; answers with the numbers of the retries, too. */
async function getAtOnce(address: string, maxBytes = MAX_BYTES) {
  const attempts: number[] = [];
  const http = createHttpClient({
    clock: browserClock,
    retryDelayMs: (attempt) => {
      attempts.push(attempt);
      return 0;
    },
  });
  const outcome = await http.get({ address, maxBytes }).catch((thrown: unknown) => thrown);
  return { outcome, attempts };
}

async function failureOf(address: string, maxBytes?: number) {
  const { outcome, attempts } = await getAtOnce(address, maxBytes);
  expect(outcome).toBeInstanceOf(DikteraError);
  return { error: outcome as DikteraError, attempts };
}

test('a success is read to its end', async () => {
  server.script(send(200, { 'x-kind': 'test' }, 'words'));
  const { outcome } = await getAtOnce(`${server.url}a`);
  const answer = outcome as HttpAnswer;
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-kind')).toBe('test');
  expect(new TextDecoder().decode(answer.bytes)).toBe('words');
  expect(server.calls).toEqual(['GET /a']);
});

describe('retries', () => {
  test('500, then 200; a body that breaks off, then the whole', async () => {
    server.script(send(500), send(200, {}, 'ok'));
    expect(await getAtOnce(server.url)).toMatchObject({ outcome: { status: 200 }, attempts: [1] });
    const broken = (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    server.script(broken, send(200, {}, 'whole'));
    expect(await getAtOnce(server.url)).toMatchObject({ outcome: { status: 200 }, attempts: [1] });
  });

  test.each([408, 413, 429, 500, 502, 503, 504])('%i: two, then the error', async (status) => {
    server.script(send(status));
    const { error, attempts } = await failureOf(`${server.url}x`);
    expect(attempts).toEqual([1, 2]);
    expect(server.calls).toHaveLength(3);
    expect(error).toBeInstanceOf(HttpStatusError);
    expect(error).toMatchObject({ code: 'http-status', status });
    expect(error.message).toContain(`${status} `);
    expect(error.message).toContain(`GET ${server.url}x`);
  });

  test.each([400, 401, 403, 404, 409, 410, 415, 425, 501, 505])('%i: none', async (status) => {
    server.script(send(status));
    const { error, attempts } = await failureOf(server.url);
    expect(error).toMatchObject({ code: 'http-status', status });
    expect(attempts).toEqual([]);
  });

  test('nobody listens: two, then a network error with its cause', async () => {
    const gone = await startScriptedServer();
    await gone.close();
    const { error, attempts } = await failureOf(`${gone.url}x`);
    expect(error.code).toBe('http-network');
    expect(error.message).toContain(`GET ${gone.url}x`);
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(attempts).toEqual([1, 2]);
  });

  test.each([
    [500, null, [0, 300, 900]],
    [500, '7', [0, 300, 900]],
    [413, null, [0, 300, 900]],
    [413, '7', [0, 7_000, 14_000]],
    [429, '2', [0, 2_000, 4_000]],
    [503, '3600', [0, 60_000, 120_000]],
    [503, 'Thu, 01 Jan 1970 00:00:05 GMT', [0, 5_000, 5_000]],
    [503, 'soon', [0, 300, 900]],
  ])('%i with Retry-After %s is sent at %j ms', async (status, retryAfter, atMs) => {
    vi.useFakeTimers({ now: 0 });
    const calledAtMs: number[] = [];
    const fetch: typeof globalThis.fetch = async () => {
      calledAtMs.push(Date.now());
      const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
      return new Response('', { status, headers });
    };
    const http = createHttpClient({ clock: browserClock, fetch });
    const failed = http.get({ address: 'http://test/', maxBytes: 1 }).catch((error) => error.code);
    await vi.runAllTimersAsync();
    expect(await failed).toBe('http-status');
    expect(calledAtMs).toEqual(atMs);
  });
});

test('10 s of silence are a time-out, before the headers or in the body; each piece starts them anew', async () => {
  const clock = createFakeClock();
  const http = createHttpClient({ clock });
  server.script(() => undefined);
  const unanswered = http.get({ address: `${server.url}x`, maxBytes: MAX_BYTES });
  const failed = unanswered.catch((error) => error);
  await server.called(1);
  await clock.advance(9_999);
  expect(clock.waits()).toEqual([1]);
  await clock.advance(1);
  expect(await failed).toMatchObject({ code: 'http-timeout' });
  expect((await failed).message).toContain(`10000 ms of silence: GET ${server.url}x`);
  expect(server.calls).toHaveLength(1);
  expect(clock.waits()).toEqual([]);

  let replied: (response: ServerResponse) => void = () => undefined;
  const replying = new Promise<ServerResponse>((resolve) => {
    replied = resolve;
  });
  server.script(replied);
  let isOver = false;
  const slow = http.get({ address: server.url, maxBytes: MAX_BYTES }).catch((error) => {
    isOver = true;
    return error;
  });
  const response = await replying;
  await clock.advance(9_000);
  response.writeHead(200, { 'content-length': '100' }).flushHeaders();
  await expect.poll(() => clock.waits()).toEqual([10_000]);
  await clock.advance(8_999);
  for (let i = 0; i < 5; i++) {
    await clock.advance(1);
    response.write('more');
    await expect.poll(() => clock.waits()).toEqual([10_000]);
    await clock.advance(8_999);
  }
  await clock.advance(1_000);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(await slow).toMatchObject({ code: 'http-timeout' });
});

test('an answer that is too large is not read to its end', async () => {
  server.script(send(200, {}, 'x'.repeat(11)));
  const { error } = await failureOf(server.url, 10);
  expect(error.code).toBe('http-answer-wrong');
  expect(error.message).toContain('more than 10 bytes');
  expect(await getAtOnce(server.url, 11)).toMatchObject({ outcome: { status: 200 } });
});
