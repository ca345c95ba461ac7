import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** One request as the stub got it. */
export type UpstreamCall = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The form's fields; files as their bytes. */
  readonly fields: Readonly<Record<string, string | Uint8Array>>;
};

/** The stub's answer to a POST. */
export type UpstreamReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The stub's behaviour: a reply, one by the request, a connection cut off, or no answer at all. */
export type UpstreamBehaviour =
  | UpstreamReply
  | ((call: UpstreamCall) => UpstreamReply)
  | 'cut'
  | 'silent';

/** A real HTTP server in the place of a speech server. */
export type UpstreamStub = {
  readonly url: string;
  readonly calls: readonly UpstreamCall[];
  /** Sets the answers to the next POSTs, in order; the last one repeats. */
  reply(...behaviours: readonly UpstreamBehaviour[]): void;
  /** The answer to GETs. */
  readonly health: { status: number; body: string };
  close(): Promise<void>;
};

/** Starts a stub on a free port that answers `{"text":"hello"}`. */
export async function startUpstreamStub(): Promise<UpstreamStub> {
  const calls: UpstreamCall[] = [];
  const health = { status: 200, body: '{}' };
  let behaviours: readonly UpstreamBehaviour[] = [json(200, { text: 'hello' })];

  async function handle(request: IncomingMessage, response: ServerResponse) {
    if (request.method === 'GET') {
      response.writeHead(health.status, { 'content-type': 'application/json' }).end(health.body);
      return;
    }
    const call = await readCall(request);
    calls.push(call);
    const [next, ...later] = behaviours;
    if (later.length > 0) behaviours = later;
    if (next === 'silent' || next === undefined) return;
    if (next === 'cut') {
      request.socket.destroy();
      return;
    }
    const { status, headers, body } = typeof next === 'function' ? next(call) : next;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    health,
    reply(...next) {
      behaviours = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A JSON reply. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): UpstreamReply {
  return { status, headers, body: JSON.stringify(body) };
}

async function readCall(request: IncomingMessage): Promise<UpstreamCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const type = request.headers['content-type'] ?? '';
  const form = await new Response(Buffer.concat(chunks), {
    headers: { 'content-type': type },
  }).formData();
  const fields: Record<string, string | Uint8Array> = {};
  for (const [name, value] of form.entries()) {
    fields[name] =
      typeof value === 'string' ? value : new Uint8Array(await (value as File).arrayBuffer());
  }
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    fields,
  };
}
