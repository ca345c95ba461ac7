import { afterEach, expect, test } from 'vitest';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { type RawConnection, rawConnection } from '../../helpers/raw-http.ts';
import { type RunningServer, startServer } from '../../helpers/running-server.ts';

const GET = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';

let server: RunningServer;
let connections: RawConnection[] = [];
afterEach(async () => {
  for (const { socket } of connections) socket.destroy();
  connections = [];
  await server.close();
});

async function start(access: AppOptions['access'] = {}) {
  const limits = { maxConnectionsPerAddress: 3, lingerMs: 300 };
  server = await startServer({ engine: createFakeEngine().engine, limits, access: access ?? {} });
}
async function open(from: string) {
  const connection = await rawConnection(server.url, GET, from);
  connections.push(connection);
  return connection;
}
async function statusesOf(count: number, from: string) {
  const statuses: (number | null)[] = [];
  for (let opened = 0; opened < count; opened++) {
    const connection = await open(from);
    await expect.poll(connection.status).not.toBe(null);
    statuses.push(connection.status());
  }
  return statuses;
}

test('one more of an address gets 429 and when to come, is let go, and no other address feels it', async () => {
  await start();
  expect(await statusesOf(4, '127.0.0.2')).toEqual([200, 200, 200, 429]);
  const refused = connections[3]!;
  await expect.poll(refused.text).toMatch(/retry-after: \d[\s\S]*connection/i);
  expect(refused.text()).toMatch(/connection: close/i);
  expect(await refused.cutOff()).toBeLessThan(5_000);
  expect(await statusesOf(1, '127.0.0.3')).toEqual([200]);
  connections[0]?.socket.destroy();
  await expect.poll(async () => (await statusesOf(1, '127.0.0.2'))[0]).toBe(200);
});

test('one too many that says nothing is let go, and of very many most at once', async () => {
  await start();
  const silent = await Promise.all(
    Array.from({ length: 60 }, () => rawConnection(server.url, '', '127.0.0.2')),
  );
  connections.push(...silent);
  const startedMs = performance.now();
  await Promise.all(silent.slice(3).map((connection) => connection.cutOff()));
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect(await statusesOf(1, '127.0.0.3')).toEqual([200]);
});

test.each<[string, AppOptions['access']]>([
  ['a network', { trustProxy: ['127.0.0.2/32'] }],
  ['a number of hops', { trustProxy: 1 }],
])('a trusted proxy, known by %s, may have any number', async (_, access) => {
  await start(access);
  expect(await statusesOf(8, '127.0.0.2')).toEqual(Array(8).fill(200));
});

test('an address that is no trusted proxy is counted whatever it says of itself', async () => {
  await start({ trustProxy: ['10.0.0.0/8'] });
  await statusesOf(3, '127.0.0.2');
  const head = GET.replace('\r\n\r\n', '\r\nX-Forwarded-For: 10.0.0.7\r\n\r\n');
  const fourth = await rawConnection(server.url, head, '127.0.0.2');
  connections.push(fourth);
  await expect.poll(fourth.status).toBe(429);
});
