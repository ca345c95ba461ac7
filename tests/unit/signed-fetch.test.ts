import { expect, test, vi } from 'vitest';
import { createDeferred, untilAborted } from '../../src/core/async.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { createSignedFetch } from '../../src/platform/signed-fetch.ts';

const SHARED = { createDeferred, untilAborted, DikteraError };

const URL = 'https://dikt.example/api/asr/vad';

/** A server that takes these tokens alone, and what it was asked with. */
function createServer(...taken: string[]) {
  const asked: (string | null)[] = [];
  const fetch = vi.fn<typeof globalThis.fetch>(async (_address, init) => {
    const token = new Headers(init?.headers).get('Authorization');
    asked.push(token);
    return new Response('', { status: taken.includes(token ?? '') ? 200 : 401 });
  });
  return { asked, fetch, taken };
}

const post = (signed: ReturnType<typeof createSignedFetch>, init: RequestInit = {}) =>
  signed.fetch(URL, { method: 'POST', headers: { 'Idempotency-Key': 'k' }, ...init });

test('a page that signs nothing has its requests sent as they are', async () => {
  const { fetch } = createServer();
  const init = { method: 'POST' };
  await createSignedFetch({ fetch }, SHARED).fetch(URL, init);
  expect(fetch).toHaveBeenCalledWith(URL, init);
  await createSignedFetch({ fetch, credentials: 'include' }, SHARED).fetch(URL, init);
  expect(fetch).toHaveBeenLastCalledWith(URL, { ...init, credentials: 'include' });
});

test('nothing is sent before the page has said what to sign with', async () => {
  const { fetch, asked } = createServer('a');
  const signed = createSignedFetch({ fetch, isSigned: true }, SHARED);
  const answer = post(signed);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toEqual([]);
  const ask = vi.fn(async () => ({ Authorization: 'a' }));
  signed.sign(ask);
  expect((await answer).status).toBe(200);
  await post(signed);
  expect(ask).toHaveBeenCalledOnce();
  const headers = new Headers(fetch.mock.lastCall?.[1]?.headers);
  expect(headers.get('Idempotency-Key')).toBe('k');
});

test('after a 401 the page is asked anew, once for all, and the request is made again', async () => {
  const { fetch, asked } = createServer('new');
  const signed = createSignedFetch({ fetch, isSigned: true }, SHARED);
  const tokens = ['old', 'new', 'newer'];
  const ask = vi.fn(async () => ({ Authorization: tokens.shift() ?? '' }));
  signed.sign(ask);
  const answers = await Promise.all([post(signed), post(signed), post(signed)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(asked.sort()).toEqual(['new', 'new', 'new', 'old', 'old', 'old']);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('the same again is not sent again: the 401 is the answer', async () => {
  const { fetch, asked } = createServer();
  const signed = createSignedFetch({ fetch, isSigned: true }, SHARED);
  signed.sign(async () => ({ Authorization: 'old' }));
  expect((await post(signed)).status).toBe(401);
  expect(asked).toEqual(['old']);
});

test('a page that cannot say fails the request, and is asked again with the next', async () => {
  const { fetch, asked } = createServer('a');
  const signed = createSignedFetch({ fetch, isSigned: true }, SHARED);
  const ask = vi.fn(async () => ({ Authorization: 'a' })).mockRejectedValueOnce(new Error('off'));
  signed.sign(ask);
  await expect(post(signed)).rejects.toMatchObject({ code: 'http-signed-out' });
  expect((await post(signed)).status).toBe(200);
  expect(asked).toEqual(['a']);
});

test('a request that is given up does not wait for the page', async () => {
  const signed = createSignedFetch({ fetch: createServer().fetch, isSigned: true }, SHARED);
  const giveUp = new AbortController();
  const answer = post(signed, { signal: giveUp.signal });
  giveUp.abort(new Error('too late'));
  await expect(answer).rejects.toThrow('too late');
});

test('a page that never says fails the request in time, and is asked again with the next', async () => {
  const { fetch, asked } = createServer('a');
  const signed = createSignedFetch({ fetch, isSigned: true, askMs: 20 }, SHARED);
  const ask = vi.fn(async () => ({ Authorization: 'a' }));
  signed.sign(ask.mockReturnValueOnce(new Promise(() => {})));
  await expect(post(signed)).rejects.toMatchObject({ code: 'http-signed-out' });
  expect((await post(signed)).status).toBe(200);
  expect(asked).toEqual(['a']);
});

test.each<[string, unknown]>([
  ['a number', 5],
  ['a name that is none', { 'no name': 'a' }],
  ['a line break', { Authorization: 'a\nb' }],
])('headers that can be none (%s) are called the page’s fault', async (_what, given) => {
  const { fetch, asked } = createServer('a');
  const signed = createSignedFetch({ fetch, isSigned: true }, SHARED);
  signed.sign(async () => given as Record<string, string>);
  await expect(post(signed)).rejects.toMatchObject({
    code: 'http-signed-out',
    cause: expect.any(TypeError),
  });
  expect(asked).toEqual([]);
});
