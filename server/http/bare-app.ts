import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { AccessOptions } from '../access/access-options.ts';
import { guardHosts } from '../access/hosts.ts';
import { trustOf } from '../access/trusted-proxies.ts';
import type { ServerLimits } from '../core/limits.ts';
import { createBrokenHttpAnswer, sendError } from './error-answers.ts';
import { createLingeringClose, type LingeringClose } from './lingering-close.ts';
import { requestId } from './request-ids.ts';
import { addResponseHeaders } from './response-headers.ts';
import { UpgradeRequest } from './upgrade-requests.ts';

/** Fastify's own option. */
export type LoggerOption = Exclude<FastifyServerOptions['logger'], undefined>;

/** What each of a server's ports goes by. */
export type BareAppOptions = {
  readonly access: AccessOptions;
  readonly limits: ServerLimits;
  readonly logger: LoggerOption;
  /** Taken off the front of every address that has it. @default '' */
  readonly basePath?: string;
};

/** An app without routes, and the connections it is about to let go. */
export type BareApp = { readonly app: FastifyInstance; readonly lingering: LingeringClose };

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
    // Else Fastify gives `preClose` up after 10 s, cuts what runs off and calls that an error. How
    // long a stop may take is for whoever stops us (STOP_S).
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
