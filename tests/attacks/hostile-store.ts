import type { Socket } from 'node:net';
import { writeForEver } from '../helpers/raw-upstream.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack } from './attack.ts';
import { bulk, type StoreBehaviour } from './outside.ts';
import { nameOf } from './post.ts';

const SPEECH = waveFile(16_000, tone(440, 16_000, 0.5));
const MIB = 1024 * 1024;

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

const BEHAVIOURS: readonly (readonly [string, StoreBehaviour])[] = [
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
const MOST_GROWTH_BYTES = 250 * MIB;

/** Finding 12, the store. */
export const hostileStores: Attack = {
  name: 'a store that is broken, mean or poisoned',
  on: 'elsewhere',
  lane: 'outside',
  async run(field, outside) {
    const { memory } = field;
    const before = memory.mostOwnBytes();
    let sent = 0;
    for (const [what, say] of BEHAVIOURS) {
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
    if (growth > MOST_GROWTH_BYTES) {
      field.fault(`its own process grew by ${Math.round(growth / MIB)} MiB`);
    }
  },
};
