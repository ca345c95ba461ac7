import { afterEach, describe, expect, it, vi } from 'vitest';
import { createWorkerRules } from '../../workers/upload/ruled-request.ts';
import { createTranscribeRequest } from '../../workers/upload/transcribe-request.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import {
  answerError,
  answerText,
  type ServerAction,
  startTestServer,
  type TestServer,
} from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';

const TIMEOUT_MS = 120_000;
let server: TestServer;
afterEach(() => server.close());

async function setUp(behave: () => ServerAction) {
  server = await startTestServer(behave);
  const clock = createFakeClock();
  const request = createTranscribeRequest({ url: `${server.url}?key=secret`, clock });
  const send = (item = makeQueueItem()) => request(item, new AbortController().signal);
  return { clock, request, send };
}

const called = () => until(() => server.calls.length > 0, { interval: 5 });

describe('the request', () => {
  it('has the documented fields, with the chunk id as idempotency key', async () => {
    const { send, clock } = await setUp(() => answerText('hej där'));
    const item = makeQueueItem({ id: 'abc:3', number: 3 });
    expect(await send(item)).toEqual({ kind: 'answered', text: 'hej där', needsReview: null });
    expect(server.calls).toEqual([
      {
        index: 0,
        method: 'POST',
        path: '/api/asr/vad?key=secret',
        idempotencyKey: 'abc:3',
        fields: { removePii: 'false', fixSpelling: 'true', fast: 'true', language: 'sv' },
        file: { name: 'dictation.wav', type: 'audio/wav', bytes: item.audio.bytes.byteLength },
      },
    ]);
    expect(clock.waits()).toEqual([]);
  });

  it('asks where each word was said, of a server that says that it tells', async () => {
    const words = [{ text: 'hej', startMs: 40, endMs: 90, certainty: 0.5 }];
    const parts = [{ text: 'hej', startMs: 0, endMs: 100, words }];
    server = await startTestServer(() => ({
      ...{ kind: 'answer', status: 200 },
      body: JSON.stringify({ transcription: 'hej', parts }),
    }));
    let tellsTimes = false;
    const request = createTranscribeRequest({
      ...{ url: server.url, clock: createFakeClock(), tellsTimes: () => tellsTimes },
    });
    const { signal } = new AbortController();
    await request(makeQueueItem(), signal);
    tellsTimes = true;
    expect(await request(makeQueueItem(), signal)).toEqual({
      ...{ kind: 'answered', text: 'hej', needsReview: null },
      times: [{ startMs: 40, endMs: 90, certainty: 0.5 }],
    });
    expect(server.calls.map(({ fields }) => fields?.times)).toEqual([undefined, 'true']);
  });

  it('says which words are to be expected, as many as the server takes', async () => {
    server = await startTestServer(() => answerText('hej där'));
    const clock = createFakeClock();
    let most = 0;
    const given = { vocabulary: ['Sjöqvist', 'Waran', 'Alvedon'] };
    const rules = createWorkerRules(given, { clock, log: createRecordingLog() });
    const request = createTranscribeRequest({
      url: server.url,
      clock,
      vocabulary: () => rules.vocabulary(most),
    });
    await request(makeQueueItem(), new AbortController().signal);
    most = 20;
    await request(makeQueueItem(), new AbortController().signal);
    expect(server.calls.map(({ fields }) => fields.vocabulary)).toEqual([
      undefined,
      'Sjöqvist, Waran',
    ]);
  });

  it.each([
    ['audio/webm', 'dictation.webm'],
    ['audio/mp4', 'dictation.mp4'],
  ] as const)('names a file of %s %s', async (type, name) => {
    const { send } = await setUp(() => answerText(''));
    const item = makeQueueItem();
    expect(await send({ ...item, audio: { ...item.audio, type } })).toEqual({
      kind: 'answered',
      needsReview: null,
      text: '',
    });
    expect(server.calls[0]?.file).toMatchObject({ type, name });
  });
});

describe('answers', () => {
  it.each([
    ['no JSON', 'Log in to the train'],
    ['nothing', ''],
    ['no transcription', '{"text":"hej"}'],
    ['a transcription that is no string', '{"transcription":{"text":"hej"}}'],
    ['null', 'null'],
  ])('with %s count as a failure that may pass, and are not quoted', async (_what, body) => {
    const { send } = await setUp(() => ({ kind: 'answer', status: 200, body }));
    const outcome = await send();
    expect(outcome).toEqual({
      kind: 'retryable',
      retryAfterMs: null,
      error: {
        code: 'http-answer-wrong',
        message: `POST ${server.url}: 200, but no transcription in it`,
      },
    });
  });

  it.each([
    [500, 'retryable'],
    [503, 'retryable'],
    [408, 'retryable'],
    [425, 'retryable'],
    [429, 'retryable'],
    [413, 'rejected'],
    [400, 'rejected'],
    [422, 'rejected'],
  ])('with %i are %s, and keep what the server said', async (status, kind) => {
    const { send } = await setUp(() => answerError(status, 'some-code'));
    expect(await send()).toMatchObject({
      kind,
      error: {
        code: 'http-status',
        message: `POST ${server.url}: ${status} some-code: because of some-code`,
      },
    });
  });

  it.each([401, 403])('with %i want somebody to sign in', async (status) => {
    const { send } = await setUp(() => answerError(status, 'unauthorized'));
    expect(await send()).toMatchObject({
      kind: 'unauthorised',
      error: { code: 'http-signed-out' },
    });
  });

  it('with 403 for the page they come from are nothing that a sign-in mends', async () => {
    const { send } = await setUp(() => answerError(403, 'origin_not_allowed'));
    expect(await send()).toMatchObject({ kind: 'retryable', error: { code: 'http-status' } });
  });

  it.each([
    ['a sign-in page', '<!doctype html><title>Log in</title>'],
    ['a page that is cut off', '  <html>'],
  ])('with 200 and %s want somebody to sign in, and pass', async (_what, body) => {
    const { send } = await setUp(() => ({ kind: 'answer', status: 200, body }));
    expect(await send()).toMatchObject({
      kind: 'retryable',
      error: {
        code: 'http-signed-out',
        message: `POST ${server.url}: 200, a page in place of a text`,
      },
    });
  });

  it('tell a language that the server does not have from all else it refuses', async () => {
    const { send } = await setUp(() => answerError(422, 'language_not_supported'));
    expect(await send()).toMatchObject({ kind: 'rejected', error: { code: 'language-missing' } });
  });

  it.each([
    [0.42, 0.42],
    [0, 0],
    [7, undefined],
    ['half', undefined],
    [undefined, undefined],
  ])('with a share of %j keep it where it is one', async (share, kept) => {
    const error = { code: 'engine_loading', message: 'x', share };
    const { send } = await setUp(() => ({
      kind: 'answer',
      status: 503,
      body: JSON.stringify({ error }),
    }));
    const outcome = await send();
    expect(outcome.kind === 'retryable' && outcome.error.share).toBe(kept);
  });

  it.each([400, 403, 404, 405, 407, 410, 451])(
    'with %i of a proxy or a portal say nothing of the chunk, nor of who may ask',
    async (status) => {
      const { send } = await setUp(() => ({
        kind: 'answer',
        status,
        body: '<html>Not here</html>',
      }));
      expect(await send()).toMatchObject({ kind: 'retryable' });
    },
  );

  it('with 413 are of the chunk, whoever says so: mostly it is a proxy', async () => {
    const { send } = await setUp(() => ({ kind: 'answer', status: 413, body: '<html>413</html>' }));
    expect(await send()).toMatchObject({ kind: 'rejected' });
  });

  it.each([
    ['nothing for a second of speech or less', '', undefined, 16_000, null],
    ['nothing for more', ' \n', undefined, 16_001, 'empty'],
    ['nothing for more, and says so', '', false, 16_001, 'empty'],
    ['what the server says is not all', 'w0 w1', false, 32_000, 'incomplete'],
    ['so in words', 'w0 w1', 'false', 32_000, 'incomplete'],
    ['that nobody knows', 'w0 w1', null, 32_000, 'incomplete'],
    ['all', 'w0 w1', true, 32_000, null],
    ['all, for all we know', 'w0 w1', undefined, 32_000, null],
  ])('that say %s', async (_what, transcription, complete, speechSamples, needsReview) => {
    const body = JSON.stringify({ transcription, complete });
    const { send } = await setUp(() => ({ kind: 'answer', status: 200, body }));
    const outcome = await send(makeQueueItem({ speechSamples }));
    expect(outcome).toEqual({ kind: 'answered', text: transcription, needsReview });
  });

  it('may explain nothing', async () => {
    const { send } = await setUp(() => ({ kind: 'answer', status: 502, body: 'Bad gateway page' }));
    expect(await send()).toMatchObject({
      error: { message: `POST ${server.url}: 502 Bad Gateway` },
    });
  });

  it.each([
    [429, 7_000],
    [503, 7_000],
    [500, null],
  ])('with %i may ask for a wait: %j ms', async (status, retryAfterMs) => {
    const { send } = await setUp(() => answerError(status, 'busy', { 'Retry-After': '7' }));
    expect(await send()).toMatchObject({ retryAfterMs });
  });
});

describe('a request', () => {
  it('says whose sound it is, where somebody is signed in', async () => {
    const asked: Headers[] = [];
    for (const account of ['a b', null]) {
      const request = createTranscribeRequest({
        url: 'http://here.example/api/asr/vad',
        clock: createFakeClock(),
        account: () => account,
        fetch: async (_url, init) => {
          asked.push(new Headers(init?.headers));
          return Response.json({ transcription: 'hej' });
        },
      });
      await request(makeQueueItem(), new AbortController().signal);
    }
    expect(asked.map((headers) => headers.get('Diktera-Account'))).toEqual(['a%20b', null]);
  });

  it('to another origin has no head that a browser asks leave for, unless it is offered', async () => {
    vi.stubGlobal('origin', 'http://here.example');
    const heads: string[][] = [];
    for (const [url, isOffered] of [
      ['http://there.example/api/asr/vad', false],
      ['http://there.example/api/asr/vad', true],
      ['http://here.example/api/asr/vad', false],
    ] as const) {
      const request = createTranscribeRequest({
        url,
        clock: createFakeClock(),
        takesKeys: () => isOffered,
        account: () => 'a',
        fetch: async (_url, init) => {
          heads.push([...new Headers(init?.headers).keys()]);
          return Response.json({ transcription: 'hej' });
        },
      });
      await request(makeQueueItem(), new AbortController().signal);
    }
    vi.unstubAllGlobals();
    const both = ['diktera-account', 'idempotency-key'];
    expect(heads).toEqual([[], both, both]);
  });
});

describe('no answer', () => {
  it('because the server is down', async () => {
    const { send } = await setUp(() => answerText('hej'));
    await server.goDown();
    expect(await send()).toMatchObject({ kind: 'retryable', error: { code: 'http-network' } });
  });

  it('because the connection broke off', async () => {
    const { send } = await setUp(() => ({ kind: 'break-off' }));
    expect(await send()).toMatchObject({ kind: 'retryable', error: { code: 'http-network' } });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['at all', { kind: 'hang' }],
    ['to the end', { kind: 'stall', status: 200 }],
  ] as const)('%s within 120 s', async (_what, action) => {
    const { send, clock } = await setUp(() => action);
    let outcome: unknown;
    const sending = send().then((value) => {
      outcome = value;
    });
    await called();
    await clock.advance(TIMEOUT_MS - 1);
    expect(outcome).toBeUndefined();
    await clock.advance(1);
    await sending;
    expect(outcome).toEqual({
      kind: 'retryable',
      retryAfterMs: null,
      error: {
        code: 'http-timeout',
        message: `POST ${server.url}: no answer within ${TIMEOUT_MS} ms`,
      },
    });
    await until(() => server.openCalls === 0, { interval: 5 });
  });

  it('but a status is verdict enough when its explanation never ends', async () => {
    server = await startTestServer(() => ({ kind: 'stall', status: 401 }));
    const clock = createFakeClock();
    let hasStatus = false;
    const watched: typeof fetch = async (...call) => {
      const response = await fetch(...call);
      hasStatus = true;
      return response;
    };
    const request = createTranscribeRequest({ url: server.url, clock, fetch: watched });
    const sending = request(makeQueueItem(), new AbortController().signal);
    await until(() => hasStatus, { interval: 5 });
    await clock.advance(TIMEOUT_MS);
    expect(await sending).toMatchObject({ kind: 'unauthorised' });
  });

  it('because it was stopped', async () => {
    const { request } = await setUp(() => ({ kind: 'hang' }));
    const controller = new AbortController();
    const sending = request(makeQueueItem(), controller.signal);
    await called();
    controller.abort();
    expect(await sending).toMatchObject({ kind: 'retryable', error: { code: 'http-network' } });
    const stopped = request(makeQueueItem(), controller.signal);
    expect(await stopped).toMatchObject({ kind: 'retryable' });
    expect(server.calls).toHaveLength(1);
  });

  it('from a fetch that ignores being stopped', async () => {
    server = await startTestServer(() => answerText(''));
    const clock = createFakeClock();
    const deaf = () => new Promise<never>(() => {});
    const request = createTranscribeRequest({ url: server.url, clock, fetch: deaf, timeoutMs: 50 });
    const sending = request(makeQueueItem(), new AbortController().signal);
    await clock.advance(50);
    expect(await sending).toMatchObject({ error: { code: 'http-timeout' } });
  });
});
