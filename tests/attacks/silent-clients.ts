import { formBody, postHead } from '../helpers/raw-http.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack } from './attack.ts';
import { expectGone, type OpenConnections, openConnections } from './open-connections.ts';

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
