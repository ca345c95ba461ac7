import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The one address that is no request and answer. */
export const REALTIME_PATH = '/v1/realtime';

/**
 * A request that becomes a WebSocket where there is one to become, and is any other request
 * elsewhere. Node asks it once: as soon as a server has WebSockets at all, it takes `Upgrade: h2c`,
 * which programs send along with a POST, for one too, and the body never comes.
 */
export class UpgradeRequest extends IncomingMessage {
  /** Whether it is to become a WebSocket. */
  declare upgrade: boolean;

  constructor(socket: Socket) {
    super(socket);
    let isAsked = false;
    Object.defineProperty(this, 'upgrade', {
      get: () => isAsked && isWebSocket(this),
      set(value: boolean) {
        isAsked = value;
      },
    });
  }
}

function isWebSocket({ method, url = '', headers }: IncomingMessage): boolean {
  // It may stand below a base path, which the routes take off.
  const isRealtime = url.split('?', 1)[0]?.endsWith(REALTIME_PATH) === true;
  return method === 'GET' && isRealtime && headers.upgrade?.toLowerCase() === 'websocket';
}
