import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Handles one request; without an answer the client waits. */
export type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** A real HTTP server that answers by a script. */
export type ScriptedServer = {
  /** Absolute address, ends in a slash. */
  readonly url: string;
  /** The requests so far, as `GET /path`. */
  readonly calls: readonly string[];
  /** Sets what the next requests get, one after the other; the last reply goes on for ever. */
  script(...replies: readonly Reply[]): void;
  /** Fulfilled when that many requests have come in all. */
  called(times: number): Promise<void>;
  close(): Promise<void>;
};

/** Starts a server on a free port of this computer. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const calls: string[] = [];
  let replies: readonly Reply[] = [];
  let listeners: (() => void)[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const [reply = send(404)] = replies;
    if (replies.length > 1) replies = replies.slice(1);
    reply(response, request);
    for (const listener of listeners) listener();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/`,
    calls,
    script(...next) {
      calls.length = 0;
      replies = next;
    },
    called(times) {
      return new Promise((resolve) => {
        const check = () => {
          if (calls.length < times) return;
          listeners = listeners.filter((other) => other !== check);
          resolve();
        };
        listeners.push(check);
        check();
      });
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** An answer: status, headers and body. */
export function send(
  status: number,
  headers: Record<string, string> = {},
  body: string | Uint8Array = '',
): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}
