import {
  type HealthAnswer,
  ownWordsIn,
  readHealth,
  textsIn,
} from '../core/contracts/server-health.ts';
import { DikteraError, type ErrorCode } from '../core/errors.ts';
import type { TranscriptionOptions } from '../core/options/dictation-options.ts';
import type { ServerState } from '../core/session/snapshot.ts';
import type { WordTime } from '../core/word-time.ts';
import type { FilePart } from '../platform/file-sound.ts';
import { NoSound, type OpenedSound, openSound } from './file-sound.ts';

/** A word with its place in the sound. */
export type TimedWord = WordTime & { readonly text: string };

/** Some words of a file, with their place in its sound. */
export type TimedPart = {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Empty where the engine tells no times of words. */
  readonly words: readonly TimedWord[];
};

/** Why a file, or the rest of it, has no text. */
export type FileFault =
  | 'no-sound'
  | 'unreadable'
  | 'too-large'
  | 'too-long'
  | 'language-missing'
  | 'refused'
  | 'signed-out'
  | 'no-server';

/** A file, or the rest of it, has no text. */
export class FileError extends DikteraError {
  readonly why: FileFault;
  /** The server wants to be left alone for so long. */
  readonly afterMs: number;

  constructor(why: FileFault, code: ErrorCode, message: string, afterMs = 0) {
    super(code, message);
    this.why = why;
    this.afterMs = afterMs;
  }
}

/** Longer ones are a work for the command `transcribe`. */
const MOST_MS = 4 * 3_600_000;

/** The type of pieces that are decoded here. */
const DECODED = 'audio/wav';

/** A server takes as much in one request, unless it says otherwise. */
const WHOLE_MS = 9 * 60_000;
const WHOLE_BYTES = 30_000_000;

/** As the worker retries, and a person waits. */
const RETRY_AFTER_MS = [1_000, 4_000, 15_000] as const;
const ANSWER_WITHIN_MS = 120_000;
/** A server that wants to be left alone for longer is away: the person is told. */
const LONGEST_REST_MS = 120_000;
/** It tells what would be refused; a file does not wait for long for that. */
const HEALTH_WITHIN_MS = 5_000;

type FileOptions = Pick<TranscriptionOptions, 'language' | 'removePii' | 'fixSpelling' | 'fast'>;

export type FileTextsPorts = {
  /** The call for texts. */
  readonly address: string;
  readonly healthAddress: string;
  /** As it is to be written down now; null while the server lacks the language. */
  readonly options: (server: ServerState) => FileOptions | null;
  readonly fetch: typeof globalThis.fetch;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** A step on the way through a file. */
export type FileStep = {
  /** New text; empty where nothing was said. */
  readonly text: string;
  readonly parts: readonly TimedPart[];
  /** All before it has its text; Infinity where the server has read the file whole. */
  readonly endMs: number;
  /** From 0 to 1; null while the server reads it whole, and tells nothing meanwhile. */
  readonly share: number | null;
  /** False where a part before `endMs` could not be read. */
  readonly isWhole: boolean;
};

/**
 * The texts of a file from a time on, as they come: in pieces that are cut where it is quiet, or whole
 * where the server alone can read it. Throws a `FileError`, or the reason of `signal`.
 */
export async function* textsOfFile(
  file: Blob,
  fromMs: number,
  signal: AbortSignal,
  ports: FileTextsPorts,
): AsyncGenerator<FileStep, void> {
  const name = file instanceof File ? file.name : '';
  const health = await healthOf(ports, signal);
  const own = ownWordsIn(health);
  const server = readHealth(health);
  const listed = Array.isArray(own?.audioTypes) ? textsIn(own.audioTypes) : null;
  const ask: Ask = (sound) => askForText(sound, signal, ports, server, own !== null);
  signal.throwIfAborted();
  const sound = await opened(file, signal);
  // A server may have decoders that a browser lacks; not for a file that was read here before.
  const isForServer = (codec: string | null): boolean =>
    fromMs === 0 && (!listed || isTaken({ name, type: file.type }, codec, listed));
  if (sound instanceof NoSound) {
    if (!isForServer(sound.codec)) throw errorOf(sound);
    yield* wholeText(file, ask);
    return;
  }
  try {
    const { durationMs, type, codec } = sound;
    // Nobody here can tell where nobody speaks, and the server takes it in one request.
    const isShort = durationMs <= WHOLE_MS && file.size <= WHOLE_BYTES;
    if (type !== DECODED && isShort && isForServer(codec)) yield* wholeText(file, ask);
    else {
      requireTaken(sound, listed);
      yield* textsOfPieces(sound, fromMs, signal, ask, isForServer(codec) ? file : null);
    }
  } catch (thrown) {
    throw asFileError(thrown);
  } finally {
    sound.dispose();
  }
}

type Ask = (sound: Blob) => Promise<Answer>;

/** `whole`: the file, where the server may read it in place of pieces of which none could be. */
async function* textsOfPieces(
  sound: OpenedSound,
  fromMs: number,
  signal: AbortSignal,
  ask: Ask,
  whole: Blob | null,
): AsyncGenerator<FileStep, void> {
  let doneMs = fromMs;
  try {
    for await (const { bytes, parts: fileParts, endMs } of sound.pieces(fromMs)) {
      signal.throwIfAborted();
      const answer = bytes && (await ask(new Blob([bytes], { type: sound.type })));
      signal.throwIfAborted();
      doneMs = endMs;
      const share = Math.min(1, endMs / sound.durationMs);
      yield { ...placed(answer ?? NOTHING, fileParts), endMs, share };
    }
    if (!sound.isWhole()) yield { ...NOTHING, endMs: doneMs, share: 1, isWhole: false };
  } catch (thrown) {
    const isUnread = thrown instanceof NoSound && thrown.why === 'unreadable';
    if (!isUnread || doneMs > 0 || !whole) throw thrown;
    yield* wholeText(whole, ask);
  }
}

/** The text of a file that the server reads whole. */
async function* wholeText(file: Blob, ask: Ask): AsyncGenerator<FileStep, void> {
  yield { ...NOTHING, endMs: 0, share: null };
  const answer = await ask(file).catch((thrown: unknown) => {
    const isRefused = thrown instanceof FileError && thrown.why === 'refused';
    throw isRefused ? errorOf(new NoSound('unreadable')) : thrown;
  });
  const endMs = answer.parts.at(-1)?.endMs ?? 0;
  yield { ...placed(answer, [{ startMs: 0, endMs }]), endMs: Number.POSITIVE_INFINITY, share: 1 };
}

/** Throws where the server takes no pieces of a file. */
function requireTaken(
  { durationMs, type, codec }: OpenedSound,
  listed: readonly string[] | null,
): void {
  if (durationMs > MOST_MS)
    throw new FileError('too-long', 'bad-option', `The file is longer than ${MOST_MS} ms`);
  const isDecoded = type === DECODED;
  if (!listed || isTaken({ name: '', type }, isDecoded ? null : codec, listed)) return;
  throw isDecoded
    ? new FileError('refused', 'http-answer-wrong', `The server takes no ${type}`)
    : errorOf(new NoSound('unreadable', codec));
}

/** The sound; of one that the browser cannot read, why. */
async function opened(file: Blob, signal: AbortSignal): Promise<OpenedSound | NoSound> {
  try {
    return await openSound(file, signal);
  } catch (thrown) {
    if (thrown instanceof NoSound && thrown.why === 'unreadable') return thrown;
    throw asFileError(thrown);
  }
}

const asFileError = (thrown: unknown): unknown =>
  thrown instanceof NoSound ? errorOf(thrown) : thrown;

function errorOf({ why, message }: NoSound): FileError {
  // The server has the script, too.
  if (why === 'no-script') return new FileError('no-server', 'asset-unreachable', message);
  return new FileError(why, 'file-unreadable', message);
}

/** The server's health; status 0 where it cannot be reached. */
async function healthOf(ports: FileTextsPorts, signal: AbortSignal): Promise<HealthAnswer> {
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_WITHIN_MS)]);
    const response = await ports.fetch(ports.healthAddress, {
      cache: 'no-store',
      signal: deadline,
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return { status: 0, body: undefined };
  }
}

/** Asks until there is an answer, or no use in asking. Rejects with a `FileError`. */
async function askForText(
  sound: Blob,
  signal: AbortSignal,
  ports: FileTextsPorts,
  server: ServerState,
  isOwn: boolean,
): Promise<Answer> {
  const key = crypto.randomUUID();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await askOnce(sound, signal, ports, server, isOwn ? key : null);
    } catch (thrown) {
      signal.throwIfAborted();
      const pauseMs = RETRY_AFTER_MS[attempt];
      const isPassing = thrown instanceof FileError && thrown.why === 'no-server';
      if (pauseMs === undefined || !isPassing) throw thrown;
      await ports.sleep(Math.max(pauseMs, Math.min(thrown.afterMs, LONGEST_REST_MS)), signal);
    }
  }
}

/** `key`: null for a server that is not one of ours, and may know of no more than the call has. */
async function askOnce(
  sound: Blob,
  signal: AbortSignal,
  ports: FileTextsPorts,
  server: ServerState,
  key: string | null,
): Promise<Answer> {
  const options = ports.options(server);
  // Another language would be written in its place.
  if (!options)
    throw new FileError('language-missing', 'language-missing', 'The server lacks the language');
  const { language, removePii, fixSpelling, fast } = options;
  const form = new FormData();
  const fields = { language, removePii, fixSpelling, fast, ...(key !== null && { times: true }) };
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append('audioFile', sound, 'sound');
  const response = await ports
    .fetch(ports.address, {
      method: 'POST',
      body: form,
      headers: key === null ? {} : { 'Idempotency-Key': key },
      cache: 'no-store',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    })
    .catch((thrown: unknown) => {
      throw notAnswered(thrown);
    });
  const body = await response.text().catch(() => '');
  signal.throwIfAborted();
  if (!response.ok) throw errorOfStatus(response);
  const answer = readAnswer(body);
  if (answer) return answer;
  // A page in place of an answer is somebody's sign-in.
  throw /^\s*</.test(body)
    ? new FileError('signed-out', 'http-signed-out', 'A page came in place of an answer')
    : new FileError('no-server', 'http-answer-wrong', 'The answer is not of the contract');
}

function notAnswered(thrown: unknown): FileError {
  if (thrown instanceof DikteraError && thrown.code === 'http-signed-out')
    return new FileError('signed-out', thrown.code, thrown.message);
  const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
  return isLate
    ? new FileError('no-server', 'http-timeout', `No answer within ${ANSWER_WITHIN_MS} ms`)
    : new FileError('no-server', 'http-network', `No answer: ${thrown}`);
}

function errorOfStatus({ status, headers }: Response): FileError {
  const message = `Request failed with status ${status}`;
  if (status === 401 || status === 403)
    return new FileError('signed-out', 'http-signed-out', message);
  if (status === 413) return new FileError('too-large', 'http-status', message);
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    const afterMs = 1_000 * (Number(headers.get('retry-after')) || 0);
    return new FileError('no-server', 'http-status', message, afterMs);
  }
  return new FileError('refused', 'http-status', message);
}

type Answer = Pick<FileStep, 'text' | 'parts' | 'isWhole'>;

const NOTHING: Answer = { text: '', parts: [], isWhole: true };

/** Null where it is no answer of the contract. */
function readAnswer(body: string): Answer | null {
  try {
    const { transcription, parts, complete } = Object(JSON.parse(body)) as Record<string, unknown>;
    if (typeof transcription !== 'string') return null;
    return {
      text: transcription.trim(),
      parts: timedParts(parts),
      isWhole: complete !== false,
    };
  } catch {
    return null;
  }
}

/** The parts that something has, as far as they are some. */
export function timedParts(given: unknown): readonly TimedPart[] {
  return Array.isArray(given) ? given.flatMap(partOf) : [];
}

function partOf(given: unknown): readonly TimedPart[] {
  const [timed] = timedOf(given);
  if (!timed) return [];
  const { words } = Object(given) as Record<string, unknown>;
  return [{ ...timed, words: Array.isArray(words) ? words.flatMap(timedOf) : [] }];
}

function timedOf(given: unknown): readonly TimedWord[] {
  const { text, startMs, endMs, certainty } = Object(given) as Record<string, unknown>;
  if (typeof text !== 'string' || typeof startMs !== 'number' || typeof endMs !== 'number') {
    return [];
  }
  return [{ text, startMs, endMs, ...(typeof certainty === 'number' && { certainty }) }];
}

/** An answer at its place in the file; of a server that tells no times a text is one part. */
function placed({ text, parts, isWhole }: Answer, fileParts: readonly FilePart[]): Answer {
  const whole = { text, ...wholeOf(fileParts), words: [] };
  if (text === '') return { ...NOTHING, isWhole };
  const timed = parts.length > 0 ? parts.map((part) => inFile(part, fileParts)) : [whole];
  return { text, parts: timed, isWhole };
}

/** Times of a piece as those of its file: what lies between its parts was left out of it. */
function inFile({ words, ...part }: TimedPart, fileParts: readonly FilePart[]): TimedPart {
  const moved = <T extends FilePart>(each: T): T => ({
    ...each,
    startMs: timeIn(fileParts, each.startMs, false),
    endMs: timeIn(fileParts, each.endMs, true),
  });
  return { ...moved(part), words: words.map(moved) };
}

function timeIn(fileParts: readonly FilePart[], ms: number, isEnd: boolean): number {
  let left = ms;
  for (const { startMs, endMs } of fileParts) {
    const lengthMs = endMs - startMs;
    if (left < lengthMs || (isEnd && left === lengthMs)) return Math.round(startMs + left);
    left -= lengthMs;
  }
  // An engine may tell a time behind the end of what it heard.
  return Math.round(wholeOf(fileParts).endMs);
}

function wholeOf(fileParts: readonly FilePart[]): FilePart {
  return { startMs: fileParts[0]?.startMs ?? 0, endMs: fileParts.at(-1)?.endMs ?? 0 };
}

/** Files by the end of their name and by what systems call them, and as servers list them. */
const KINDS: readonly (readonly [name: RegExp, type: RegExp, listed: string])[] = [
  [/\.(?:m4[abpr]|mp4|mov|3gp)$/i, /\/(?:x-)?(?:m4a|mp4|quicktime|3gpp)$/, 'audio/mp4'],
  [/\.(?:webm|mkv|mka)$/i, /\/(?:webm|x-matroska)$/, 'audio/webm'],
  [/\.(?:ogg|oga|opus|spx)$/i, /\/(?:ogg|opus)$/, 'audio/ogg'],
  [/\.mp3$/i, /\/(?:mpeg|mp3)$/, 'audio/mpeg'],
  [/\.wave?$/i, /\/(?:x-|vnd\.)?wave?$/, 'audio/wav'],
  [/\.flac$/i, /\/(?:x-)?flac$/, 'audio/flac'],
  [/\.aac$/i, /\/aacp?$/, 'audio/aac'],
  [/\.aif[fc]?$/i, /\/(?:x-)?aiff$/, 'audio/aiff'],
  [/\.amr$/i, /\/amr/, 'audio/amr'],
  [/\.caf$/i, /\/x-caf$/, 'audio/x-caf'],
  [/\.wma$/i, /\/x-ms-wma$/, 'audio/x-ms-wma'],
];

/** As types name what is in a file. */
const CODECS: Readonly<Record<string, string>> = { aac: 'mp4a' };

/**
 * False for a file that a server does not take, by its list of types. `codec` is that of its sound, as
 * far as that is known. One that nobody can name is for the server to judge.
 */
export function isTaken(
  { name, type }: { readonly name: string; readonly type: string },
  codec: string | null,
  listed: readonly string[],
): boolean {
  const kind = KINDS.find(([ends, is]) => is.test(type) || ends.test(name));
  if (!kind) return true;
  return listed.some((entry) => {
    const [container = '', ...parameters] = entry.toLowerCase().split(';');
    if (container.trim() !== kind[2]) return false;
    const named = /codecs?="?([^"]*)/.exec(parameters.join(';'))?.[1];
    return named === undefined || codec === null || named.startsWith(CODECS[codec] ?? codec);
  });
}
