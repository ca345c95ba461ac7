import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Where a site's pages are, below the root of their host. */
export const SUB_PATH = '/some/where/';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

/** A rule book for pages (Content-Security-Policy), and who is told when one is broken. */
export type SitePolicy = {
  readonly header: string;
  readonly onViolation: (violation: Violation) => void;
};

/** A browser's report: the broken rule, and the address or kind of thing that was blocked. */
export type Violation = { readonly directive: string; readonly blocked: string };

const REPORTS = '/violations';

/**
 * A plain host: the files of `folder` below a path, `/api/` handed on to the server, and no header
 * of ours unless there is a policy.
 */
export function serveSite(
  folder: string,
  apiUrl: string | null,
  policy: SitePolicy | null = null,
): Promise<string> {
  const headers = policy && {
    'content-security-policy': `${policy.header}; report-uri ${REPORTS}`,
  };
  const server = createServer((asked, answer) => {
    const path = new URL(asked.url ?? '/', 'http://site').pathname;
    if (policy && path === REPORTS) return void takeReport(policy, asked, answer);
    if (apiUrl !== null && path.startsWith('/api/')) return handOn(apiUrl, asked, answer);
    const file = path.startsWith(SUB_PATH) ? fileAt(folder, path.slice(SUB_PATH.length)) : null;
    if (file === null) return void answer.writeHead(404).end();
    answer.writeHead(200, {
      ...headers,
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    });
    createReadStream(file).pipe(answer);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address && typeof address === 'object' ? address.port : 0;
      resolve(`http://127.0.0.1:${port}${SUB_PATH}`);
    });
  });
}

function fileAt(folder: string, path: string): string | null {
  const file = join(folder, path === '' || path.endsWith('/') ? `${path}index.html` : path);
  return existsSync(file) && statSync(file).isFile() ? file : null;
}

function handOn(apiUrl: string, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers } = asked;
  const upstream = request(new URL(asked.url ?? '/', apiUrl), { method, headers }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    given.pipe(answer);
  });
  upstream.on('error', () => answer.destroy());
  asked.pipe(upstream);
}

async function takeReport(
  { onViolation }: SitePolicy,
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const report = JSON.parse(await text(asked)) as {
    readonly 'csp-report': {
      readonly 'effective-directive': string;
      readonly 'blocked-uri': string;
    };
  };
  const told = report['csp-report'];
  onViolation({ directive: told['effective-directive'], blocked: told['blocked-uri'] });
  answer.writeHead(204).end();
}
