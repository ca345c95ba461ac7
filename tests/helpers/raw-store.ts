import { createServer, type Socket } from 'node:net';

/** A store (Redis's protocol) that says, byte by byte, what a test wants it to. */
export type RawStore = {
  readonly url: string;
  /** Connections that were open and are no more. */
  readonly ended: () => number;
  close(): Promise<void>;
};

/** Starts one on a free port; what `say` leaves alone (false) a healthy one would answer. */
export async function startRawStore(
  say: (socket: Socket, command: string) => boolean,
): Promise<RawStore> {
  const sockets = new Set<Socket>();
  let ended = 0;
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      ended++;
    });
    socket.on('data', (chunk) => {
      const command = chunk.toString();
      if (say(socket, command)) return;
      // Several may come at once, and who asks for none of it takes this reply as well.
      const commands = command.match(/^\*\d+\r\n/gm) ?? [];
      for (const _ of commands) socket.write('$19\r\nredis_version:7.0.0\r\n');
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    ended: () => ended,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        listener.close(() => resolve());
      }),
  };
}
