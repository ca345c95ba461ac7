import fc from 'fast-check';
import { formBody, postHead } from '../helpers/raw-http.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack, AttackField } from './attack.ts';
import { exchange } from './post.ts';
import { foreignHosts, pathSpellings, requestHeads } from './spelling-grammar.ts';

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

/** How many of the spellings get to the route at all: with none the attack would prove nothing. */
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
