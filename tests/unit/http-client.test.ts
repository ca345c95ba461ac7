import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DikteraError } from '../../src/core/errors.ts';
import {
  createHttpClient,
  defaultRetryDelayMs,
  HTTP_DEFAULTS,
  HttpStatusError,
} from '../../workers/http/http-client.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { type ScriptedServer, send, startScriptedServer } from '../helpers/scripted-server.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
afterEach(() => vi.useRealTimers());

/** A client whose time-outs run on a fake clock and whose retries come at once. */
function setUp() {
  const clock = createFakeClock();
  const attempts: number[] = [];
  const http = createHttpClient({
    clock,
    retryDelayMs: (attempt) => {
      attempts.push(attempt);
      return 0;
    },
  });
  return { clock, attempts, http };
}

/** Answers by a script without a network, so that the pauses in between can run on fake timers. */
function scriptedFetch(...replies: readonly (() => Response)[]) {
  const calledAtMs: number[] = [];
  const fetch: typeof globalThis.fetch = async () => {
    const reply = replies[Math.min(calledAtMs.length, replies.length - 1)];
    calledAtMs.push(Date.now());
    return reply?.() ?? Response.error();
  };
  return { fetch, calledAtMs };
}

async function failureOf(sending: Promise<unknown>): Promise<DikteraError> {
  const error: unknown = await sending.then(
    () => expect.unreachable('it should have failed'),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(DikteraError);
  return error as DikteraError;
}

test('a success is read to its end', async () => {
  const { http } = setUp();
  server.script(send(200, { 'x-kind': 'test' }, 'words'));
  const answer = await http.send({ address: `${server.url}a` });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-kind')).toBe('test');
  expect(new TextDecoder().decode(answer.bytes)).toBe('words');
  expect(server.calls).toEqual(['GET /a']);
});

test('an answer without a body is empty', async () => {
  const { http } = setUp();
  server.script(send(204));
  const answer = await http.send({ address: server.url, method: 'DELETE' });
  expect(answer.status).toBe(204);
  expect(answer.bytes.byteLength).toBe(0);
});

test('method, headers and body go out, on a retry, too', async () => {
  const { http } = setUp();
  const bodies: string[] = [];
  const read =
    (status: number) =>
    async (...[response, request]: Parameters<ReturnType<typeof send>>) => {
      let body = '';
      for await (const piece of request) body += piece;
      bodies.push(`${request.headers['x-kind']}: ${body}`);
      response.writeHead(status).end();
    };
  server.script(read(500), read(200));
  await http.send({
    address: server.url,
    method: 'put',
    headers: { 'x-kind': 'test' },
    body: 'words',
  });
  expect(server.calls).toEqual(['PUT /', 'PUT /']);
  expect(bodies).toEqual(['test: words', 'test: words']);
});

describe('retries', () => {
  test('500, then 200', async () => {
    const { http, attempts } = setUp();
    server.script(send(500), send(200, {}, 'ok'));
    expect((await http.send({ address: server.url })).status).toBe(200);
    expect(attempts).toEqual([1]);
  });

  test.each([...HTTP_DEFAULTS.statuses])('%i: two retries, then the error', async (status) => {
    const { http, attempts } = setUp();
    server.script(send(status));
    const error = await failureOf(http.send({ address: `${server.url}x` }));
    expect(server.calls).toHaveLength(3);
    expect(attempts).toEqual([1, 2]);
    expect(error).toBeInstanceOf(HttpStatusError);
    expect(error).toMatchObject({ code: 'http-status', status });
    expect(error.message).toContain(`${status} `);
    expect(error.message).toContain(`GET ${server.url}x`);
  });

  test.each([400, 401, 403, 404, 409, 410, 415, 425, 501, 505])('%i: none', async (status) => {
    const { http } = setUp();
    server.script(send(status));
    const error = await failureOf(http.send({ address: server.url }));
    expect(server.calls).toHaveLength(1);
    expect(error).toMatchObject({ code: 'http-status', status });
  });

  test.each([
    ['GET', 3],
    ['PUT', 3],
    ['HEAD', 3],
    ['DELETE', 3],
    ['OPTIONS', 3],
    ['POST', 1],
    ['PATCH', 1],
  ])('%s is sent %i times', async (method, times) => {
    const { http } = setUp();
    server.script(send(500));
    await failureOf(http.send({ address: server.url, method }));
    expect(server.calls).toEqual(Array(times).fill(`${method} /`));
  });

  test('an accepted status is an answer', async () => {
    const { http } = setUp();
    server.script(send(503, {}, '{}'));
    const answer = await http.send({ address: server.url, acceptStatuses: [503] });
    expect(answer.status).toBe(503);
    expect(server.calls).toHaveLength(1);
  });

  test('the pauses grow as documented', async () => {
    expect([1, 2, 3].map(defaultRetryDelayMs)).toEqual([300, 600, 1_200]);
    vi.useFakeTimers({ now: 0 });
    const { fetch, calledAtMs } = scriptedFetch(() => new Response('', { status: 500 }));
    const http = createHttpClient({ clock: createFakeClock(), fetch });
    const failure = failureOf(http.send({ address: 'http://test/' }));
    await vi.runAllTimersAsync();
    expect((await failure).code).toBe('http-status');
    expect(calledAtMs).toEqual([0, 300, 900]);
  });

  test.each([
    [413, '7', 7_000],
    [429, '2', 2_000],
    [503, '60', 60_000],
    [503, '3600', 60_000],
    [503, 'Thu, 01 Jan 1970 00:00:05 GMT', 5_000],
    [503, 'soon', 60_000], // Nonsense: as much patience as there is.
    [413, null, 300],
    [500, '7', 300],
  ])('%i with Retry-After %s is sent again after %i ms', async (status, retryAfter, afterMs) => {
    vi.useFakeTimers({ now: 0 });
    const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
    const { fetch, calledAtMs } = scriptedFetch(
      () => new Response('', { status, headers }),
      () => new Response('ok'),
    );
    const http = createHttpClient({ clock: createFakeClock(), fetch });
    const sending = http.send({ address: 'http://test/' });
    await vi.runAllTimersAsync();
    expect((await sending).status).toBe(200);
    expect(calledAtMs).toEqual([0, afterMs]);
  });
});

describe('time-outs', () => {
  test('no answer for 10,000 ms is a time-out, and not retried', async () => {
    const { http, clock } = setUp();
    server.script(() => undefined);
    const failure = failureOf(http.send({ address: `${server.url}x` }));
    await server.called(1);
    await clock.advance(9_999);
    expect(clock.waits()).toEqual([1]);
    await clock.advance(1);
    const error = await failure;
    expect(error.code).toBe('http-timeout');
    expect(error.message).toContain(`GET ${server.url}x`);
    expect(server.calls).toHaveLength(1);
    expect(clock.waits()).toEqual([]);
  });

  test('10,000 ms are for the whole of a request, its body included', async () => {
    const { http, clock } = setUp();
    let reply: ServerResponse | undefined;
    server.script((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('more');
      reply = response;
    });
    const failure = failureOf(http.send({ address: server.url }));
    await server.called(1);
    await clock.advance(9_000);
    reply?.write('more');
    await clock.advance(999);
    expect(clock.waits()).toEqual([1]);
    await clock.advance(1);
    const error = await failure;
    expect(error.code).toBe('http-timeout');
    expect(error.message).toBe(`Request timed out after 10000 ms: GET ${server.url}`);
  });

  test('a large file may take its time, but one that stops coming is a time-out', async () => {
    const { http, clock } = setUp();
    let replied: (response: ServerResponse) => void = () => undefined;
    const replying = new Promise<ServerResponse>((resolve) => {
      replied = resolve;
    });
    server.script((response) => {
      response.writeHead(200, { 'content-length': '100' });
      replied(response);
    });
    let isOver = false;
    const request = { address: server.url, timeoutCounts: 'silence' } as const;
    const failure = failureOf(http.send(request)).finally(() => {
      isOver = true;
    });
    const response = await replying;
    for (let i = 0; i < 5; i++) {
      await clock.advance(1);
      response.write('more');
      // Each sign of life starts the ten seconds anew.
      await expect.poll(() => clock.waits()).toEqual([10_000]);
      await clock.advance(8_999);
    }
    await clock.advance(1_000);
    expect(isOver).toBe(false);
    await clock.advance(1);
    const error = await failure;
    expect(error.code).toBe('http-timeout');
    expect(error.message).toContain('10000 ms of silence');
  });
});

describe('failures', () => {
  test('nobody listens: retried, then a network error with its cause', async () => {
    const { http, attempts } = setUp();
    const gone = await startScriptedServer();
    await gone.close();
    const error = await failureOf(http.send({ address: `${gone.url}x` }));
    expect(error.code).toBe('http-network');
    expect(error.message).toContain(`GET ${gone.url}x`);
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(attempts).toEqual([1, 2]);
  });

  test('a body that breaks off is tried again', async () => {
    const { http } = setUp();
    server.script(
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      },
      send(200, {}, 'whole'),
    );
    const { bytes } = await http.send({ address: server.url });
    expect(new TextDecoder().decode(bytes)).toBe('whole');
    expect(server.calls).toHaveLength(2);
  });

  test('an answer that is too large is not read to its end', async () => {
    const { http } = setUp();
    server.script(send(200, {}, 'x'.repeat(11)));
    const error = await failureOf(http.send({ address: server.url, maxBytes: 10 }));
    expect(error.code).toBe('http-answer-wrong');
    expect(error.message).toContain('more than 10 bytes');
    expect((await http.send({ address: server.url, maxBytes: 11 })).bytes.byteLength).toBe(11);
  });

  test('the caller’s own signal ends it with the caller’s reason', async () => {
    const { http, clock } = setUp();
    server.script(() => undefined);
    const abort = new AbortController();
    const sending = http.send({ address: server.url, signal: abort.signal });
    await server.called(1);
    abort.abort(new Error('never mind'));
    await expect(sending).rejects.toThrow('never mind');
    expect(clock.waits()).toEqual([]);
    await expect(http.send({ address: server.url, signal: abort.signal })).rejects.toThrow(
      'never mind',
    );
  });

  test('an address that is none', async () => {
    const { http } = setUp();
    expect((await failureOf(http.send({ address: 'http://' }))).code).toBe('http-network');
  });
});
