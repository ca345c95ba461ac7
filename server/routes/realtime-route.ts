import fastifyWebsocket from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Clock } from '../../src/core/clock.ts';
import type { Caller } from '../access/callers.ts';
import { ApiError, type ApiErrorCode } from '../core/api-error.ts';
import type { ServerLimits } from '../core/limits.ts';
import type { EngineDescription } from '../engine/engine-port.ts';
import { REALTIME_PATH } from '../http/bare-app.ts';
import { noteFacts } from '../http/request-log.ts';
import { type HeardItem, startRealtimeSession } from '../realtime/realtime-session.ts';
import type { SpeechKernel } from '../realtime/turn-finder.ts';
import { type Admission, type Admitted, createAdmission } from '../scheduling/admission.ts';
import { chooseLanguage } from '../transcription/choose-language.ts';
import type { TranscriptionService } from '../transcription/transcription-service.ts';

/** The end of one item of a connection, in figures and codes. */
type ItemFacts = {
  /** Null for a success. */
  readonly code: ApiErrorCode | null;
  readonly engine: string;
  readonly audioMs: number;
};

/** The parts that the route works with. */
type RealtimeRoutePorts = {
  readonly service: TranscriptionService;
  readonly engine: () => EngineDescription;
  /** The model that finds turns; null where it did not come along. */
  readonly kernel: () => SpeechKernel | null;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  /** Aborts when connections are to end. */
  readonly ending: AbortSignal;
  /** Counts audio that came, with that of all other routes. */
  readonly admission: Admission;
  /** Says who asks, and counts that; throws for a client that may not. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Caller;
  /** Throws for a page that may not: WebSockets know no other protection from foreign pages. */
  readonly requireOrigin: (request: FastifyRequest) => void;
  /** Counts one item; throws when its client has had its share, or there is no room. */
  readonly admitItem: (client: string) => void;
  readonly noteItem: (request: FastifyRequest, client: string, facts: ItemFacts) => void;
};

/** The largest message, in bytes: 16 s of audio. While it comes, nobody counts what it holds. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Answers that wait to be read; who asks and does not read is let go. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** A client that does not answer one ping before the next has gone without a word. */
const PING_EVERY_MS = 30_000;

/**
 * `GET /v1/realtime?intent=transcription`, a WebSocket: OpenAI's Realtime transcription protocol on
 * the engines there are. An item is a recording like any other: same decoders, turns and limits.
 */
export async function addRealtimeRoute(
  app: FastifyInstance,
  ports: RealtimeRoutePorts,
): Promise<void> {
  const { limits, admit, requireOrigin } = ports;
  const { maxUploadsPerClient } = limits;
  const unlimited = Number.POSITIVE_INFINITY;
  const connections = createAdmission({
    maxHeldBytes: unlimited,
    maxHeldBytesPerClient: unlimited,
    maxUploadsPerClient,
  });
  const callers = new WeakMap<FastifyRequest, Caller>();

  await app.register(fastifyWebsocket, {
    options: {
      maxPayload: MAX_MESSAGE_BYTES,
      // The other name a browser sends is its token.
      handleProtocols: (names) => (names.has('realtime') ? 'realtime' : false),
    },
    // Sessions end by `ending`, with what they had under way.
    preClose: (done) => done(),
    // Too large a message, or no WebSocket: it has said so and closes.
    errorHandler: (_error, socket) => endSoon(socket, ports),
  });
  app.addHook('onClose', async () => app.websocketServer.close());

  app.route({
    method: 'GET',
    url: REALTIME_PATH,
    exposeHeadRoute: false,
    async preValidation(request, reply) {
      requireOrigin(request);
      readQuery(request);
      const caller = admit(request, reply);
      if (!request.ws) {
        throw new ApiError(400, 'request_invalid', 'This address takes a WebSocket only.');
      }
      ports.service.requireRoom(caller.client);
      const connection = connections.enter(caller.client);
      request.raw.socket.once('close', () => connection.leave());
      if (request.raw.socket.destroyed) connection.leave();
      callers.set(request, caller);
    },
    handler: async () => undefined,
    wsHandler(socket, request) {
      const caller = callers.get(request);
      if (caller === undefined) return socket.terminate();
      noteFacts(request, { isUpgraded: true });
      serve(socket, request, caller.client, ports);
    },
  });
}

function serve(
  socket: WebSocket,
  request: FastifyRequest,
  client: string,
  ports: RealtimeRoutePorts,
): void {
  const { service, engine, limits, clock, ending, admission } = ports;
  const browser = request.headers['accept-language'];
  /** Nothing is read of a client that is held, no answer to a ping either. */
  let isWaiting = false;
  const session = startRealtimeSession({
    clock,
    language: readQuery(request).language,
    limits: {
      maxAudioMs: limits.maxAudioMs,
      maxItemBytes: limits.maxUploadBytes,
      maxConnectionAudioMs: limits.maxRealtimeAudioMs,
      firstEventMs: limits.headTimeoutMs,
      idleMs: limits.realtimeIdleMs,
    },
    send(event) {
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
      else socket.send(JSON.stringify(event));
    },
    hold(isHeld) {
      isWaiting = isHeld;
      if (isHeld) socket.pause();
      else socket.resume();
    },
    close(code, reason) {
      socket.close(code, reason);
      endSoon(socket, ports);
    },
    kernel: ports.kernel,
    enter: (): Admitted => admission.enter(client),
    requireRoom() {
      ports.admitItem(client);
      service.requireRoom(client);
    },
    checkLanguage: (language) => void chooseLanguage(language, engine(), browser),
    async transcribe(file, asked, signal): Promise<HeardItem> {
      const job = { file, ...NO_RULES, language: chooseLanguage(asked, engine(), browser) };
      try {
        const answer = await service.transcribe(client, job, signal, 'stop');
        const { durationMs, transcription: text } = answer;
        const facts = { code: null, engine: answer.engine, audioMs: durationMs };
        ports.noteItem(request, client, facts);
        return { text, durationMs };
      } catch (error) {
        noteFailure(request, client, error, ports);
        throw error;
      }
    },
  });
  const stop = () => session.stop();
  const cancelPing = keepAlive(socket, clock, () => isWaiting);
  ending.addEventListener('abort', stop, { once: true });
  socket.on('message', (data, isBinary) => session.receive(isBinary ? '' : String(data)));
  socket.once('close', () => {
    ending.removeEventListener('abort', stop);
    cancelPing();
    session.end();
  });
  if (ending.aborted) stop();
}

const NO_RULES = { removePii: false, fixSpelling: false, fast: true, rank: 'final' } as const;

function noteFailure(
  request: FastifyRequest,
  client: string,
  error: unknown,
  { noteItem }: RealtimeRoutePorts,
): void {
  const code = error instanceof ApiError ? error.code : 'internal_error';
  const cause = error instanceof ApiError ? error.cause : error;
  const isOurs = !(error instanceof ApiError) || error.status >= 500;
  if (isOurs && cause !== undefined) request.log.error({ err: cause }, code);
  noteItem(request, client, { code, engine: '', audioMs: 0 });
}

/** `intent` may be left out: there is nothing else here. Other servers take a `language`, too. */
function readQuery(request: FastifyRequest): { readonly language: string } {
  const { intent, language = '' } = request.query as Readonly<Record<string, unknown>>;
  if (intent !== undefined && intent !== 'transcription') {
    const message = 'This server only writes down speech: intent must be transcription.';
    throw new ApiError(400, 'request_invalid', message);
  }
  if (typeof language === 'string') return { language };
  throw new ApiError(400, 'request_invalid', 'Only one language can be asked for.');
}

/** Ends a connection whose client does not close its side. */
function endSoon(socket: WebSocket, { clock, limits }: RealtimeRoutePorts): void {
  const cancel = clock.after(limits.lingerMs, () => socket.terminate());
  socket.once('close', cancel);
}

function keepAlive(socket: WebSocket, clock: Clock, isWaiting: () => boolean): () => void {
  let isAlive = true;
  let cancel = () => {};
  const look = () => {
    cancel = clock.after(PING_EVERY_MS, () => {
      if (!isAlive && !isWaiting()) {
        socket.terminate();
        return;
      }
      isAlive = false;
      socket.ping();
      look();
    });
  };
  socket.on('pong', () => {
    isAlive = true;
  });
  look();
  return () => cancel();
}
