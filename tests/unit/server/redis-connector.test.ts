import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRedisStore } from '../../../server/answers/redis-store.ts';
import type { AnswerStore } from '../../../server/answers/shared-answers.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { type RawStore, startRawStore } from '../../helpers/raw-store.ts';
import { writeForEver } from '../../helpers/raw-upstream.ts';
import { postSpeech, speechForm, startServer } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const MIB = 1024 * 1024;
const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
const isClaim = (command: string) => /\r\nset\r\n/i.test(command);

let raw: RawStore;
let store: AnswerStore;
let failures: unknown[] = [];
/** What nobody caught: it ends a server. */
let uncaught: unknown[] = [];
const noteUncaught = (error: unknown) => void uncaught.push(error);

/** A store that says what `say` does to the first claim, and is healthy from then on. */
async function startMeanStore(say: (socket: Socket) => void): Promise<void> {
  let isMean = true;
  raw = await startRawStore((socket, command) => {
    if (!isClaim(command)) return false;
    if (isMean) say(socket);
    else socket.write('+OK\r\n');
    isMean = false;
    return true;
  });
  store = createRedisStore(raw.url, (error) => failures.push(error));
}

beforeEach(() => {
  failures = [];
  uncaught = [];
  process.on('uncaughtException', noteUncaught);
});
afterEach(async () => {
  await store.close();
  await raw.close();
  process.off('uncaughtException', noteUncaught);
});

describe('what no command asked for ends its connection, and nothing else', () => {
  test.each([
    ['a null', '+OK\r\n$-1\r\n'],
    ['nulls by the hundred', '$-1\r\n'.repeat(300)],
    ['a text', '+OK\r\n$4\r\nhush\r\n'],
    ['an error', '+OK\r\n-ERR hush\r\n'],
    ['a message of null', '+OK\r\n>1\r\n$-1\r\n'],
    ['a subscription to null', '>3\r\n$9\r\nsubscribe\r\n$-1\r\n:1\r\n'],
    ['a null of RESP3', '_\r\n'],
    ['a list', '*2\r\n+OK\r\n:1\r\n'],
    ['a length that is none', '$-2\r\n+OK\r\n'],
    ['a line with an end inside', '+O\rK\r\n'],
    ['another protocol', 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('%s', async (_, said) => {
    await startMeanStore((socket) => socket.write(said));
    await store.claim('k', 'mine', 60_000).catch(() => undefined);
    await expect.poll(raw.ended).toBe(1);
    await expect.poll(() => failures.length).toBeGreaterThan(0);
    await expect
      .poll(() => store.claim('k', 'mine', 60_000).catch(() => false), { timeout: 5_000 })
      .toBe(true);
    expect(uncaught[0]).toBeUndefined();
    expect(failures.map(String).join()).not.toContain('hush');
  });

  test('a null long after the reply', async () => {
    let mean: Socket | null = null;
    await startMeanStore((socket) => {
      mean = socket;
      socket.write('+OK\r\n');
    });
    expect(await store.claim('k', 'mine', 60_000)).toBe(true);
    (mean as Socket | null)?.write('$-1\r\n');
    await expect.poll(raw.ended).toBe(1);
    expect(uncaught[0]).toBeUndefined();
  });
});

test('a store of nothing but nulls: the server goes on without it', async () => {
  raw = await startRawStore((socket) => socket.write('$-1\r\n'.repeat(2_000)) || true);
  store = createRedisStore(raw.url, (error) => failures.push(error));
  const fake = createFakeEngine(null);
  const server = await startServer({ engine: fake.engine, answerStore: store });
  for (const [at, word] of ['first', 'second'].entries()) {
    const answer = postSpeech(server, speechForm(WAV), { headers: { 'idempotency-key': word } });
    await expect.poll(() => fake.calls.length, { timeout: 5_000 }).toBe(at + 1);
    fake.calls[at]?.answer(word);
    expect((await answer).body.transcription).toBe(word);
  }
  await server.close();
  expect(uncaught[0]).toBeUndefined();
});

test.each([
  ['a text', '$4294967295\r\n'],
  ['a line', '+'],
])(
  '%s without an end is given up, and its connection with it',
  async (_, head) => {
    let sentBytes = 0;
    await startMeanStore((socket) => {
      socket.write(head);
      writeForEver(socket, Buffer.alloc(64 * 1024, 0x61));
      socket.on('close', () => {
        sentBytes += socket.bytesWritten;
      });
    });
    await expect(store.claim('k', 'mine', 60_000)).rejects.toThrow();
    await expect.poll(raw.ended, { timeout: 10_000 }).toBe(1);
    // What the system's buffers hold on both sides comes on top.
    expect(sentBytes).toBeLessThan(40 * MIB);
  },
  20_000,
);
