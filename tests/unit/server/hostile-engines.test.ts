import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApiError } from '../../../server/core/api-error.ts';
import { systemClock } from '../../../server/core/system.ts';
import { askUpstream, maxAnswerBytesFor } from '../../../server/engine/ask-upstream.ts';
import { type RawUpstream, startRawUpstream, writeForEver } from '../../helpers/raw-upstream.ts';

/** Speech servers that are broken or mean, over real sockets: what they can cost is bounded. */
let upstream: RawUpstream | null = null;
afterEach(async () => {
  await upstream?.close();
  upstream = null;
});

/** Waits between attempts are a hundredth as long as real ones; the deadline is real. */
const TIMEOUT_MS = 1_500;
const ports = {
  fetch: globalThis.fetch,
  clock: {
    ...systemClock,
    after: (ms: number, run: () => void) =>
      systemClock.after(ms === TIMEOUT_MS ? ms : ms / 100, run),
  },
  random: () => 0.5,
};
const MAX_ANSWER_BYTES = maxAnswerBytesFor(60_000);

async function ask(say: (socket: Socket) => unknown) {
  upstream = await startRawUpstream(say);
  const form = new FormData();
  form.set('model', 'any');
  return askUpstream(
    ports,
    {
      url: upstream.url,
      headers: {},
      form,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    },
    new AbortController().signal,
  ).catch((error: unknown) => error);
}

const head = (fields: readonly string[], status = '200 OK') =>
  `HTTP/1.1 ${status}\r\n${fields.join('\r\n')}\r\n\r\n`;
const JSON_TYPE = 'content-type: application/json';

/** A whole answer of `body`. */
const whole =
  (body: string | Uint8Array, ...fields: readonly string[]) =>
  (socket: Socket) => {
    socket.write(head([`content-length: ${Buffer.byteLength(body)}`, ...fields]));
    socket.write(body);
  };
describe('an answer that is none', () => {
  const text = JSON.stringify({ text: 'hello' });
  test.each([
    ['HTML that says it is', whole('<html>hello</html>', 'content-type: text/html')],
    ['JSON that says it is HTML', whole(text, 'content-type: text/html')],
    ['JSON that says nothing', whole(text)],
    ['an empty body', whole('', JSON_TYPE)],
    ['no content', (socket: Socket) => socket.write(head([], '204 No Content'))],
    ['half of a JSON object', whole('{"text":"hel', JSON_TYPE)],
    ['a number too large', whole('{"text":1e999}', JSON_TYPE)],
    ['null', whole('null', JSON_TYPE)],
    ['a list', whole('["text"]', JSON_TYPE)],
    ['text as an object', whole('{"text":{"toString":"x"}}', JSON_TYPE)],
    ['text of the prototype', whole('{"__proto__":{"text":"hello"}}', JSON_TYPE)],
    ['lists in lists', whole('['.repeat(200_000), JSON_TYPE)],
    ['whole lists in lists', whole('['.repeat(90_000) + ']'.repeat(90_000), JSON_TYPE)],
    [
      'a body cut short',
      (socket: Socket) => {
        socket.end(`${head([JSON_TYPE, 'content-length: 100'])}{"text"`);
      },
      3,
    ],
    ['no HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 3],
    [
      'headers without an end',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        writeForEver(socket, Buffer.from(`x-more: ${'a'.repeat(1_000)}\r\n`));
      },
      3,
    ],
  ] as readonly [string, (socket: Socket) => unknown, number?][])(
    '%s',
    async (_, say, attempts = 1) => {
      const code = attempts === 1 ? 'engine_answer_wrong' : 'engine_unreachable';
      expect(await ask(say)).toMatchObject({ code });
      expect(upstream?.asked()).toBe(attempts);
    },
  );

  test('gzip that is none: at the deadline at the latest, where fetch leaves the body hanging', async () => {
    const startedMs = performance.now();
    const error = await ask(whole('hello', JSON_TYPE, 'content-encoding: gzip'));
    expect(['engine_timeout', 'engine_unreachable']).toContain((error as ApiError).code);
    expect(performance.now() - startedMs).toBeLessThan(3 * TIMEOUT_MS);
  });

  test.each([301, 302, 303, 307, 308])('a redirect, %i, is not followed', async (status) => {
    const other = await startRawUpstream(whole(text, JSON_TYPE));
    const say = (socket: Socket) =>
      socket.write(head([`location: ${other.url}`, 'content-length: 0'], `${status} Elsewhere`));
    expect(await ask(say)).toMatchObject({ code: 'engine_refused' });
    expect(other.asked()).toBe(0);
    await other.close();
  });
});

describe('an answer that is odd and can be read', () => {
  const hello = { text: 'hello', language: '' };
  test.each([
    ['another JSON type', whole('{"text":"hello"}', 'content-type: application/problem+json; x=1')],
    ['capitals in the type', whole('{"text":"hello"}', 'Content-Type: Application/JSON')],
    ['a byte order mark', whole('\ufeff{"text":"hello"}', JSON_TYPE)],
    ['gzip', whole(gzipSync('{"text":"hello"}'), JSON_TYPE, 'content-encoding: gzip')],
    ['a number as language', whole('{"text":"hello","language":1e999}', JSON_TYPE)],
    [
      'deep lists beside the text',
      whole(`{"segments":${'['.repeat(50_000)}${']'.repeat(50_000)},"text":"hello"}`, JSON_TYPE),
    ],
  ])('%s', async (_, say) => {
    expect(await ask(say)).toEqual(hello);
  });

  test('bytes that are no UTF-8 lose only themselves', async () => {
    const body = Buffer.concat([
      Buffer.from('{"text":"hej '),
      Buffer.from([0xff, 0xc3]),
      Buffer.from(' du"}'),
    ]);
    expect(await ask(whole(body, JSON_TYPE))).toEqual({
      text: 'hej \ufffd\ufffd du',
      language: '',
    });
  });

  test.each([
    ['and says so', 'content-type: application/json; charset=ISO-8859-1'],
    ['and does not say so', JSON_TYPE],
  ])('latin-1 is read, of a server that writes it %s', async (_, type) => {
    const body = Buffer.from('{"text":"en smörgås på ön"}', 'latin1');
    expect(await ask(whole(body, type))).toMatchObject({ text: 'en smörgås på ön' });
  });

  test.each([
    ['among others that are whole', 'blå sm\xc3r'],
    ['by itself', 'sm\xc3'],
  ])('a letter that was cut in two loses only itself, %s', async (_, cut) => {
    const whole8 = Buffer.from(cut.replace('\xc3', ''), 'utf8');
    const at = Buffer.from(cut, 'utf8').indexOf(Buffer.from('\xc3', 'utf8'));
    const text8 = Buffer.concat([whole8.subarray(0, at), Buffer.from([0xc3]), whole8.subarray(at)]);
    const body = Buffer.concat([Buffer.from('{"text":"'), text8, Buffer.from('"}')]);
    const expected = { text: cut.replace('\xc3', '\ufffd') };
    expect(await ask(whole(body, JSON_TYPE))).toMatchObject(expected);
  });

  test('as much as an answer about its audio may hold is taken', async () => {
    const words = 'a'.repeat(MAX_ANSWER_BYTES - 11);
    expect(await ask(whole(`{"text":"${words}"}`, JSON_TYPE))).toMatchObject({ text: words });
    await upstream?.close();
    expect(await ask(whole(`{"text":"${words}a"}`, JSON_TYPE))).toMatchObject({
      code: 'engine_answer_wrong',
    });
  });
});
