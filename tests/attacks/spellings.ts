import fc from 'fast-check';
import { formBody, postHead } from '../helpers/raw-http.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack, AttackField } from './attack.ts';
import { exchange } from './post.ts';

/** Ways to spell what a server reads: paths, names of hosts, heads of requests. */

const PATH = '/api/asr/vad';
const hex = (code: number) => code.toString(16).padStart(2, '0');

/** One letter, as it is or in another way. */
const letter = (one: string) => {
  const code = one.charCodeAt(0);
  return fc.oneof(
    { weight: 60, arbitrary: fc.constant(one) },
    {
      weight: 12,
      arbitrary: fc.constantFrom(`%${hex(code)}`, `%${hex(code).toUpperCase()}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        one.toUpperCase(),
        `%25${hex(code)}`,
        `%u00${hex(code)}`,
        `%c1%${hex(0x80 | (code & 0x3f))}`,
        `%${hex(code)}%00`,
      ),
    },
  );
};
const spelt = fc.tuple(...[...PATH].map(letter)).map((letters) => letters.join(''));
const prefix = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '/',
      '/.',
      '/x/..',
      '/%2e',
      '/%2e%2e',
      '\\',
      '/;',
      '/./.',
      'http://localhost',
      'http://127.0.0.1:1',
      'http://evil.example',
      '//evil.example',
      'https:',
      '*',
      '/%2f',
      '/api/..',
    ),
  },
);
const suffix = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '/',
      '//',
      '?',
      '?a=b',
      '?origin=',
      ';',
      ';a=b',
      '#',
      '#?',
      '%00',
      '%20',
      '%09',
      '/.',
      '/..',
      '/../vad',
      '%3f',
      '%23',
      '.',
      '%2f',
      '&',
      '?%',
      '\\',
    ),
  },
);

/** Spellings of the route's path, of which a router reads some as the route. */
export const pathSpellings: fc.Arbitrary<string> = fc
  .tuple(prefix, spelt, suffix)
  .map((parts) => parts.join(''));

const EVIL = ['evil.example', 'xn--evl-ema.example', 'a.b.evil.example'];

/** Names of an attacker's, dressed as this machine's: browsers send no others to such a name. */
export const foreignHosts: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      '',
      'localhost.',
      '127.0.0.1.',
      'www.',
      '[::1].',
      '::1.',
      'localhost-',
      '0.',
      'LOCALHOST.',
    ),
    fc.constantFrom(...EVIL),
    fc.constantFrom(
      '',
      '.',
      '..',
      ':80',
      ':5180',
      '.:5180',
      ':localhost',
      '#localhost',
      '/localhost',
      '@localhost',
      '%00localhost',
      '\tlocalhost',
      ',localhost',
      ' localhost',
      ';localhost',
      '?.localhost',
      '\\.localhost',
    ),
    fc.boolean(),
  )
  // A name with an end of this machine's own is of this machine.
  .filter(([, , end]) => !['?.localhost', '\\.localhost'].includes(end))
  .map(([start, evil, end, isLoud]) => {
    const name = `${start}${evil}${end}`;
    return isLoud ? name.toUpperCase() : name;
  });

const FIELDS = [
  'Content-Length: 0',
  'Content-Length: 7',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 0x10',
  'Content-Length: 1, 2',
  'Content-Length: +5',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Expect: 100-continue',
  'Expect: 200-maybe',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'Connection: close',
  'Connection: keep-alive, Upgrade, HTTP2-Settings',
  'Content-Type: multipart/form-data',
  'Content-Type: multipart/form-data; boundary=',
  'Content-Type: multipart/form-data; boundary="',
  `Content-Type: multipart/form-data; boundary=${'x'.repeat(500)}`,
  'Content-Type: multipart/form-data; boundary=a; boundary=b',
  'Content-Type: multipart/mixed; boundary=x',
  'Content-Type: text/html',
  'Content-Type: ;',
  'Content-Encoding: gzip',
  'Idempotency-Key: a',
  'Idempotency-Key: two words',
  `Idempotency-Key: ${'k'.repeat(5_000)}`,
  'Idempotency-Key:',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'traceparent: 00-00000000000000000000000000000000-0-zz',
  'tracestate: a=b',
  'X-Request-Id: \x1b[31m',
  `X-Request-Id: ${'r'.repeat(9_000)}`,
  'X-Forwarded-For: 1.2.3.4, , x',
  'X-Forwarded-Host: localhost',
  'X-Forwarded-Proto: javascript',
  'Forwarded: for="[::1]"',
  'Authorization: Bearer',
  'Authorization: Basic Og==',
  'Cookie: diktera_token=%zz',
  'Cookie: __proto__=1; constructor=2',
  'Origin: null',
  'Origin: http://localhost:x',
  'Origin: http://[',
  'Sec-Fetch-Site: same-origin',
  'Sec-Fetch-Site: \xff',
  'Range: bytes=0-0,-1,9-',
  'If-None-Match: *',
  'If-Modified-Since: never',
  'Accept-Encoding: gzip;q=x',
  'Host: localhost',
  'Host:',
  '__proto__: x',
  ' folded: on',
  'no colon',
  ': no name',
  'na me: x',
  'x: \x00',
  'x: \x7f',
  `x: ${'a'.repeat(20_000)}`,
];

/** Heads of requests, right and wrong; a body of multipart follows each. */
export const requestHeads: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      'GET',
      'GET',
      'GET',
      'HEAD',
      'POST',
      'POST',
      'POST',
      'POST',
      'POST',
      'POST',
      'POST',
      'PUT',
      'OPTIONS',
      'TRACE',
      'CONNECT',
      'get',
      'PRI',
      '',
      'X'.repeat(3_000),
    ),
    fc.oneof(
      fc.constantFrom(
        '/api/asr/vad',
        '/api/health',
        '/',
        '*',
        '',
        '/%',
        '/../../etc/passwd',
        '/..%2f..%2fpackage.json',
        '/index.html%00',
        `/${'a/'.repeat(3_000)}`,
        '/__proto__',
        '/api/constructor',
        '/livez?x=1',
        '/openapi.json',
        '/\xff',
      ),
      pathSpellings,
    ),
    fc.constantFrom(
      ...new Array<string>(20).fill('HTTP/1.1'),
      'HTTP/1.0',
      'HTTP/0.9',
      'HTTP/2.0',
      'HTTP/9.9',
      'http/1.1',
      '',
    ),
    fc.array(fc.constantFrom(...FIELDS), { maxLength: 2 }),
    fc.constantFrom(...new Array<string>(20).fill('\r\n'), '\n', '\r'),
  )
  // Without a name it is no browser's, and would be let in: most have one.
  .map(([method, path, version, fields, end]) =>
    [`${method} ${path} ${version}`, 'Host: localhost', ...fields, '', ''].join(end),
  );

const BODY = formBody(waveFile(16_000, tone(440, 16_000, 0.2)));
const PATIENCE_MS = 30_000;

/** Sends all of them, a few at once, and gives each its status. */
async function sendAll(
  field: AttackField,
  requests: readonly (readonly [string, string | Uint8Array])[],
  judge: (status: number | null | undefined, what: string) => string | null,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < requests.length; index = next++) {
      const [what, bytes] = requests[index] ?? ['', ''];
      const from = field.address(index);
      const status = await exchange(field.target.server.url, from, bytes, PATIENCE_MS);
      field.count(status === undefined ? 'silence' : String(status ?? 'closed without a word'));
      const fault = status === undefined ? 'neither answer nor end' : judge(status, what);
      if (fault !== null) field.fault(`${JSON.stringify(what)}: ${fault}`);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}

const withBody = (head: string) => Buffer.concat([Buffer.from(head, 'latin1'), BODY]);
const close = { Connection: 'close' };

/** Finding 3. */
export const foreignPages: Attack = {
  name: 'a foreign page that spells the path in another way',
  on: 'plain',
  lane: 'requests',
  async run(field) {
    const count = field.isShort ? 80 : 2_000;
    const paths = fc.sample(pathSpellings, { seed: field.seed, numRuns: count });
    const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', ...close };
    const requests = paths.map(
      (path, index) =>
        [
          path,
          // An old browser says nothing of the site.
          withBody(
            postHead(BODY.length, {
              path,
              headers: index % 2 === 0 ? foreign : { Origin: foreign.Origin, ...close },
            }),
          ),
        ] as const,
    );
    await sendAll(field, requests, (status) => {
      if (status === 200) return 'a foreign page was transcribed';
      return status !== null && (status ?? 0) >= 500 ? `${status}` : null;
    });
    await countOwn(field, paths.slice(0, field.isShort ? 40 : 200));
  },
};

/** Counts the spellings that reach the route at all: with none the attack would prove nothing. */
async function countOwn(field: AttackField, paths: readonly string[]): Promise<void> {
  let reached = 0;
  const requests = paths.map(
    (path) => [path, withBody(postHead(BODY.length, { path, headers: close }))] as const,
  );
  await sendAll(field, requests, (status) => {
    if (status === 200) reached++;
    return null;
  });
  field.figure('spellings that reach the route without an origin', `${reached} of ${paths.length}`);
  if (reached === 0) field.fault('no spelling reached the route: the grammar is of no use');
}

/** Finding 9. */
export const reboundNames: Attack = {
  name: 'names that were pointed at this machine (DNS rebinding)',
  on: 'plain',
  lane: 'requests',
  async run(field) {
    const count = field.isShort ? 60 : 1_000;
    const hosts = fc.sample(foreignHosts, { seed: field.seed, numRuns: count });
    const requests = hosts.map((host, index) => {
      const headers = { Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin', ...close };
      const post = withBody(postHead(BODY.length, { host, headers }));
      const path = ['/', '/api/health', '/metrics', '/openapi.json'][index % 4] ?? '/';
      const get = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      return [host, index % 3 === 0 ? get : post] as const;
    });
    await sendAll(field, requests, (status) =>
      status === 400 || status === 403 ? null : `got ${status}`,
    );
  },
};

/** Heads that are wrong in every way there is. */
export const oddHeads: Attack = {
  name: 'heads of requests made from a grammar: lengths, encodings, repeated and broken fields',
  on: 'plain',
  lane: 'requests',
  async run(field) {
    const count = field.isShort ? 120 : 3_000;
    const heads = fc.sample(requestHeads, { seed: field.seed, numRuns: count });
    const requests = heads.map((head) => [head, withBody(head)] as const);
    await sendAll(field, requests, (status) =>
      status !== null && (status ?? 0) >= 500 ? `got ${status}` : null,
    );
  },
};
