import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/** A page of somebody else's. */
export type HostPage = {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The strictest page there is: no script, no style, no connection, no microphone. */
export const STRICT_HEADERS = {
  'content-security-policy': "default-src 'none'",
  'permissions-policy': 'microphone=()',
} as const;

/** Not something else of a page's, whose type its headers tell. */
function isPage({ headers }: HostPage): boolean {
  return headers?.['content-type'] === undefined;
}

const FILE_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript; charset=utf-8',
};

/**
 * Serves pages by their paths, of two origins: `127.0.0.1` and `localhost`; and the files of a folder
 * below `/files/`.
 */
export async function serveHostSite(pages: Readonly<Record<string, HostPage>>, folder?: string) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://host');
    if (folder !== undefined && pathname.startsWith('/files/')) {
      const file = createReadStream(join(folder, normalize(pathname.slice('/files'.length))));
      const type = FILE_TYPES[extname(pathname)] ?? 'application/octet-stream';
      file.once('open', () => response.writeHead(200, { 'content-type': type }));
      file.once('error', () => response.writeHead(404).end());
      file.pipe(response);
      return;
    }
    const page = pages[request.url ?? ''];
    if (!page) {
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers })
      .end(
        isPage(page)
          ? `<!doctype html><html lang="en"><title>Host</title>${page.body}</html>`
          : page.body,
      );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** The same pages of another origin. */
    otherUrl: `http://localhost:${port}`,
    close(): Promise<void> {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
