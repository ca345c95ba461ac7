import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { fixture, postSpeech, speechForm, startServer } from '../../helpers/running-server.ts';

function memoryLog() {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { stream, lines, text: () => text };
}

test('a line for each request with figures, and not a word of content', async () => {
  const log = memoryLog();
  const fake = createFakeEngine(null);
  const server = await startServer({
    engine: fake.engine,
    logger: { level: 'trace', stream: log.stream },
  });

  const form = speechForm(fixture('speech-en.webm'), {}, 'anna-karlsson-journal.webm');
  const answer = postSpeech(server, form);
  await expect.poll(() => fake.calls.length).toBe(1);
  fake.calls[0]?.answer('the secret diagnosis');
  const { headers } = await answer;

  const failing = postSpeech(server, form);
  await expect.poll(() => fake.calls.length).toBe(2);
  fake.calls[1]?.fail(new Error('the decoder failed'));
  await failing;
  await postSpeech(server, speechForm(new Uint8Array(9).fill(65), { language: 'secretlang' }));
  await fetch(`${server.url}/api/health?who=anna`);

  const leaving = new AbortController();
  const lost = postSpeech(server, form, { signal: leaving.signal });
  await expect.poll(() => fake.calls.length).toBe(3);
  leaving.abort();
  await expect(lost).rejects.toThrow();
  await expect.poll(() => log.lines().some((line) => line.status === 499)).toBe(true);
  fake.calls[2]?.fail(new Error('stopped'));
  await server.close();

  const answered = log.lines().filter((line) => line.msg === 'answered');
  expect(answered.map((line) => line.status)).toEqual([200, 500, 400, 200, 499]);
  expect(answered[0]).toMatchObject({
    level: 30,
    reqId: headers.get('x-request-id'),
    method: 'POST',
    route: '/api/asr/vad',
    engine: 'fake',
    language: 'en',
    uploadBytes: fixture('speech-en.webm').length,
    audioMs: expect.any(Number),
    durationMs: expect.any(Number),
    complete: true,
    isEmpty: false,
  });
  expect(answered[1]).toMatchObject({ errorCode: 'engine_failed' });
  expect(log.lines().find((line) => line.level === 50)).toMatchObject({
    msg: 'engine_failed',
    err: { message: 'the decoder failed' },
  });
  expect(log.text()).not.toMatch(/secret|diagnosis|anna|karlsson|OpusHead/i);
});
