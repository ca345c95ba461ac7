import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameOrigin, TOKEN_COOKIE, type Tokens } from '../access/callers.ts';
import { ApiError } from '../core/api-error.ts';
import { noteFacts } from '../http/request-log.ts';

/** The content of the page. */
type SignInView = {
  /** The way from the page's own address to where the pages are, such as `./` or `../`. */
  readonly root: string;
  /** Where the person wanted to go: a path of this server. */
  readonly next: string;
  /** True if a token was sent that is none. */
  readonly isWrong: boolean;
};

/** The colours are those of the pages (`src/widget/styles/tokens.css`). */
const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#fbfaf7, #16181a); --sheet: light-dark(#fff, #1e2124);
  --ink: light-dark(#1c2024, #eceae4); --soft: light-dark(#5a626a, #a8adb2); --line: light-dark(#8a8f94, #7d858c);
  --edge: light-dark(#dedbd3, #34393e); --accent: light-dark(#0b6b5d, #6fd3c0);
  --accent-ink: light-dark(#fff, #0b1f1b); --wrong: light-dark(#b3261e, #f2938c); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: min(100%, 26rem); padding: 24px; background: var(--sheet); border: 1px solid var(--edge);
  border-radius: 16px; box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 8px 24px rgb(0 0 0 / 10%); }
h1 { margin: 0 0 8px; font-size: clamp(1.625rem, 7.5vw, 2rem); line-height: 1.2; }
p { margin: 0 0 16px; color: var(--soft); }
label { display: block; margin-bottom: 4px; font-weight: 600; }
input { width: 100%; min-height: 44px; padding: 8px 12px; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: 10px; }
input[aria-invalid] { border-color: var(--wrong); }
.wrong { margin: 8px 0 0; color: var(--wrong); }
button { width: 100%; min-height: 44px; margin-top: 16px; padding: 8px 16px; font: inherit; font-weight: 600;
  color: var(--accent-ink); background: var(--accent); border: 0; border-radius: 10px; cursor: pointer; }
.code { margin: 16px 0 4px; color: var(--ink); font-size: 2.5rem; font-weight: 600; letter-spacing: 0.08em;
  font-variant-numeric: tabular-nums; }
h2 { margin: 24px 0 0; font-size: 1rem; }
.row { display: flex; align-items: center; gap: 12px; }
.row code { flex: 1; min-width: 0; color: var(--soft); overflow-wrap: anywhere; }
button.plain { width: auto; margin-top: 0; color: var(--accent); background: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (forced-colors: active) { button { border: 1px solid; } }
`;

/** Nothing but its own style and its own form, and in nobody's frame. */
export const STYLED_PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${policyHash(STYLE)}`,
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

type StyledPage = {
  readonly language: 'sv' | 'en';
  /** As in `SignInView`. */
  readonly root: string;
  readonly title: string;
  /** Markup, made safe. */
  readonly body: string;
};

/** A page that the server writes by itself; works without scripts. */
export function pageHtml({ language, root, title, body }: StyledPage): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="same-origin">
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<title>${title} – Diktera</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** The page on which a person says the token. */
function signInPage({ root, next, isWrong }: SignInView): string {
  const state = isWrong ? ' aria-invalid="true" aria-describedby="wrong"' : '';
  const wrong =
    '<p class="wrong" id="wrong" role="alert">Nyckeln stämmer inte. Kontrollera den och försök igen.</p>';
  return pageHtml({
    language: 'sv',
    root,
    title: `${isWrong ? 'Fel: ' : ''}Logga in`,
    body: `<h1>Logga in</h1>
<p>Diktera kräver en åtkomstnyckel här. Du har fått den av den som sköter tjänsten. Den gäller tills du stänger webbläsaren.</p>
<form method="post" action="${root}sign-in">
<input type="hidden" name="next" value="${escaped(next)}">
<label for="token">Åtkomstnyckel</label>
<input id="token" name="token" type="password" required autofocus autocomplete="current-password" autocapitalize="none" spellcheck="false"${state}>
${isWrong ? wrong : ''}
<button type="submit">Logga in</button>
</form>`,
  });
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Where a person says the token. */
export const SIGN_IN_PATH = '/sign-in';

/** Where it is forgotten again. */
export const SIGN_OUT_PATH = '/sign-out';

/** Tells the pages, which cannot read the token, who there is to sign out. */
const SIGNED_IN_COOKIE = 'diktera_signed_in';

const MAX_FORM_BYTES = 4 * 1024;

/** The parts that signing in works with. */
type SignInPorts = {
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
    addFormParser(app);
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

/** Reads small forms of a page's own as `URLSearchParams`. */
export function addFormParser(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
}

/**
 * Shows the sign-in page (401) in place of a page, when the request for it carries no token. The
 * pages' own files are open to all: they are the same for everybody, and hold no words of anybody.
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
    .headers({ 'content-security-policy': STYLED_PAGE_POLICY, 'cache-control': 'no-store' })
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

/** The name by which a policy knows an inline style or script: the hash of all between its tags. */
export function policyHash(inline: string): string {
  return `'sha256-${createHash('sha256').update(inline).digest('base64')}'`;
}
