import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { writeForEver } from '../helpers/raw-upstream.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack } from './attack.ts';
import { jsonAnswer } from './outside.ts';
import { nameOf } from './post.ts';

const SPEECH = waveFile(16_000, tone(440, 16_000, 0.5));
const MIB = 1024 * 1024;
const JSON_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const SPACES = Buffer.alloc(64 * 1024, 0x20);
const chunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const forEver = (head: string, bytes: Uint8Array) => (socket: Socket) => {
  socket.write(head);
  writeForEver(socket, bytes);
};
const drip = (head: string) => (socket: Socket) => {
  socket.write(head);
  const timer = setInterval(() => socket.write('a'), 20);
  socket.on('close', () => clearInterval(timer));
};
const text = (words: string) => (socket: Socket) => socket.write(jsonAnswer({ text: words }));

/** What a hostile speech server does, and how long the text rules may have for what it says. */
const BEHAVIOURS: readonly (readonly [string, (socket: Socket) => unknown])[] = [
  ['a body for ever', forEver(`${JSON_HEAD}transfer-encoding: chunked\r\n\r\n`, chunk(SPACES))],
  ['a body without length or end', forEver(`${JSON_HEAD}connection: close\r\n\r\n`, SPACES)],
  [
    'gzip of 64 MiB for ever',
    forEver(
      `${JSON_HEAD}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n`,
      chunk(gzipSync(Buffer.alloc(64 * MIB, 0x20))),
    ),
  ],
  ['headers for ever', forEver('HTTP/1.1 200 OK\r\n', Buffer.from(`x: ${'a'.repeat(1_000)}\r\n`))],
  ['headers byte by byte', drip('HTTP/1.1 200 OK\r\nx: ')],
  ['a body byte by byte', drip(`${JSON_HEAD}content-length: 100000\r\n\r\n`)],
  ['silence', () => undefined],
  ['an end', (socket) => socket.destroy()],
  ['no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  [
    'a redirect',
    (socket) =>
      socket.write('HTTP/1.1 307 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
  ],
  [
    'lists in lists',
    (socket) => socket.write(`${JSON_HEAD}content-length: 200000\r\n\r\n${'['.repeat(200_000)}`),
  ],
  ['half of an answer', (socket) => socket.end(`${JSON_HEAD}content-length: 100\r\n\r\n{"text"`)],
  ['100,000 spaces between digits', text(`1${' '.repeat(100_000)}2`)],
  ['100,000 digits and spaces', text('1 '.repeat(50_000))],
  ['100,000 signs of e-mail', text('a@'.repeat(50_000))],
  ['100,000 letters in a row', text('e'.repeat(100_000))],
  ['30,000 words nobody knows', text('qzx wvk '.repeat(15_000))],
  ['text that is an object', (socket) => socket.write(jsonAnswer({ text: { length: 1e9 } }))],
];

/** The server's own process, with what it keeps; children have limits of their own. */
const MOST_GROWTH_BYTES = 350 * MIB;

/** Finding 11. */
export const hostileEngines: Attack = {
  name: 'speech servers that are broken or mean',
  on: 'elsewhere',
  async run(field, outside) {
    const { memory } = field.target;
    const before = memory.mostOwnBytes();
    for (const [what, say] of BEHAVIOURS) {
      outside.engineSays(say);
      const times = field.isShort ? 1 : 5;
      const startedMs = performance.now();
      const outcomes = await Promise.all(
        Array.from({ length: times }, (_, from) =>
          field.post({
            file: SPEECH,
            from,
            fields: { language: 'sv', removePii: 'true', fixSpelling: 'true' },
          }),
        ),
      );
      const seconds = (performance.now() - startedMs) / 1000;
      field.figure(what, `${outcomes.map(nameOf)[0]} in ${seconds.toFixed(1)} s`);
      for (const outcome of outcomes.map(nameOf)) {
        // A text that cannot be masked in 10 s is not handed out.
        const isWithheld = what.startsWith('100,000') && outcome === '500 internal_error';
        if (!/^(200|50[234])\b/.test(outcome) && !isWithheld) field.fault(`${what}: ${outcome}`);
      }
    }
    const growth = memory.mostOwnBytes() - before;
    field.figure('MB its own process grew by', Math.round(growth / 1e6));
    if (growth > MOST_GROWTH_BYTES) {
      field.fault(`its own process grew by ${Math.round(growth / MIB)} MiB`);
    }
  },
};
