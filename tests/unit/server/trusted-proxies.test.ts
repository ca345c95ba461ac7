import { afterEach, describe, expect, test } from 'vitest';
import { clientKey } from '../../../server/access/callers.ts';
import type { TrustedProxies } from '../../../server/access/trusted-proxies.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const WAV = waveFile(16_000, tone(440, 16_000, 0.1));

let server: RunningServer;
afterEach(() => server.close());
const startTrusting = async (trustProxy: TrustedProxies) => {
  server = await startServer({
    engine: createFakeEngine().engine,
    limits: { maxPerMinute: 1 },
    access: { trustProxy },
  });
};
const statusFrom = async (forwardedFor: string) =>
  (await postSpeech(server, speechForm(WAV), { headers: { 'x-forwarded-for': forwardedFor } }))
    .status;

describe('the client behind proxies', () => {
  test.each<[string, TrustedProxies, string, string]>([
    ['one hop', 1, '203.0.113.1', ''],
    ['two hops', 2, '203.0.113.1', ', 10.0.0.2'],
    ['networks', ['loopback', '10.0.0.0/8'], '203.0.113.1', ', 10.0.0.2, 10.1.2.3'],
  ])('%s: thirty forged addresses in front are one client', async (_, trusted, client, behind) => {
    await startTrusting(trusted);
    expect(await statusFrom(`${client}${behind}`)).toBe(200);
    for (let forged = 0; forged < 30; forged++) {
      expect(await statusFrom(`198.51.100.${forged}, ${client}${behind}`)).toBe(429);
    }
    expect(await statusFrom(`203.0.113.2${behind}`)).toBe(200);
  });

  test('words that are no address are not believed', async () => {
    await startTrusting(1);
    expect(await statusFrom('203.0.113.9')).toBe(200);
    // The proxy's own address stands for whoever it could not name.
    expect(await statusFrom('unknown')).toBe(200);
    for (const word of ['_hidden', 'x', '1.2.3', '300.1.1.1', 'a.b.c.d', "'; --", '::g']) {
      expect(await statusFrom(word)).toBe(429);
    }
  });

  test('an address with its port is that address', async () => {
    await startTrusting(1);
    expect(await statusFrom('203.0.113.1:4711')).toBe(200);
    expect(await statusFrom('203.0.113.1')).toBe(429);
    expect(await statusFrom('[2001:db8::1]:4711')).toBe(200);
    expect(await statusFrom('2001:db8::2')).toBe(429);
  });

  test('a network that is not trusted is not believed', async () => {
    await startTrusting(['192.0.2.0/24']);
    expect(await statusFrom('203.0.113.1')).toBe(200);
    expect(await statusFrom('203.0.113.2')).toBe(429);
  });

  test('all addresses of one IPv6 /64 are one client', async () => {
    await startTrusting(1);
    expect(await statusFrom('2001:db8:1:2::1')).toBe(200);
    for (let last = 2; last < 20; last++) {
      expect(await statusFrom(`2001:db8:1:2:${last}::${last}`)).toBe(429);
    }
    expect(await statusFrom('2001:db8:1:3::1')).toBe(200);
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0DB8:0:0:ffff::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['', ''],
])('the key of %s is %s', async (address, key) => {
  await startTrusting(false);
  expect(clientKey(address)).toBe(key);
});
