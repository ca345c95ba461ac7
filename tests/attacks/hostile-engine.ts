import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { writeForEver } from '../helpers/raw-upstream.ts';
import type { Attack, AttackField } from './attack.ts';
import { numberedSpeech, numberOf } from './numbered-speech.ts';
import { jsonAnswer } from './outside.ts';
import { nameOf } from './post.ts';

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

type Behaviour = readonly [what: string, say: (socket: Socket) => unknown];

/** What hostile speech servers do. */
const BEHAVIOURS: readonly Behaviour[] = [
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
  ['text that is an object', (socket) => socket.write(jsonAnswer({ text: { length: 1e9 } }))],
];

/** Texts of so many characters that a slow rule would be at for minutes. */
const longTexts = (length: number): readonly Behaviour[] =>
  [
    ['spaces between digits', `1${' '.repeat(length)}2`],
    ['digits and spaces', '1 '.repeat(length / 2)],
    ['signs of e-mail', 'a@'.repeat(length / 2)],
    ['letters in a row', 'e'.repeat(length)],
    ['words nobody knows', 'qzx wvk '.repeat(length / 8)],
  ].map(([what = '', words = '']) => [`${length} ${what}`, text(words)]);

/** The server's own process, with what it keeps; children have limits of their own. */
const MOST_GROWTH_BYTES = 350 * MIB;

/** Finding 11. */
export const hostileEngines: Attack = {
  name: 'speech servers that are broken or mean',
  on: 'elsewhere',
  lane: 'outside',
  async run(field, outside) {
    const { memory } = field;
    const before = memory.mostOwnBytes();
    const behaviours = [...BEHAVIOURS, ...longTexts(field.isShort ? 30_000 : 100_000)];
    outside.engineSays((socket, samples) => behaviours[numberOf(samples)]?.[1](socket));
    const asked = behaviours.map(([what], index) => async () => {
      // A text that cannot be masked in 10 s is not handed out.
      const mayBeWithheld = index >= BEHAVIOURS.length;
      for (const outcome of await ask(field, what, index)) {
        const isWithheld = mayBeWithheld && outcome === '500 internal_error';
        if (!/^(200|50[234])\b/.test(outcome) && !isWithheld) field.fault(`${what}: ${outcome}`);
      }
    });
    if (field.isShort) await Promise.all(asked.map((one) => one()));
    else for (const one of asked) await one();
    const growth = memory.mostOwnBytes() - before;
    field.figure('MB its own process grew by', Math.round(growth / 1e6));
    if (growth > MOST_GROWTH_BYTES) {
      field.fault(`its own process grew by ${Math.round(growth / MIB)} MiB`);
    }
  },
};

/** Has recordings recognised by the behaviour of that number; the outcomes' names. */
async function ask(field: AttackField, what: string, index: number): Promise<readonly string[]> {
  const startedMs = performance.now();
  const outcomes = await Promise.all(
    Array.from({ length: field.isShort ? 1 : 5 }, (_, turn) =>
      field.post({
        file: numberedSpeech(index),
        from: index + turn,
        fields: { language: 'sv', removePii: 'true', fixSpelling: 'true' },
      }),
    ),
  );
  const names = outcomes.map(nameOf);
  const seconds = (performance.now() - startedMs) / 1000;
  field.figure(what, `${names[0]} in ${seconds.toFixed(1)} s`);
  return names;
}
