import { BROWSER, type Scheduler } from '../scheduler.ts';
import { hearPlaces, hearWords, type Word, wordsIn } from '../words.ts';

/** A fault of the server, or of a proxy in front of it, in one request. */
export type ServerFault =
  | 'down'
  | 'swallows'
  | 'answer-lost'
  | 'late'
  | 'breaks'
  | 'busy'
  | 'unauthorised'
  | 'rejects'
  | 'portal'
  | 'too-large'
  | 'empty'
  | 'incomplete'
  | 'no-json';

/** A request for a text, as it came; without a key it is for live words before their pause. */
export type Asked = {
  readonly key: string | null;
  readonly words: readonly Word[];
  /** The sample of each word in what was sent, where its time is asked for. */
  readonly places: readonly number[] | null;
  /** Where it was sent, and under whose name. */
  readonly address: string;
  readonly account: string | null;
};

export type ServerPorts = {
  readonly scheduler: Scheduler;
  readonly fault: () => ServerFault | null;
  /** True if it notices other audio under a known key. */
  readonly knowsAudio: boolean;
  /** True if it says that short requests cost nothing. */
  readonly freePieces: boolean;
  /** True if it tells each word's time when asked. @default false */
  readonly tellsTimes?: boolean;
  /** Makes another answer of the words that it hears. @default they are the answer */
  readonly hears?: (words: string) => string;
  /** Told of each request when it is sent, whatever becomes of it. */
  readonly onAsked: (asked: Asked) => void;
};

export type FakeServer = {
  readonly fetch: typeof globalThis.fetch;
  /** Ends the connections on which no answer will come. */
  dropSwallowed(): void;
};

type Answer = {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Less speech than this without a word is no wonder: it is settled. */
const LEAST_DOUBTED_WORDS = 14;
/** Longer audio is too large for it. */
const MOST_WORDS = 9;

/** Makes a server that hears numbered words, and keeps its answers by key. */
export function createServer(ports: ServerPorts): FakeServer {
  const { scheduler, fault, knowsAudio, freePieces, onAsked, hears = (words) => words } = ports;
  const times = ports.tellsTimes === true;
  const answers = new Map<string, { readonly heard: string; readonly text: string }>();
  const swallowed = new Set<() => void>();

  function transcribe(asked: Asked, now: ServerFault | null): Answer {
    const { key, words } = asked;
    const heard = words.join(' ');
    const known = key === null ? undefined : answers.get(key);
    if (known && known.heard !== heard && knowsAudio) return refusal(409, 'other-audio');
    if (known) return ok({ transcription: known.text });
    if (now === 'empty' && words.length >= LEAST_DOUBTED_WORDS) return ok({ transcription: '' });
    if (now === 'incomplete') {
      const text = words.slice(0, Math.ceil(words.length / 2)).join(' ');
      return ok({ transcription: text, complete: false });
    }
    const text = hears(heard);
    if (key !== null) answers.set(key, { heard, text });
    const parts = asked.places && [partOf(text, asked.places)];
    return ok({ transcription: text, ...(parts && { parts }) });
  }

  function answer(asked: Asked, now: ServerFault | null): Answer {
    switch (now) {
      case 'breaks':
        return refusal(500, 'broken');
      case 'busy':
        return { ...refusal(503, 'busy'), headers: { 'Retry-After': '3' } };
      case 'unauthorised':
        return refusal(401, 'token');
      case 'rejects':
        return refusal(422, 'no');
      case 'portal':
        return { status: 404, body: '<html>' };
      case 'no-json':
        return { status: 200, body: '<html>' };
      case 'too-large':
        return asked.words.length > MOST_WORDS ? refusal(413, 'large') : transcribe(asked, null);
      default:
        return transcribe(asked, now);
    }
  }

  function health(now: ServerFault | null): Answer {
    if (now === 'breaks' || now === 'busy') return refusal(503, 'busy');
    if (now === 'portal' || now === 'no-json') return { status: 200, body: '<html>' };
    return ok({
      status: 'ready',
      engine: 'fake',
      model: 'fake',
      languages: ['sv'],
      freePieces,
      times,
    });
  }

  function fetchIt(url: unknown, init?: RequestInit): Promise<Response> {
    const owner = { realm: scheduler.current };
    // A browser sends nothing whose signal is aborted already.
    if (init?.signal?.aborted) return Promise.reject(new DOMException('Aborted', 'AbortError'));
    const asked = init?.method === 'POST' ? readAsked(String(url), init) : null;
    if (asked) onAsked(asked);
    return new Promise((resolve, reject) => {
      const fail = () => scheduler.soon(owner, () => reject(new TypeError('Failed to fetch')));
      const answerIt = (said: Answer, tookMs: number): void =>
        void scheduler.after(tookMs, owner, () => resolve(toResponse(said)));
      scheduler.after(5 + scheduler.random() * 60, BROWSER, () => {
        const now = fault();
        if (now === 'down') fail();
        else if (now === 'swallows') swallowed.add(fail);
        else if (asked) takeRequest(asked, now, { fail, answerIt });
        else answerIt(health(now), 20 + scheduler.random() * 80);
      });
    });
  }

  function takeRequest(
    asked: Asked,
    now: ServerFault | null,
    on: { fail(): void; answerIt(said: Answer, tookMs: number): void },
  ): void {
    const said = answer(asked, now);
    if (now === 'answer-lost') {
      on.fail();
      return;
    }
    const tookMs = now === 'late' ? 1_000 + scheduler.random() * 24_000 : 20;
    on.answerIt(said, tookMs + scheduler.random() * 80);
  }

  return {
    fetch: fetchIt as typeof globalThis.fetch,
    dropSwallowed() {
      for (const drop of swallowed) drop();
      swallowed.clear();
    },
  };
}

function readAsked(address: string, { headers, body }: RequestInit): Asked {
  const { fields } = body as unknown as FakeForm;
  const file = fields.get('audioFile') as FakeBlob;
  const [bytes] = file.pieces;
  const given = headers as Record<string, string> | undefined;
  return {
    address,
    account: given?.['Diktera-Account'] ?? null,
    key: given?.['Idempotency-Key'] ?? null,
    words: hearWords(bytes as ArrayBuffer),
    places: fields.has('times') ? hearPlaces(bytes as ArrayBuffer) : null,
  };
}

/** Each word is as long as the sample in which it stands. */
function partOf(text: string, places: readonly number[]) {
  const words = wordsIn(text).map((word, at) => {
    const startMs = Math.round((places[at] ?? 0) / 16);
    return { text: word, startMs, endMs: startMs, certainty: 0.5 };
  });
  return { text, startMs: 0, endMs: words.at(-1)?.endMs ?? 0, words };
}

/** As our own server says it: a text that has been through its rules. */
function ok(body: object): Answer {
  return { status: 200, body: JSON.stringify({ ...body, textRules: {} }) };
}

function refusal(status: number, code: string): Answer {
  return { status, body: JSON.stringify({ error: { code, message: 'as told' } }) };
}

function toResponse({ status, body, headers = {} }: Answer): Response {
  return {
    status,
    statusText: '',
    headers: { get: (name: string) => headers[name] ?? null },
    text: async () => body,
  } as unknown as Response;
}

/** As much of FormData and Blob as a request is made of: the real ones are slow. */
export class FakeForm {
  readonly fields = new Map<string, unknown>();
  append(name: string, value: unknown): void {
    this.fields.set(name, value);
  }
}

export class FakeBlob {
  readonly pieces: readonly unknown[];
  constructor(pieces: readonly unknown[]) {
    this.pieces = pieces;
  }
}
