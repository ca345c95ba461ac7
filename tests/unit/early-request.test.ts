import { afterEach, expect, test } from 'vitest';
import { createEarlyRequest } from '../../workers/session/live-speech.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const ADDRESS = 'http://host/api/asr/vad';
const calls: RequestInit[] = [];

afterEach(() => void calls.splice(0));

function setUp(answer: () => Promise<Response>) {
  const clock = createFakeClock();
  const ask = createEarlyRequest({
    url: ADDRESS,
    clock,
    fetch: async (_url, init) => {
      calls.push(init ?? {});
      return answer();
    },
  });
  const ending = new AbortController();
  return {
    clock,
    ending,
    ask: (isPreview: boolean) => ask(makeQueueItem(), isPreview, ending.signal),
  };
}

function fieldsOf(call: RequestInit | undefined): string[] {
  const body = call?.body;
  return body instanceof FormData ? [...body.keys()] : [];
}

test('a preview says that it is one, and has no key', async () => {
  const { ask } = setUp(async () => Response.json({ transcription: 'hej', complete: false }));
  expect(await ask(true)).toEqual({
    answer: { text: 'hej', isComplete: false },
    result: 'answered',
  });
  expect(fieldsOf(calls[0])).toEqual([
    'audioFile',
    'removePii',
    'fixSpelling',
    'language',
    'fast',
    'preview',
  ]);
  expect(calls[0]?.headers).toEqual({});
});

test('what may be the final text is asked for as one', async () => {
  const { ask } = setUp(async () => Response.json({ transcription: '' }));
  await ask(false);
  expect(fieldsOf(calls[0])).not.toContain('preview');
});

test.each([
  ['429', new Response('', { status: 429, headers: { 'Retry-After': '7' } }), 7_000],
  ['503', new Response('', { status: 503 }), null],
  ['500', new Response('', { status: 500 }), null],
])('%s: the server is busy', async (_status, response, retryAfterMs) => {
  const { ask } = setUp(async () => response);
  expect(await ask(true)).toEqual({ answer: null, result: { kind: 'busy', retryAfterMs } });
});

test.each([400, 401, 404, 413, 422])('%i: it takes no previews', async (status) => {
  const { ask } = setUp(async () => new Response('', { status }));
  expect(await ask(true)).toEqual({ answer: null, result: 'refused' });
});

test('no network, no answer in 10 s, nobody who wants it: no answer', async () => {
  const none = { answer: null, result: { kind: 'busy', retryAfterMs: null } };
  expect(await setUp(() => Promise.reject(new TypeError('gone'))).ask(true)).toEqual(none);

  const { clock, ask } = setUp(() => new Promise(() => {}));
  const late = ask(true);
  await clock.advance(10_000);
  expect(await late).toEqual(none);

  const left = setUp(() => new Promise(() => {}));
  const aborted = left.ask(true);
  left.ending.abort();
  expect(await aborted).toEqual(none);
  expect(calls.at(-1)?.signal?.aborted).toBe(true);
});
