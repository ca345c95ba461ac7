import { WebSocket } from 'ws';
import type { Attack, AttackField } from './attack.ts';

/** The first event may take 15 s, and a connection that is refused lingers 2 s. */
const GONE_WITHIN_MS = 40_000;

const HANDSHAKE_MS = 10_000;
const UPDATE = JSON.stringify({ type: 'session.update', session: {} });
const HALF_APPEND = `{"type":"input_audio_buffer.append","audio":"${'A'.repeat(400_000)}`;

/** Messages to send on an open connection, and the close codes allowed. */
type Trick = {
  readonly name: string;
  readonly ends: readonly number[];
  readonly send: (socket: WebSocket) => void;
};

const TRICKS: readonly Trick[] = [
  { name: 'silence', ends: [1000], send: () => undefined },
  { name: 'garbage', ends: [1008], send: (socket) => times(200, () => socket.send('{"type":')) },
  {
    name: 'deep JSON',
    ends: [1008],
    send: (socket) => times(60, () => socket.send('['.repeat(1e5))),
  },
  {
    name: 'half an event',
    ends: [1008],
    send: (socket) => times(60, () => socket.send(HALF_APPEND)),
  },
  {
    name: 'bytes',
    ends: [1008],
    send: (socket) => times(60, () => socket.send(Buffer.alloc(1_000))),
  },
  {
    name: 'a huge frame',
    ends: [1009],
    send: (socket) => socket.send('x'.repeat(8 * 1024 * 1024)),
  },
  {
    name: 'audio without end',
    ends: [1009, 1013],
    send: (socket) => {
      const audio = Buffer.alloc(720_000).toString('base64');
      times(50, () => socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio })));
    },
  },
  {
    name: 'commits without audio',
    // The word of the end is lost where the connection is cut while it still sends.
    ends: [1006, 1008],
    send: (socket) => times(200, () => socket.send('{"type":"input_audio_buffer.commit"}')),
  },
  {
    name: 'updates, and no answer is read',
    // It is cut off for what it does not read, or shown out for the number of them.
    ends: [1006, 1008],
    send: (socket) => {
      socket.pause();
      times(11_000, () => socket.send(UPDATE));
      setTimeout(() => socket.resume(), 2_000);
    },
  },
];

/** Connections of `/v1/realtime` that say nothing, too much, or nonsense. */
export const realtimeTricks: Attack = {
  name: 'realtime connections that say nothing, too much, or nonsense',
  on: 'plain',
  lane: 'silence',
  async run(field) {
    const each = field.isShort ? 2 : 8;
    await Promise.all(
      TRICKS.flatMap((trick, index) =>
        Array.from({ length: each }, () => play(field, trick, field.address(20 + index))),
      ),
    );
    await manyAtOnce(field);
  },
};

async function play(field: AttackField, { name, ends, send }: Trick, from: string): Promise<void> {
  const socket = open(field, from);
  const closed = new Promise<number | null>((resolve) => {
    socket.once('close', resolve);
    setTimeout(() => resolve(null), GONE_WITHIN_MS).unref();
  });
  socket.on('error', () => undefined);
  socket.once('open', () => send(socket));
  const code = await closed;
  field.count(`${name}: ${code ?? 'held'}`);
  if (code === null) field.fault(`${name}: the connection was still held`);
  else if (!ends.includes(code)) field.fault(`${name}: closed with ${code}`);
  socket.terminate();
}

/** More than one client may have: the others are refused with 429, and none is forgotten. */
async function manyAtOnce(field: AttackField): Promise<void> {
  const from = field.address(39);
  const sockets = Array.from({ length: 60 }, () => open(field, from));
  const outcomes = await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<string>((resolve) => {
          socket.once('open', () => resolve('open'));
          socket.once('error', ({ message }) => resolve(message));
          socket.once('close', () => resolve('closed'));
        }),
    ),
  );
  for (const outcome of outcomes) field.count(outcome);
  const opened = outcomes.filter((outcome) => outcome === 'open').length;
  const refused = outcomes.filter((outcome) => outcome.includes('429')).length;
  if (opened !== 32 || refused !== 28) field.fault(`${opened} opened and ${refused} were refused`);
  for (const socket of sockets) socket.terminate();
}

function open({ target }: AttackField, localAddress: string): WebSocket {
  const url = `${target.server.url.replace('http', 'ws')}/v1/realtime?intent=transcription`;
  return new WebSocket(url, {
    localAddress,
    headers: target.headers(localAddress),
    handshakeTimeout: HANDSHAKE_MS,
  });
}

function times(count: number, act: () => void): void {
  for (let done = 0; done < count; done++) act();
}
