import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isFromThisMachine, isSameOrigin, type Tokens } from '../access/callers.ts';
import { isExtensionOrigin, type Pairing } from '../access/pairing.ts';
import { ApiError } from '../core/api-error.ts';
import { addFormParser, escaped, guardPages, pageHtml, STYLED_PAGE_POLICY } from './sign-in.ts';

/** The page that shows a person a code. */
export const PAIRING_PATH = '/pair';

/** The address at which the extension says the code. */
export const PAIRING_API_PATH = '/api/pair';

const TEXTS = {
  sv: {
    title: 'Para ihop tillägget',
    lead: 'Webbläsarens tillägg får då skriva ned det du dikterar med servern på den här datorn.',
    show: 'Visa en kod',
    again: 'Visa en ny kod',
    code: 'Skriv koden i tilläggets alternativ. Den gäller i fem minuter.',
    paired: 'Tillägg som får använda servern',
    remove: 'Ta bort',
    elsewhere: 'Öppna sidan på den dator som servern går på, under http://localhost.',
  },
  en: {
    title: 'Pair the extension',
    lead: 'The browser’s extension may then have what you dictate written down by the server on this computer.',
    show: 'Show a code',
    again: 'Show a new code',
    code: 'Type the code in the extension’s options. It is good for five minutes.',
    paired: 'Extensions that may use the server',
    remove: 'Remove',
    elsewhere: 'Open this page on the computer that the server runs on, at http://localhost.',
  },
} as const;

type Language = keyof typeof TEXTS;

type PairingPorts = {
  readonly pairing: Pairing;
  readonly tokens: Tokens;
  /** Counts a try against its client's share; throws `rate_limited` (429). */
  readonly takeTry: (request: FastifyRequest) => void;
};

/**
 * `GET /pair`: the page, which shows who is paired. `POST /pair` from it: with `code` shows a new
 * code, with `remove` forgets an extension. `POST /api/pair` from an extension, with `code`: pairs
 * it. All of it on this machine alone, and without scripts.
 */
export function addPairing(root: FastifyInstance, ports: PairingPorts): void {
  const { pairing, tokens, takeTry } = ports;

  root.register(async (app) => {
    addFormParser(app);
    guardPages(app, tokens);
    app.get(PAIRING_PATH, async (request, reply) => send(request, reply, null));
    app.post(PAIRING_PATH, async (request, reply) => {
      if (!isSameOrigin(request) || !isFromThisMachine(request)) throw notAllowed();
      const form = formOf(request);
      const id = form.get('remove');
      if (id !== null) pairing.remove(id);
      return send(request, reply, id === null ? pairing.newCode() : null);
    });
  });

  root.register(async (app) => {
    addFormParser(app);
    app.post(PAIRING_API_PATH, async (request, reply) => {
      const { origin = '' } = request.headers;
      if (!isExtensionOrigin(origin) || !isFromThisMachine(request)) throw notAllowed();
      reply.headers({ 'access-control-allow-origin': origin, vary: 'origin' });
      takeTry(request);
      return pairing.tryCode(origin, formOf(request).get('code') ?? '');
    });
  });

  function send(request: FastifyRequest, reply: FastifyReply, code: string | null): FastifyReply {
    const isHere = isFromThisMachine(request);
    const language = languageOf(request);
    return reply
      .code(isHere ? 200 : 403)
      .headers({
        'content-security-policy': STYLED_PAGE_POLICY,
        'cache-control': 'no-store',
        vary: 'accept-language',
      })
      .type('text/html; charset=utf-8')
      .send(isHere ? pairingPage(language, code, pairing.list()) : elsewherePage(language));
  }
}

function notAllowed(): ApiError {
  const message = 'Extensions are paired on the machine that the server runs on.';
  return new ApiError(403, 'origin_not_allowed', message);
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** Swedish for those who read a language of the north first. */
function languageOf({ headers }: FastifyRequest): Language {
  return /^\s*(sv|nb|nn|no|da)\b/i.test(headers['accept-language'] ?? '') ? 'sv' : 'en';
}

function pairingPage(language: Language, code: string | null, ids: readonly string[]): string {
  const texts = TEXTS[language];
  const shown =
    code === null
      ? ''
      : `<p class="code" role="status">${code.slice(0, 3)} ${code.slice(3)}</p>\n<p>${texts.code}</p>`;
  const rows = ids.map(
    (id) => `<form method="post" class="row">
<code>${escaped(id)}</code>
<button class="plain" name="remove" value="${escaped(id)}">${texts.remove}</button>
</form>`,
  );
  return pageHtml({
    language,
    root: './',
    title: texts.title,
    body: `<h1>${texts.title}</h1>
<p>${texts.lead}</p>
${shown}
<form method="post">
<button name="code" value="new">${code === null ? texts.show : texts.again}</button>
</form>
${rows.length > 0 ? `<h2>${texts.paired}</h2>\n${rows.join('\n')}` : ''}`,
  });
}

function elsewherePage(language: Language): string {
  const { title, elsewhere } = TEXTS[language];
  return pageHtml({
    language,
    root: './',
    title,
    body: `<h1>${title}</h1>\n<p>${elsewhere}</p>`,
  });
}
