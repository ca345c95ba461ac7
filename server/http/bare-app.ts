import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { type AccessOptions, guardHosts } from '../access/callers.ts';
import { trustOf } from '../access/trusted-proxies.ts';
import type { ServerLimits } from '../core/limits.ts';
import { createBrokenHttpAnswer, endAndDestroy, sendError } from './error-answers.ts';
import { requestId } from './request-log.ts';

/** The headers of every answer: isolation (for WASM threads), no sniffing, no leaking. */
const ALWAYS: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'microphone=(self), display-capture=(self)',
};

/**
 * The policy of the pages' service worker: fetch from here, and show the icon of a notification. It is
 * one script, and runs no other.
 */
export const SERVICE_WORKER_POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "img-src 'self'",
].join('; ');

/** Adds the headers to every answer of the app; answers of the API are never stored. */
function addResponseHeaders(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    reply.headers(ALWAYS);
    reply.header('x-request-id', request.id);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
}

/** The one address that is no request and answer. */
export const REALTIME_PATH = '/v1/realtime';

/**
 * A request that becomes a WebSocket where there is one to become, and is any other request
 * elsewhere. Node asks it once: as soon as a server has WebSockets at all, it takes `Upgrade: h2c`,
 * which programs send along with a POST, for one too, and the body never comes.
 */
class UpgradeRequest extends IncomingMessage {
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

/** Connections that have got their last answer while their request still came. */
export type LingeringClose = ReturnType<typeof createLingeringClose>;

/**
 * Ends connections whose answer was given before the whole request had come (401, 413, 503...):
 * nobody wants the rest, and a client that never sends it would hold the connection. Our side ends
 * after the answer. Data that comes within `lingerMs` is thrown away: a client that is cut off
 * while it sends never reads the answer. Then the socket is destroyed.
 */
function createLingeringClose(lingerMs: number) {
  const lingering = new Set<Socket>();
  return {
    /**
     * Makes the answer that goes out now the connection's last, if the request has not come whole.
     */
    endIfEarly(request: FastifyRequest, reply: FastifyReply) {
      if (request.raw.complete) return;
      reply.header('connection', 'close');
      const { socket } = request.raw;
      // Node calls this when an answer with this header is out.
      socket.destroySoon = () => {
        lingering.add(socket);
        socket.once('close', () => lingering.delete(socket));
        endAndDestroy(socket, lingerMs);
      };
    },
    /** Fulfilled when those there are now have gone. */
    gone: async (): Promise<void> => {
      const closed = [...lingering].map(
        (socket) => new Promise((done) => socket.once('close', done)),
      );
      await Promise.all(closed);
    },
  };
}

/** Fastify's own option. */
export type LoggerOption = Exclude<FastifyServerOptions['logger'], undefined>;

/** The options of each of a server's ports. */
type BareAppOptions = {
  readonly access: AccessOptions;
  readonly limits: ServerLimits;
  readonly logger: LoggerOption;
  /** Taken off the front of every address that has it. @default '' */
  readonly basePath?: string;
};

/** An app without routes, and the connections it is about to let go. */
type BareApp = { readonly app: FastifyInstance; readonly lingering: LingeringClose };

/** Time-outs of heads and bodies are looked at this often. */
const LOOK_EVERY_MS = 1_000;

/** Node's own end of a body, where no route reads it. A route's comes first and says more. */
const LATEST_BODY_MS = 10_000;

/**
 * An app without routes: who it answers to, how long a request may take, ids, headers and broken
 * HTTP. The hooks of `before` come ahead of all others and so see each request.
 */
export function createBareApp(
  { access, limits, logger, basePath = '' }: BareAppOptions,
  before: (app: FastifyInstance) => void = () => undefined,
): BareApp {
  const lingering = createLingeringClose(limits.lingerMs);
  const app = fastify({
    logger: withoutHeaders(logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request),
    trustProxy: trustOf(access.trustProxy),
    rewriteUrl: ({ url = '/' }) => withoutBase(url, basePath),
    connectionTimeout: limits.idleMs,
    requestTimeout: limits.bodyTimeoutMs + LATEST_BODY_MS,
    http: {
      connectionsCheckingInterval: LOOK_EVERY_MS,
      headersTimeout: limits.headTimeoutMs,
      IncomingMessage: UpgradeRequest,
    },
    // `preClose` has waited for the answers by then; what is left are browsers' spare connections,
    // which would hold up the end for a minute.
    forceCloseConnections: true,
    // Otherwise Fastify gives `preClose` up after 10 s, cuts running requests off and calls that an
    // error. The length of a stop is for the operator to set (STOP_S).
    pluginTimeout: 0,
    // Ours say the same in the form of every other error.
    return503OnClosing: false,
    clientErrorHandler: createBrokenHttpAnswer(limits.lingerMs),
    // No hook hears of these, such as an address that cannot be read.
    frameworkErrors(error, request, reply) {
      lingering.endIfEarly(request, reply);
      sendError(error, request, reply);
    },
  });
  before(app);
  app.addHook('onSend', async (request, reply) => lingering.endIfEarly(request, reply));
  endRefusedUpgrades(app);
  addResponseHeaders(app);
  guardHosts(app, access);
  return { app, lingering };
}

/**
 * Lets go of the connection of a WebSocket that was refused: nobody reads from it any more, so
 * nobody would see that it has ended.
 */
function endRefusedUpgrades(app: FastifyInstance): void {
  app.addHook('onResponse', async ({ raw }) => {
    if (raw instanceof UpgradeRequest && raw.upgrade) raw.socket.destroySoon();
  });
}

/**
 * The address as the routes know it. A proxy may have taken the base path off already, and probes
 * come without it.
 */
function withoutBase(url: string, basePath: string): string {
  return basePath !== '' && url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : url;
}

/** At its finest level the form parser logs a request's headers, tokens among them. */
function withoutHeaders(logger: LoggerOption): LoggerOption {
  return typeof logger === 'object' ? { redact: ['busboyOptions.headers'], ...logger } : logger;
}
