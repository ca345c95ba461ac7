import { request } from 'node:http';
import { type RawConnection, rawConnection } from '../helpers/raw-http.ts';
import { speechForm } from '../helpers/running-server.ts';

/** The end of one request. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly code: string;
      readonly transcription: string | null;
    }
  /** The connection broke before an answer. */
  | { readonly kind: 'cut'; readonly reason: string }
  /** Nothing came for as long as it was waited. */
  | { readonly kind: 'silence' };

/** One request for a transcription. */
export type PostOptions = {
  readonly file?: Uint8Array;
  readonly fields?: Readonly<Record<string, string | null>>;
  /** In place of a form with `file`: a body as it is. */
  readonly raw?: { readonly contentType: string; readonly body: Uint8Array };
  readonly headers?: Readonly<Record<string, string>>;
  /** Which of the attack's addresses it comes from. @default 0 */
  readonly from?: number;
  /** @default 120000, as the page */
  readonly offeredAfterMs?: number;
};

const PATIENCE_MS = 120_000;

/** Posts on a connection of its own, from `localAddress`. Never rejects. */
export async function post(
  url: string,
  localAddress: string,
  options: PostOptions,
): Promise<Outcome> {
  const { contentType, body } = options.raw ?? (await rawForm(options.file, options.fields));
  const headers = {
    'content-type': contentType,
    'content-length': body.length,
    ...options.headers,
  };
  return new Promise((resolve) => {
    const cut = (error: Error) => resolve({ kind: 'cut', reason: String(error) });
    const asked = request(
      `${url}/api/asr/vad`,
      { method: 'POST', localAddress, headers, agent: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve(answered(answer.statusCode ?? 0, text))).on('error', cut);
      },
    );
    asked.on('error', cut).setTimeout(options.offeredAfterMs ?? PATIENCE_MS, () => {
      resolve({ kind: 'silence' });
      asked.destroy();
    });
    asked.end(body);
  });
}

/** A form as it goes over the wire; English, which every server here does itself. */
export async function rawForm(
  file: Uint8Array = new Uint8Array(0),
  fields: Readonly<Record<string, string | null>> = {},
): Promise<{ readonly contentType: string; readonly body: Uint8Array }> {
  const whole = new Response(speechForm(file, { language: 'en', fixSpelling: 'false', ...fields }));
  return {
    contentType: whole.headers.get('content-type') ?? '',
    body: new Uint8Array(await whole.arrayBuffer()),
  };
}

function answered(status: number, text: string): Outcome {
  const body = read(text);
  const { error, transcription } = body;
  const code = Object(error).code;
  return {
    kind: 'answered',
    status,
    code: typeof code === 'string' ? code : '',
    transcription: typeof transcription === 'string' ? transcription : null,
  };
}

function read(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Says an outcome in a word or two. */
export function nameOf(outcome: Outcome): string {
  if (outcome.kind === 'answered') return `${outcome.status} ${outcome.code}`.trim();
  return outcome.kind;
}

/**
 * Sends bytes exactly as they are and waits for an answer's status or the connection's end. The
 * status is null where the server ended the connection without a word, undefined where it did
 * neither.
 */
export async function exchange(
  url: string,
  localAddress: string,
  bytes: string | Uint8Array,
  offeredAfterMs: number,
): Promise<number | null | undefined> {
  const connection = await rawConnection(url, bytes, localAddress);
  const status = await statusWithin(connection, offeredAfterMs);
  connection.socket.destroy();
  return status;
}

function statusWithin(connection: RawConnection, offeredAfterMs: number) {
  const { socket } = connection;
  return new Promise<number | null | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), offeredAfterMs);
    const look = () => {
      if (connection.status() === null && !socket.readableEnded && !socket.destroyed) return;
      clearTimeout(timer);
      resolve(connection.status());
    };
    for (const event of ['data', 'end', 'close'] as const) socket.on(event, look);
    look();
  });
}
