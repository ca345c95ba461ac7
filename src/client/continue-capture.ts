import * as Comlink from 'comlink';
import type { ActiveSession } from './active-session.ts';

/**
 * Another worklet goes on with a session's recording, since the one before was stuck: its frames go
 * to whichever worker has the session, from the first sample on that it does not have.
 */
export function continueCapture({ id, worker, capture }: ActiveSession): void {
  const { port1, port2 } = new MessageChannel();
  capture?.reconnect(port2);
  let framePort: MessagePort | null = port1;
  const given = worker.call(async (api) => {
    const port = framePort;
    framePort = null;
    // A worker that takes over instead gets a port of its own.
    if (port) await api.reconnect(id, Comlink.transfer(port, [port]));
  });
  given.catch(() => {}); // No worker goes on: reported elsewhere.
}
