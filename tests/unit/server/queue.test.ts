import { afterEach, describe, expect, test } from 'vitest';
import { createWorkQueue } from '../../../server/scheduling/work-queue.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

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
    fake.calls[0]?.answer('a');
    expect((await running).body.transcription).toBe('a');
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

describe('the queue', () => {
  const clock = createFakeClock();
  const never = new AbortController().signal;

  test('a task that throws frees its slot', async () => {
    const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 1 });
    const failed = queue.run('a', () => Promise.reject(new Error('no')), never);
    const next = queue.run('a', async () => 'yes', never);
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
    expect(queue.load()).toMatchObject({ running: 0, waiting: 0 });
  });

  test('nobody slips in before the one who waits', async () => {
    const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 5 });
    const order: string[] = [];
    const task = (name: string) => async () => {
      order.push(name);
    };
    const first = queue.run(
      'a',
      async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('a');
      },
      never,
    );
    const second = queue.run('a', task('b'), never);
    // At the very moment a's slot is free, and again a little later.
    const late = first.then(() => queue.run('a', task('c'), never));
    await Promise.all([second, late]);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  test('never runs more than its slots, whoever leaves or fails', async () => {
    const queue = createWorkQueue({ clock, concurrency: 3, maxWaiting: 100 });
    let running = 0;
    let most = 0;
    const leaving = new AbortController();
    const results = Array.from({ length: 60 }, (_, index) =>
      queue
        .run(
          'a',
          async () => {
            most = Math.max(most, ++running);
            await new Promise((resolve) => setImmediate(resolve));
            running--;
            if (index % 5 === 0) throw new Error('no');
          },
          index % 7 === 0 ? leaving.signal : new AbortController().signal,
        )
        .catch(() => undefined),
    );
    setImmediate(() => leaving.abort());
    await Promise.all(results);
    expect(most).toBe(3);
    expect(queue.load()).toMatchObject({ running: 0, waiting: 0 });
  });
});
