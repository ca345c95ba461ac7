import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { writeForEver } from '../helpers/raw-upstream.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack, AttackField } from './attack.ts';
import { numberedSpeech, numberOf } from './numbered-speech.ts';
import { bulk, jsonAnswer, type StoreBehaviour } from './outside.ts';
import { nameOf } from './post.ts';

const MIB = 1024 * 1024;

const SPEECH = waveFile(16_000, tone(440, 16_000, 0.5));

/** Says the same to every command but the first ones of a connection. */
const always =
  (say: (socket: Socket) => unknown): StoreBehaviour =>
  (socket, [name = '']) => {
    if (/^(info|client|hello|select)$/i.test(name)) return false;
    say(socket);
    return true;
  };
const writes = (reply: string) => always((socket) => socket.write(reply, 'latin1'));

const FORGED = 'a transcript nobody spoke';

/** The key is taken, and by a value no server wrote; once it is deleted all is as it should be. */
function poisoned(value: string): StoreBehaviour {
  const deleted = new Set<string>();
  return (socket, [name = '', key = '', ...rest]) => {
    const word = name.toLowerCase();
    if (word === 'set' && !deleted.has(key)) socket.write('$-1\r\n');
    else if (word === 'get' && !deleted.has(key)) socket.write(bulk(value), 'latin1');
    else if (word === 'eval' && !deleted.has(rest[1] ?? '')) {
      deleted.add(rest[1] ?? '');
      socket.write(':1\r\n');
    } else return false;
    return true;
  };
}

const STORE_BEHAVIOURS: readonly (readonly [string, StoreBehaviour])[] = [
  ['silence', always(() => undefined)],
  ['an end', always((socket) => socket.destroy())],
  ['errors', writes('-OOM command not allowed\r\n')],
  ['no protocol', writes('HTTP/1.1 200 OK\r\n\r\n')],
  ['numbers', writes(':1\r\n')],
  ['lists', writes('*2\r\n+OK\r\n:1\r\n')],
  ['lists in lists', writes(`${'*1\r\n'.repeat(5_000)}:1\r\n`)],
  ['a list of 4,294,967,295', writes('*4294967295\r\n')],
  [
    'a text of 4 GB that never ends',
    always((socket) => {
      socket.write('$4294967295\r\n');
      writeForEver(socket, Buffer.alloc(64 * 1024, 0x61));
    }),
  ],
  ['more answers than questions', writes(bulk('x').repeat(2_000))],
  ['more nulls than questions', writes('$-1\r\n'.repeat(2_000))],
  ['a null nobody asked for', writes('+OK\r\n$-1\r\n')],
  ['messages of null', writes('+OK\r\n>1\r\n$-1\r\n')],
  ['poison: no JSON', poisoned(`{"state": ${FORGED}`)],
  ['poison: null', poisoned('null')],
  ['poison: a number', poisoned('5')],
  [
    'poison: a forged answer with holes',
    poisoned(
      JSON.stringify({ state: 'done', fingerprint: 'f', answer: { transcription: FORGED } }),
    ),
  ],
  ['poison: of the prototype', poisoned('{"__proto__":{"state":"done","fingerprint":"f"}}')],
  [
    'poison: 4 MB',
    poisoned(JSON.stringify({ state: 'running', fingerprint: 1, owner: 'x'.repeat(4_000_000) })),
  ],
];

/** Beyond what one answer may be read of the store. */
const STORE_GROWTH_BYTES = 250 * MIB;

/** Finding 12, the store. */
export const hostileStores: Attack = {
  name: 'a store that is broken, mean or poisoned',
  on: 'elsewhere',
  lane: 'outside',
  async run(field, outside) {
    const { memory } = field;
    const before = memory.mostOwnBytes();
    let sent = 0;
    for (const [what, say] of STORE_BEHAVIOURS) {
      outside.storeSays(say);
      const startedMs = performance.now();
      for (let turn = 0; turn < (field.isShort ? 1 : 3); turn++) {
        const outcome = await field.post({
          file: SPEECH,
          headers: { 'idempotency-key': `store-${field.seed}-${sent++}` },
        });
        const is = nameOf(outcome);
        if (is !== '200') field.fault(`${what}: ${is}`);
        if (outcome.kind === 'answered' && outcome.transcription === FORGED)
          field.fault(`${what}: a forged transcript was passed on`);
      }
      field.figure(what, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    }
    const growth = memory.mostOwnBytes() - before;
    field.figure('MB its own process grew by', Math.round(growth / 1e6));
    if (growth > STORE_GROWTH_BYTES) {
      field.fault(`its own process grew by ${Math.round(growth / MIB)} MiB`);
    }
  },
};

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

/** Behaviours of hostile speech servers. */
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
