import fc from 'fast-check';
import { spokenAgain } from '../helpers/hostile-mp4.ts';
import { openFiles } from '../helpers/process-family.ts';
import { formBody, postHead, type RawConnection, rawConnection } from '../helpers/raw-http.ts';
import { fixture } from '../helpers/running-server.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack, AttackField } from './attack.ts';
import { rawForm } from './post.ts';

const MIB = 1024 * 1024;
const BODY = formBody(waveFile(16_000, tone(440, 16_000, 0.5)));
const PART = BODY.subarray(0, 75);
const HALF_HEAD = 'POST /api/asr/vad HTTP/1.1\r\nHost: localhost\r\nX-Half: ';

/** The latest end of them all is a trickle's: 20 s of grace, and what its bytes buy. */
const GONE_WITHIN_MS = 90_000;

/** Finding 2. */
export const silentClients: Attack = {
  name: 'clients that announce much and say little or nothing',
  on: 'plain',
  lane: 'silence',
  async run(field) {
    const times = field.isShort ? 1 : 10;
    const open = openConnections(field);
    const chunked = postHead(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
    // Fewer than one address may have at once, so that those of the next kind are let in as well.
    await open(8, 0, postHead(32 * MIB), PART);
    await open(8, 1, chunked, `4b\r\n${PART.toString('latin1')}\r\n`);
    await open(8 * times, 2, '');
    await open(8 * times, 3, HALF_HEAD);
    await open(8 * times, 4, '\u0000\u0001garbage\r\n\r\n');
    await open(8, 5, postHead(32 * MIB, { path: '/api/nothing' }), PART);
    const trickles = [await open(4, 6, postHead(32 * MIB), PART), await open(4, 7, HALF_HEAD)];
    const timer = setInterval(() => {
      for (const some of trickles) drip(some, field.isShort ? 5 : 20);
    }, 100);
    await expectGone(field, GONE_WITHIN_MS);
    clearInterval(timer);
  },
};

/** At most 200 bytes a second: less than the least pace, which is 500. */
function drip(connections: OpenConnections, bytes: number): void {
  for (const { socket } of connections) if (socket.writable) socket.write('x'.repeat(bytes));
}

/** Connections on which somebody says little. */
export type OpenConnections = readonly RawConnection[];

const opened = new WeakMap<AttackField, RawConnection[]>();

/** Opens connections from one of the attack's addresses, and writes the parts on each. */
export function openConnections(field: AttackField) {
  const all: RawConnection[] = [];
  opened.set(field, all);
  return async (
    count: number,
    from: number,
    ...parts: readonly (string | Uint8Array)[]
  ): Promise<OpenConnections> => {
    const some: RawConnection[] = [];
    for (let index = 0; index < count; index++) {
      const connection = await rawConnection(field.target.server.url, '', field.address(from));
      for (const part of parts) if (part.length > 0) connection.socket.write(part);
      some.push(connection);
    }
    all.push(...some);
    return some;
  };
}

/** Waits until the server has told each something and let go of it. */
export async function expectGone(field: AttackField, withinMs: number): Promise<void> {
  const all = opened.get(field) ?? [];
  const startedMs = performance.now();
  const leftMs = () => withinMs - (performance.now() - startedMs);
  field.figure('files the server had open with them', openFiles(field.target.server.pid));
  await Promise.all(
    all.map(async (connection) => {
      const ms = await Promise.race([
        connection.cutOff(),
        new Promise<null>((resolve) => setTimeout(() => resolve(null), leftMs())),
      ]);
      field.count(ms === null ? 'held' : String(connection.status() ?? 'closed without a word'));
      if (ms === null) field.fault(`a connection was still held after ${withinMs} ms`);
      else if (connection.status() === null) field.fault('a connection was closed without a word');
      connection.socket.destroy();
    }),
  );
  field.figure('s until the last was let go', Math.round((performance.now() - startedMs) / 1000));
  field.figure('files open after', openFiles(field.target.server.pid));
}

const SPEAKERS = 8;

/** Finding 7. */
export const pageUnderLoad: Attack = {
  name: 'eight long recordings at once, while somebody opens the page',
  on: 'elsewhere',
  lane: 'load',
  async run(field) {
    const { url } = field.target.server;
    // Seconds of engine time for each, several pieces long.
    const file = await spokenAgain(fixture('speech-en.mp4'), field.isShort ? 6 : 60);
    let ended = 0;
    const recordings = Array.from({ length: SPEAKERS }, async (_, from) => {
      const outcome = await field.post({ file, from });
      ended++;
      if (outcome.kind !== 'answered' || outcome.status !== 200) field.fault('a recording failed');
    });
    await isBusy(url);
    const pages = field.isShort ? 10 : 40;
    const headers = field.target.headers(field.address());
    const timesMs: number[] = [];
    for (let page = 0; page < pages; page++) {
      const startedMs = performance.now();
      const { status } = await fetch(`${url}/`, { headers });
      timesMs.push(performance.now() - startedMs);
      if (status !== 200) field.fault(`the page got ${status}`);
    }
    field.figure('ms for the slowest page', Math.round(Math.max(...timesMs)));
    field.figure('recordings ended before the last page', ended);
    if (ended > SPEAKERS / 2) field.fault(`${pages} pages took as long as ${ended} recordings`);
    await Promise.all(recordings);
  },
};

/** Fulfilled when all places are taken. */
async function isBusy(url: string): Promise<void> {
  for (let look = 0; look < 500; look++) {
    const { queue } = (await (await fetch(`${url}/api/health`)).json()) as {
      queue: { running: number };
    };
    if (queue.running >= SPEAKERS) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the places were never taken');
}

/** A forged X-Forwarded-For of the client's own; the proxy adds its entry after it. */
const lies = fc
  .array(
    fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom(
        '',
        ' ',
        'unknown',
        '127.0.0.1',
        '::1',
        '_hidden',
        '"[::1]:80"',
        '10.0.0.1:99',
        'localhost',
        '0',
        '%00',
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((words) => words.join(', '));

/** One address may have 600 a minute: those at once, and ten more for each second. */
const SHARE = 600;
const MORE_PER_S = 10;
const TOO_MANY = 100;
const LANES = 8;

/** Finding 8. */
export const forwardedLies: Attack = {
  name: 'a client that writes other addresses into X-Forwarded-For',
  on: 'elsewhere',
  lane: 'load',
  async run(field) {
    const told = fc.sample(lies, { seed: field.seed, numRuns: 1_000 });
    const own = field.address();
    // Nothing is in it, so that each costs next to nothing and counts all the same.
    const raw = await rawForm();
    const startedMs = performance.now();
    const allowed = () =>
      SHARE + MORE_PER_S * Math.ceil((performance.now() - startedMs) / 1000) + LANES;
    let passed = 0;
    let sent = 0;
    const lane = async () => {
      // A slow machine gives the client more time for its share, and it must send more than that.
      while (sent < allowed() + TOO_MANY) {
        const headers = { 'x-forwarded-for': `${told[sent++ % told.length]}, ${own}` };
        const outcome = await field.post({ raw, headers });
        if (outcome.kind === 'answered' && outcome.status !== 429) passed++;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    field.figure('let in', `${passed} of ${sent}`);
    if (passed > allowed()) field.fault(`${passed} were let in, ${allowed()} at most may be`);
    if (passed < SHARE) field.fault(`only ${passed} were let in: the attack did not get that far`);
  },
};
