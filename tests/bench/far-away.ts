import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../drivers/processes.ts';

/** A server seen from afar: what goes there and comes back is on its way for `rttMs` in all. */
export type FarServer = { readonly url: string; close(): void };

/** Puts a server of this machine at the end of a long line, with all the bandwidth there is. */
export async function moveFarAway(port: number, rttMs: number): Promise<FarServer> {
  const sockets = new Set<Socket>();
  const far = createServer((near) => {
    const there = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, there],
      [there, near],
    ] as const) {
      sockets.add(from);
      const later = (run: () => void) => setTimeout(run, rttMs / 2);
      from.on('data', (bytes) => later(() => to.writable && to.write(bytes)));
      from.on('end', () => later(() => to.end()));
      from.on('error', () => to.destroy());
    }
  });
  const chosen = await freePort();
  await new Promise<void>((resolve) => far.listen(chosen, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${chosen}`,
    close() {
      far.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
