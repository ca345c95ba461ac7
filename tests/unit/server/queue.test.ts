import { afterEach, describe, expect, test } from 'vitest';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('finals', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));

  describe('the server under load', () => {
    let fake: FakeEngine;
    let server: RunningServer;

    async function start(concurrency: number, maxWaiting: number, maxHeldBytes = 1e9) {
      fake = createFakeEngine(null);
      const limits = { concurrency, maxWaiting, maxHeldBytes };
      server = await startServer({ engine: fake.engine, limits });
    }
    afterEach(() => server.close());

    const send = (init: RequestInit = {}) => postSpeech(server, speechForm(WAV), init);
    const queue = async () => (await readJson(fetch(`${server.url}/api/health`))).body.queue;
    const untilLoad = (running: number, waiting: number) =>
      expect.poll(queue).toMatchObject({ running, waiting });

    test('works on as many as it has slots, the rest wait their turn in order', async () => {
      await start(2, 10);
      const answers: Promise<{ body: { transcription?: string } }>[] = [];
      for (let sent = 0; sent < 4; sent++) {
        answers.push(send());
        await untilLoad(Math.min(2, sent + 1), Math.max(0, sent - 1));
      }
      expect(fake.calls).toHaveLength(2);
      fake.calls[1]?.answer('second');
      await expect.poll(() => fake.calls.length).toBe(3);
      fake.calls[2]?.answer('third');
      await expect.poll(() => fake.calls.length).toBe(4);
      fake.calls[0]?.answer('first');
      fake.calls[3]?.answer('fourth');
      const texts = (await Promise.all(answers)).map(({ body }) => body.transcription);
      expect(texts).toEqual(['first', 'second', 'third', 'fourth']);
      await untilLoad(0, 0);
    });

    test('refuses with 503 and Retry-After when too many wait, and takes the next when one is done', async () => {
      await start(1, 1);
      const running = send();
      await untilLoad(1, 0);
      const waiting = send();
      await untilLoad(1, 1);
      const refused = await send();
      expect(refused.status).toBe(503);
      expect(refused.body.error?.code).toBe('queue_full');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      fake.calls[0]?.answer('a');
      expect((await running).status).toBe(200);
      const next = send();
      await expect.poll(() => fake.calls.length).toBe(2);
      fake.calls[1]?.answer('b');
      expect((await waiting).status).toBe(200);
      await expect.poll(() => fake.calls.length).toBe(3);
      fake.calls[2]?.answer('c');
      expect((await next).status).toBe(200);
    });

    test('holds no more upload bytes than it may', async () => {
      await start(1, 10, WAV.length + 5_000);
      const first = send();
      await untilLoad(1, 0);
      const refused = await send();
      expect(refused.body.error?.code).toBe('queue_full');
      fake.calls[0]?.answer('a');
      expect((await first).status).toBe(200);
      const next = send();
      await expect.poll(() => fake.calls.length).toBe(2);
      fake.calls[1]?.answer('b');
      expect((await next).status).toBe(200);
    });

    test('a client that leaves the queue is never transcribed', async () => {
      await start(1, 10);
      const running = send();
      await untilLoad(1, 0);
      const leaving = new AbortController();
      const lost = send({ signal: leaving.signal });
      await untilLoad(1, 1);
      leaving.abort();
      await expect(lost).rejects.toThrow();
      await untilLoad(1, 0);
      fake.calls[0]?.answer('fever');
      expect((await running).body.transcription).toBe('fever');
      await untilLoad(0, 0);
      expect(fake.calls).toHaveLength(1);
    });

    test('a client that leaves while it is transcribed stops the work', async () => {
      await start(1, 10);
      const leaving = new AbortController();
      const lost = send({ signal: leaving.signal });
      await expect.poll(() => fake.calls.length).toBe(1);
      leaving.abort();
      await expect(lost).rejects.toThrow();
      await expect.poll(() => fake.calls[0]?.signal.aborted).toBe(true);
      fake.calls[0]?.fail(new Error('stopped'));
      await untilLoad(0, 0);
    });

    test('on shutdown what runs is finished, and what waits is told to come back', async () => {
      await start(1, 10);
      const running = send();
      await untilLoad(1, 0);
      const waiting = send();
      await untilLoad(1, 1);
      const closed = server.close();
      const refused = await waiting;
      expect(refused.status).toBe(503);
      expect(refused.body.error?.code).toBe('shutting_down');
      expect(refused.headers.has('retry-after')).toBe(true);
      fake.calls[0]?.answer('finished');
      expect((await running).body.transcription).toBe('finished');
      await closed;
    });
  });
});

describe('previews', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));

  let fake: FakeEngine;
  let server: RunningServer;
  afterEach(() => server.close());

  async function start(limits: AppOptions['limits'] = {}, text: string | null = 'words') {
    fake = createFakeEngine(text);
    server = await startServer({ engine: fake.engine, limits: { concurrency: 1, ...limits } });
  }

  const send = (preview: boolean | null, init: RequestInit = {}, file = WAV) =>
    postSpeech(
      server,
      speechForm(file, { preview: preview === null ? null : String(preview) }),
      init,
    );
  const figures = async () => (await fetch(`${server.adminUrl}/metrics`)).text();

  test('is answered like a final, and counted apart', async () => {
    await start();
    const preview = await send(true);
    const final = await send(false);
    expect(preview.body).toEqual(final.body);
    expect((await send(null)).body).toEqual(final.body);
    const text = await figures();
    expect(text).toContain('diktera_previews_total{status="200",code=""} 1');
    expect(text).toContain('diktera_preview_duration_seconds_count{status="200"} 1');
    expect(text).toContain('diktera_preview_audio_seconds_total{engine="fake"} 0.5');
    expect(text).toContain('diktera_requests_total{route="/api/asr/vad",status="200",code=""} 2');
    expect(text).toContain('diktera_audio_seconds_total{engine="fake"} 1\n');
    expect(text).toContain('diktera_request_duration_seconds_count{status="200"} 2');
  });

  test('is never answered from what is kept, nor kept', async () => {
    await start({}, null);
    const headers = { 'idempotency-key': 'the-same' };
    for (const [index, preview] of [true, true, false, true].entries()) {
      const answer = send(preview, { headers });
      await expect.poll(() => fake.calls.length).toBe(index + 1);
      fake.calls[index]?.answer(`heard ${index}`);
      expect((await answer).body.transcription).toBe(`heard ${index}`);
    }
    expect((await send(false, { headers })).body.transcription).toBe('heard 2');
  });

  test('a busy server refuses previews with 503 and Retry-After while it still takes finals', async () => {
    await start({}, null);
    const running = send(false);
    await expect.poll(() => fake.calls.length).toBe(1);
    const waiting = send(false);
    const load = async () => (await (await fetch(`${server.url}/api/health`)).json()).queue.waiting;
    await expect.poll(load).toBe(1);
    const refused = await send(true);
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'queue_full']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    fake.calls[0]?.answer('first');
    await expect.poll(() => fake.calls.length).toBe(2);
    fake.calls[1]?.answer('second');
    expect((await running).status).toBe(200);
    expect((await waiting).status).toBe(200);
    expect(await figures()).toContain('diktera_previews_total{status="503",code="queue_full"} 1');
  });

  test('a client that leaves stops the work on its preview, key or no key', async () => {
    await start({}, null);
    const leaving = new AbortController();
    const headers = { 'idempotency-key': 'k' };
    const lost = send(true, { signal: leaving.signal, headers });
    await expect.poll(() => fake.calls.length).toBe(1);
    leaving.abort();
    await expect(lost).rejects.toThrow();
    await expect.poll(() => fake.calls[0]?.signal.aborted).toBe(true);
    fake.calls[0]?.fail(new Error('stopped'));
  });

  test('has a length of its own', async () => {
    await start({ maxPreviewAudioMs: 400 });
    const long = await send(true);
    expect([long.status, long.body.error?.code]).toEqual([413, 'audio_too_long']);
    expect((await send(false)).status).toBe(200);
  });

  test('uses up its own share of requests, not that of finals', async () => {
    await start({ maxPerMinute: 3 });
    for (let sent = 0; sent < 3; sent++) expect((await send(true)).status).toBe(200);
    expect((await send(true)).body.error?.code).toBe('rate_limited');
    for (let sent = 0; sent < 3; sent++) expect((await send(false)).status).toBe(200);
    expect((await send(false)).body.error?.code).toBe('rate_limited');
  });

  test('only true and false are understood', async () => {
    await start();
    const odd = await postSpeech(server, speechForm(WAV, { preview: 'yes' }));
    expect([odd.status, odd.body.error?.code]).toEqual([400, 'field_invalid']);
  });

  test.each([
    ['zeros', () => 0],
    ['the noise of 16 bits', (at: number) => ((at * 7_919) % 3) / 32_767 - 1 / 32_767],
  ])('a piece of %s has no words and never reaches the model', async (_, sample) => {
    await start();
    const quiet = waveFile(
      16_000,
      Float32Array.from({ length: 16_000 }, (__, at) => sample(at)),
    );
    for (const preview of [true, false]) {
      const { status, body } = await send(preview, {}, quiet);
      expect([status, body.transcription, body.durationMs]).toEqual([200, '', 1_000]);
    }
    expect(fake.calls).toHaveLength(0);
  });

  test('a whisper into a bad microphone does reach it', async () => {
    await start();
    const soft = tone(440, 16_000, 0.5).map((value) => value / 500);
    expect((await send(false, {}, waveFile(16_000, soft))).body.transcription).toBe('words');
  });
});
