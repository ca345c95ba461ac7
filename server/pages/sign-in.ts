import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameOrigin } from '../access/origins.ts';
import { TOKEN_COOKIE, type Tokens } from '../access/tokens.ts';
import { ApiError } from '../core/api-error.ts';
import { noteFacts } from '../http/request-facts.ts';
import { SIGN_IN_POLICY, type SignInView, signInPage } from './sign-in-page.ts';

/** Where a person says the token. */
export const SIGN_IN_PATH = '/sign-in';

/** Where it is forgotten again. */
export const SIGN_OUT_PATH = '/sign-out';

/** Tells the pages, which cannot read the token, who there is to sign out. */
const SIGNED_IN_COOKIE = 'diktera_signed_in';

const MAX_FORM_BYTES = 4 * 1024;

/** What signing in works with. */
export type SignInPorts = {
  readonly tokens: Tokens;
  /** Where the cookies count, and nowhere else on the host; '' for everywhere. */
  readonly basePath: string;
  /** Counts a try against its client's share; throws `rate_limited` (429). */
  readonly takeTry: (request: FastifyRequest) => void;
};

/**
 * `GET /sign-in`: the page. `POST /sign-in`: a form with `token` and `next`. A cookie keeps the
 * token: it ends with the browser's session, no script reads it, and no other site's request
 * carries it. `POST /sign-out` takes it away. Both only from pages of this server.
 */
export function addSignIn(root: FastifyInstance, { tokens, basePath, takeTry }: SignInPorts): void {
  root.register(async (app) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    app.addHook('onRequest', async (request) => {
      if (request.method === 'GET' || request.method === 'HEAD' || isSameOrigin(request)) return;
      const message = 'Pages of this origin may not use this server.';
      throw new ApiError(403, 'origin_not_allowed', message);
    });

    app.get(SIGN_IN_PATH, async (_request, reply) =>
      sendSignIn(reply.code(200), { root: './', next: '/', isWrong: false }),
    );
    app.post(SIGN_IN_PATH, async (request, reply) => {
      takeTry(request);
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const next = localPath(form.get('next') ?? '/');
      const token = (form.get('token') ?? '').trim();
      const id = tokens.idOf(token);
      if (id === null) return sendSignIn(reply.code(401), { root: './', next, isWrong: true });
      noteFacts(request, { token: id });
      return reply
        .header(
          'set-cookie',
          cookies(request, basePath, encodeURIComponent(token), tokens.accountOf(id) ?? ''),
        )
        .redirect(`.${next}`, 303);
    });
    app.post(SIGN_OUT_PATH, async (request, reply) =>
      reply
        .header(
          'set-cookie',
          cookies(request, basePath, '', '').map((cookie) => `${cookie}; Max-Age=0`),
        )
        .redirect('./', 303),
    );
  });
}

/**
 * Shows the sign-in page (401) in place of a page, when the request for it carries no token. What
 * pages are made of is open: it is the same for everybody, and holds nothing anybody said.
 */
export function guardPages(app: FastifyInstance, tokens: Tokens): void {
  if (!tokens.areNeeded) return;
  app.addHook('onRequest', async (request, reply) => {
    if (!isPage(request) || tokens.idIn(request) !== null) return;
    reply.header('www-authenticate', 'Bearer');
    const next = localPath(request.url);
    return sendSignIn(reply.code(401), { root: rootFrom(next), next, isWrong: false });
  });
}

/** A name without an ending, or with that of a page; not what the server answers itself. */
function isPage(request: FastifyRequest): boolean {
  const path = request.url.replace(/[?#].*$/, '');
  return /(^|\/)[^/.]*$|\.html?$/i.test(path);
}

function sendSignIn(reply: FastifyReply, view: SignInView): FastifyReply {
  return reply
    .headers({ 'content-security-policy': SIGN_IN_POLICY, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(signInPage(view));
}

/** `text` when it is a path of this server, else the first page: a link must not lead elsewhere. */
function localPath(text: string): string {
  const here = 'http://here';
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || !URL.canParse(text, here)) return '/';
  const { origin, pathname, search } = new URL(text, here);
  return origin === here && !pathname.startsWith('//') ? pathname + search : '/';
}

/** The way up from a path to where the pages are: a proxy may have them below a path of its own. */
function rootFrom(path: string): string {
  const depth = path.replace(/[?#].*$/, '').split('/').length - 2;
  return depth === 0 ? './' : '../'.repeat(depth);
}

/** The token, which no script may read, and the word whose it is. */
function cookies(
  request: FastifyRequest,
  basePath: string,
  token: string,
  account: string,
): string[] {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  const rest = `SameSite=Strict${secure}`;
  const path = `${basePath}/`;
  return [
    `${TOKEN_COOKIE}=${token}; Path=${path}; HttpOnly; ${rest}`,
    `${SIGNED_IN_COOKIE}=${account}; Path=${path}; ${rest}`,
  ];
}
