import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '../drivers/processes.ts';

/** One call of the endpoint as the server saw it. */
export type ServerCall = {
  /** Which call this is, from 0. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  /** Without the audio's fingerprint: the chunk's id, and how often it was doubted. */
  readonly idempotencyKey: string | undefined;
  /** The form's text fields. */
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly name: string; readonly type: string; readonly bytes: number };
};

/** The server's action for a call. */
export type ServerAction =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The work is done and the connection breaks before the answer. */
  | { readonly kind: 'break-off' }
  /** Nothing ever comes. */
  | { readonly kind: 'hang' }
  /** The answer begins and never ends. */
  | { readonly kind: 'stall'; readonly status: number };

/** A transcription server that does what the test says. */
export type TestServer = {
  readonly url: string;
  readonly calls: readonly ServerCall[];
  /** The most calls open at once, of all and of one session. */
  readonly mostOpen: { readonly all: number; readonly perSession: number };
  /** Calls open now. */
  readonly openCalls: number;
  /** Takes the server off the network, and puts it back at the same address. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

/** A 200 answer as the contract has it. */
export function answerText(transcription: string): ServerAction {
  return { kind: 'answer', status: 200, body: JSON.stringify({ transcription, language: 'sv' }) };
}

/** An error answer as the contract has it. */
export function answerError(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): ServerAction {
  const body = JSON.stringify({ error: { code, message: `because of ${code}` } });
  return { kind: 'answer', status, body, headers };
}

/** Starts a real HTTP server on a free port. An asynchronous `behave` takes its time. */
export async function startTestServer(
  behave: (call: ServerCall) => ServerAction | Promise<ServerAction>,
): Promise<TestServer> {
  const calls: ServerCall[] = [];
  const open = new Map<ServerResponse, string>();
  const mostOpen = { all: 0, perSession: 0 };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readCall(request, calls.length);
    calls.push(call);
    const session = call.idempotencyKey?.split(':')[0] ?? '';
    open.set(response, session);
    response.on('close', () => open.delete(response));
    const ofSession = [...open.values()].filter((other) => other === session);
    mostOpen.all = Math.max(mostOpen.all, open.size);
    mostOpen.perSession = Math.max(mostOpen.perSession, ofSession.length);
    act(response, await behave(call));
  };

  const create = (): Server =>
    createServer((request, response) => {
      handle(request, response).catch(() => response.destroy());
    });
  let server = create();
  const port = await freePort();
  await listen(server, port);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  return {
    url: `http://127.0.0.1:${port}/api/asr/vad`,
    calls,
    mostOpen,
    get openCalls() {
      return open.size;
    },
    goDown: close,
    async comeBack() {
      server = create();
      await listen(server, port);
    },
    close,
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

async function readCall(request: IncomingMessage, index: number): Promise<ServerCall> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { headers } = request;
  const form = await new Response(Buffer.concat(parts), {
    headers: { 'Content-Type': String(headers['content-type']) },
  }).formData();
  const entries = [...form.entries()];
  const file = form.get('audioFile');
  return {
    index,
    method: request.method ?? '',
    path: request.url ?? '',
    idempotencyKey: headers['idempotency-key']?.toString().replace(/@[0-9a-z]+/, ''),
    fields: Object.fromEntries(
      entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
    file:
      file instanceof File
        ? { name: file.name, type: file.type, bytes: file.size }
        : { name: '', type: '', bytes: 0 },
  };
}

function act(response: ServerResponse, action: ServerAction): void {
  switch (action.kind) {
    case 'answer':
      response.writeHead(action.status, { 'Content-Type': 'application/json', ...action.headers });
      response.end(action.body);
      break;
    case 'break-off':
      response.destroy();
      break;
    case 'hang':
      break;
    case 'stall':
      response.writeHead(action.status, { 'Content-Type': 'application/json' });
      response.write('{"transcription": "half');
      break;
  }
}
