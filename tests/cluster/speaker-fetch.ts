import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

/** What came back for a request. */
export type SeenAnswer = {
  /** 0: nothing did. */
  readonly status: number;
  /** The error's code: the API's, or the system's when nothing came; '' for a success. */
  readonly code: string;
  readonly hasRetryAfter: boolean;
};

/** Spare connections are let go before the balancer does. */
const IDLE_MS = 30_000;

/**
 * A `fetch` that goes out from `address`, one of this machine's own (127.0.0.0/8), and asks for the
 * name `host`, so that the servers see as many clients as there are. `onPosted` is told how each
 * POST ended.
 */
export function createSpeakerFetch(
  address: string,
  host: string,
  onPosted: (answer: SeenAnswer) => void,
): typeof fetch {
  const agent = new Agent({ keepAlive: true, localAddress: address, timeout: IDLE_MS });

  return async (url, init = {}) => {
    const isPost = init.method === 'POST';
    // Brings the form into bytes, with its boundary.
    const packed = new Request('http://form', { method: 'POST', body: init.body ?? '' });
    const body = isPost ? Buffer.from(await packed.arrayBuffer()) : null;
    const headers: Record<string, string | number> = { host };
    new Headers(init.headers).forEach((value, name) => {
      headers[name] = value;
    });
    if (body !== null) {
      headers['content-type'] = packed.headers.get('content-type') ?? '';
      headers['content-length'] = body.length;
    }
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const { method = 'GET', signal = null } = init;
        const options = { method, agent, headers, ...(signal === null ? {} : { signal }) };
        httpRequest(String(url), options, resolve).on('error', reject).end(body);
      });
      const response = await read(answer);
      if (isPost) onPosted(await seen(response.clone()));
      return response;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (isPost) onPosted({ status: 0, code, hasRetryAfter: false });
      throw error;
    }
  };
}

async function read(answer: IncomingMessage): Promise<Response> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
  return new Response(Buffer.concat(parts), { status, statusText, headers });
}

async function seen(response: Response): Promise<SeenAnswer> {
  const { status, headers } = response;
  const code = /"code":"(\w+)"/.exec(response.ok ? '' : await response.text())?.[1] ?? '';
  return { status, code, hasRetryAfter: headers.has('retry-after') };
}
