import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ApiErrorCode } from '../core/api-error.ts';
import { isApiPath, isOpenAiPath, noteFacts } from './request-log.ts';

/** The colours are those of the pages (`src/widget/styles/tokens.css`). */
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; box-sizing: border-box;
  background: light-dark(#fbfaf7, #16181a); color: light-dark(#1c2024, #eceae4); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 8px; font-size: 1.25rem; line-height: 1.2; text-wrap: balance; }
a { color: light-dark(#0b6b5d, #6fd3c0); }
[lang="en"] { margin-top: 24px; }
`;

/** A page for a person who has followed a wrong link, in both languages. */
const NOT_FOUND_PAGE = `<!doctype html>
<html lang="sv">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sidan finns inte – Diktera</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Sidan finns inte</h1>
<p>Kontrollera adressen, eller fråga den som gav dig länken.</p>
<div lang="en">
<h1>This page does not exist</h1>
<p>Check the address, or ask whoever gave you the link.</p>
</div>
</main>
</body>
</html>
`;

const NOT_FOUND_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Answers `error` in the way of the place: JSON under `/api/`, OpenAI's JSON under `/v1/`, a plain
 * line of text elsewhere, but for a browser that looks for a page that is not there.
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const apiError = toApiError(error);
  noteFacts(request, { errorCode: apiError.code });
  // A fault of ours is worth a stack; the causes of a 4xx could quote what the client sent.
  if (apiError.status >= 500 && apiError.cause !== undefined) {
    request.log.error({ err: apiError.cause }, apiError.code);
  }
  if (apiError.retryAfterS !== null) reply.header('retry-after', String(apiError.retryAfterS));
  const range = rangeOf(error);
  if (range !== null) reply.header('content-range', range);
  reply.code(apiError.status);
  if (isOpenAiPath(request.url)) reply.send(apiError.toOpenAiBody());
  else if (isApiPath(request.url)) reply.send(apiError.toBody());
  else if (apiError.status === 404 && wantsPage(request)) {
    reply
      .headers({ 'content-security-policy': NOT_FOUND_POLICY, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(NOT_FOUND_PAGE);
  } else reply.type('text/plain; charset=utf-8').send(`${apiError.message}\n`);
}

/** Programs take whatever comes, or ask for what they can read. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** The length of a file of which a part was asked for that it does not have (416). */
function rangeOf(error: unknown): string | null {
  if (!(error instanceof Error) || statusOf(error) !== 416 || !('headers' in error)) return null;
  const range = new Headers(Object(error.headers)).get('content-range');
  return range !== null && /^bytes \*\/\d+$/.test(range) ? range : null;
}

/** Makes every error of an app answer in this way, also those of routes it does not have. */
export function answerErrors(app: FastifyInstance, methods: ReadonlyMap<string, string>): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const allowed = methods.get(path);
    if (allowed !== undefined) reply.header('allow', allowed);
    sendError(allowed === undefined ? notFound() : methodNotAllowed(allowed), request, reply);
  });
}

/**
 * Makes the raw answer to bytes that are no HTTP, or come too slowly to be any: nothing else can be
 * sent by then. The connection ends `lingerMs` later at the latest.
 */
export function createBrokenHttpAnswer(lingerMs: number): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const { status, reason, said } = brokenHttp('code' in error ? error.code : null);
    const body = JSON.stringify(said.toBody());
    const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
    endAndDestroy(socket, lingerMs, `HTTP/1.1 ${status} ${reason}\r\n${head}\r\n\r\n${body}`);
  };
}

function brokenHttp(code: unknown) {
  const is = (status: number, reason: string, error: ApiErrorCode, message: string) => {
    return { status, reason, said: new ApiError(status, error, message) };
  };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return is(408, 'Request Timeout', 'request_timeout', 'The request came too slowly.');
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const reason = 'Request Header Fields Too Large';
    return is(431, reason, 'request_invalid', 'The headers are too large.');
  }
  return is(400, 'Bad Request', 'request_invalid', 'This is not a valid HTTP request.');
}

/** A route for a method nobody may use, so that a hook of its own answers first (preflights). */
export function refuseMethod(allowed: string) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header('allow', allowed);
    throw methodNotAllowed(allowed);
  };
}

function notFound(): ApiError {
  return new ApiError(404, 'not_found', 'There is nothing at this address.');
}

function methodNotAllowed(allowed: string): ApiError {
  return new ApiError(405, 'method_not_allowed', `This address takes only ${allowed}.`);
}

/** Errors of the framework become ours; an unexpected one gives a generic 500. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const status = statusOf(error);
  if (status === 415) {
    return new ApiError(415, 'not_multipart', 'Send the audio as multipart/form-data.');
  }
  // Static files answer 403 to a path that climbs; there is nothing there either.
  if (status === 403 || status === 404) return notFound();
  if (status >= 400 && status < 500) {
    return new ApiError(status, 'request_invalid', 'The request cannot be understood.');
  }
  return new ApiError(500, 'internal_error', 'Something went wrong in the server.', {
    cause: error,
  });
}

function statusOf(error: unknown): number {
  const status =
    error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : Number.NaN;
  return Number.isInteger(status) ? status : 500;
}

/** Says `lastWord`, ends our side, and destroys the socket after `lingerMs` at the latest. */
export function endAndDestroy(socket: Socket, lingerMs: number, lastWord = ''): void {
  socket.end(lastWord);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
