import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A fault of a file server. */
export type FileServerFault =
  /** Cuts every request off after this number of bytes. */
  | { readonly kind: 'cuts'; readonly afterBytes: number }
  /** Says nothing more after so many bytes. */
  | { readonly kind: 'hangs'; readonly afterBytes: number }
  | { readonly kind: 'ignores-ranges' }
  /** Answers 206 with a part that begins elsewhere than asked. */
  | { readonly kind: 'lies-about-ranges' }
  /** Sends a part and says that it is another. */
  | { readonly kind: 'mixes-parts' }
  | { readonly kind: 'wrong-bytes' }
  | { readonly kind: 'too-many-bytes' }
  | { readonly kind: 'shorter' }
  | { readonly kind: 'page' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirects'; readonly to: string }
  | { readonly kind: 'slow'; readonly pieceBytes: number };

/** A server of files in the hands of a test. */
export type FileServer = {
  readonly address: string;
  /** The requests, each as `path range`. */
  readonly asked: string[];
  /** Bytes of files it has sent. */
  sentBytes(): number;
  /** From now on, or for the next so many requests. */
  misbehave(fault: FileServerFault | null, times?: number): void;
};

/** Starts one that serves `files` by the last part of the address. */
export async function startFileServer(files: ReadonlyMap<string, Uint8Array>): Promise<FileServer> {
  let faults: { fault: FileServerFault | null; times: number } = { fault: null, times: 0 };
  let sent = 0;
  const asked: string[] = [];

  function nextFault(): FileServerFault | null {
    if (faults.times-- > 0) return faults.fault;
    return null;
  }

  const server = createServer((request, response) => {
    const name = (request.url ?? '').split('/').at(-1) ?? '';
    asked.push(`${request.url} ${request.headers.range ?? ''}`.trim());
    const file = files.get(name);
    if (file === undefined) response.writeHead(404).end();
    else answer(request, response, file, nextFault());
  });

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    file: Uint8Array,
    fault: FileServerFault | null,
  ): void {
    if (fault?.kind === 'status') {
      response.writeHead(fault.status).end('no');
      return;
    }
    if (fault?.kind === 'redirects') {
      response.writeHead(302, { location: fault.to.replace('URL', request.url ?? '') }).end();
      return;
    }
    if (fault?.kind === 'page') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>sign in first</html>');
      return;
    }
    const { body, from, begins } = partOf(file, request.headers.range ?? '', fault);
    const isOdd = fault?.kind === 'too-many-bytes' || fault?.kind === 'shorter';
    response.writeHead(from > 0 || begins > 0 ? 206 : 200, {
      'content-type': 'application/octet-stream',
      ...(isOdd ? {} : { 'content-length': body.length }),
      ...(begins > 0
        ? { 'content-range': `bytes ${begins}-${file.length - 1}/${file.length}` }
        : {}),
    });
    send(response, body, fault);
  }

  function send(response: ServerResponse, body: Buffer, fault: FileServerFault | null): void {
    if (fault?.kind === 'cuts' || fault?.kind === 'hangs') {
      const part = body.subarray(0, fault.afterBytes);
      sent += part.length;
      response.write(part, () => {
        if (fault.kind === 'cuts') response.socket?.destroySoon();
      });
      return;
    }
    if (fault?.kind !== 'slow') {
      sent += body.length;
      response.end(body);
      return;
    }
    const next = (at: number) => {
      if (at >= body.length || response.destroyed) response.end();
      else {
        sent += Math.min(fault.pieceBytes, body.length - at);
        response.write(body.subarray(at, at + fault.pieceBytes), () =>
          setImmediate(next, at + fault.pieceBytes),
        );
      }
    };
    next(0);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    sentBytes: () => sent,
    misbehave(fault, times = Number.POSITIVE_INFINITY) {
      faults = { fault, times };
    },
  };
}

/** The bytes sent of a file, their true start, and the start that the answer claims. */
function partOf(file: Uint8Array, asked: string, fault: FileServerFault | null) {
  const range = /^bytes=(\d+)-$/.exec(asked)?.[1];
  const from = range === undefined || fault?.kind === 'ignores-ranges' ? 0 : Number(range);
  const body = Buffer.from(file.subarray(from));
  const part = { body, from, begins: from };
  switch (fault?.kind) {
    case 'lies-about-ranges':
      return { ...part, begins: from + 7 };
    case 'mixes-parts':
      return { ...part, body: Buffer.from(file.subarray(0, file.length - from)) };
    case 'wrong-bytes':
      body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
      return part;
    case 'too-many-bytes':
      return { ...part, body: Buffer.concat([body, Buffer.from('more')]) };
    case 'shorter':
      return { ...part, body: body.subarray(0, body.length - 5) };
    default:
      return part;
  }
}
