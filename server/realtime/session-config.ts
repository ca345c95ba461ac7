import { ApiError } from '../core/api-error.ts';
import type { TurnOptions } from './turn-finder.ts';

/** Something a client sent that cannot be done; the connection goes on. */
export class RealtimeProblem extends Error {
  override readonly name = 'RealtimeProblem';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The kind of error it is, in OpenAI's words. */
export function typeOf(problem: RealtimeProblem | ApiError): string {
  if (problem instanceof RealtimeProblem) return 'invalid_request_error';
  return problem.toOpenAiBody().error.type;
}

/** Says how much audio may come. */
export function tooLong(maxMs: number): ApiError {
  const message = `The audio is longer than ${Math.round(maxMs / 1_000)} s.`;
  return new ApiError(413, 'audio_too_long', message);
}

/** Says no more than that. */
export function internalError(): ApiError {
  return new ApiError(500, 'internal_error', 'Something went wrong in the server.');
}

/** An event of a client. */
export type ClientEvent =
  | { readonly kind: 'update'; readonly isOldForm: boolean; readonly session: unknown }
  | { readonly kind: 'append'; readonly audio: Uint8Array }
  | { readonly kind: 'commit' }
  | { readonly kind: 'clear' };

/** A message read as far as it could be. */
type ReadMessage = {
  /** The client's own name for it; null without one. */
  readonly eventId: string | null;
  readonly event: ClientEvent | RealtimeProblem;
};

const MAX_EVENT_ID = 512;

/** Reads one message. Never throws. */
export function readMessage(text: string): ReadMessage {
  const message = parse(text);
  if (message === null) {
    const problem = new RealtimeProblem('event_invalid', 'An event must be a JSON object.');
    return { eventId: null, event: problem };
  }
  const id = message.event_id;
  const eventId = typeof id === 'string' && id.length <= MAX_EVENT_ID ? id : null;
  return { eventId, event: eventIn(message) };
}

function eventIn(message: Readonly<Record<string, unknown>>): ClientEvent | RealtimeProblem {
  switch (message.type) {
    case 'session.update':
      return { kind: 'update', isOldForm: false, session: message.session };
    case 'transcription_session.update':
      return { kind: 'update', isOldForm: true, session: message.session };
    case 'input_audio_buffer.append':
      return appendOf(message.audio);
    case 'input_audio_buffer.commit':
      return { kind: 'commit' };
    case 'input_audio_buffer.clear':
      return { kind: 'clear' };
    default:
      return new RealtimeProblem('event_unknown', 'This server knows no events of this type.');
  }
}

function appendOf(base64: unknown): ClientEvent | RealtimeProblem {
  if (typeof base64 === 'string' && base64.length % 4 === 0) {
    const audio = Buffer.from(base64, 'base64');
    const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
    // Buffer leaves out what is no base64.
    if (audio.length === (base64.length / 4) * 3 - padding) return { kind: 'append', audio };
  }
  return new RealtimeProblem('audio_invalid', 'audio must be 16-bit samples in base64.');
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return value as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

/** The audio settings of a connection. */
export type SessionConfig = {
  /** The rate of the 16-bit mono samples. */
  readonly rateHz: 16_000 | 24_000;
  /** Any, and given back as it came: the language decides which engine writes. */
  readonly model: string;
  /** As the client wrote it; '' is the server's default. */
  readonly language: string;
  /** Given back unchanged, and not used. */
  readonly prompt: string;
  /** The settings of turn detection; null: the client commits. */
  readonly turns: TurnSettings | null;
};

/** The turn detection that a client asked for, and the one in use. */
export type TurnSettings = TurnOptions & {
  /** The client's setting, where another is used instead; null where it is used as asked. */
  readonly note: string | null;
};

/** OpenAI's own. */
export const DEFAULT_SESSION: SessionConfig = {
  rateHz: 24_000,
  model: '',
  language: '',
  prompt: '',
  turns: null,
};

const MAX_TEXT = 8_192;

/** The settings that a client must name again when the update that named them was refused. */
export type NamedPart = 'format' | 'language';

/**
 * The session after an update: what is not named stays. Both forms are read wherever they come,
 * `audio.input` of today and the flat fields from before, for clients mix them. Throws a
 * RealtimeProblem for what this server cannot do; then nothing of the update counts.
 */
export function updated(before: SessionConfig, session: unknown): SessionConfig {
  const given = record(session, 'session');
  if (given.type !== undefined && given.type !== 'transcription') {
    throw new RealtimeProblem('session_type', "session.type must be 'transcription'.");
  }
  const input = record(record(given.audio, 'session.audio').input, 'session.audio.input');
  refuseStrayLanguage(session, [input.transcription, given.input_audio_transcription]);
  const transcription = agreeing(
    readTranscription(input.transcription, 'session.audio.input.transcription'),
    readTranscription(given.input_audio_transcription, 'session.input_audio_transcription'),
  );
  const format = agreeing(readFormat(input.format), readOldFormat(given.input_audio_format));
  const turns = agreeing(readTurns(input.turn_detection), readTurns(given.turn_detection));
  return { ...before, ...format, ...transcription, ...turns };
}

/** The settings that an update names, as far as they can be read. Never throws. */
export function namedIn(session: unknown): readonly NamedPart[] {
  const given = fieldsOf(session);
  const input = fieldsOf(fieldsOf(given.audio).input);
  const isFormatNamed = [input.format, given.input_audio_format].some((one) => one !== undefined);
  const isLanguageNamed = [input.transcription, given.input_audio_transcription].some(
    (one) => fieldsOf(one).language !== undefined,
  );
  return [
    ...(isFormatNamed ? ['format' as const] : []),
    ...(isLanguageNamed ? ['language' as const] : []),
  ];
}

/** As `session.created` and `session.updated` give it. */
export function described(id: string, config: SessionConfig) {
  const { rateHz, model, language, prompt, turns } = config;
  return {
    type: 'transcription',
    object: 'realtime.transcription_session',
    id,
    audio: {
      input: {
        format: { type: 'audio/pcm', rate: rateHz },
        transcription: { model, language, prompt },
        turn_detection: describedTurns(turns),
        noise_reduction: null,
      },
    },
    include: [],
  };
}

/** The same in the form it had before. */
export function describedOldForm(id: string, { model, language, prompt, turns }: SessionConfig) {
  return {
    object: 'realtime.transcription_session',
    id,
    input_audio_format: 'pcm16',
    input_audio_transcription: { model, language, prompt },
    turn_detection: describedTurns(turns),
  };
}

function describedTurns(turns: TurnSettings | null) {
  if (turns === null) return null;
  const { threshold, prefixPaddingMs, silenceMs, note } = turns;
  return {
    type: 'server_vad',
    threshold,
    prefix_padding_ms: prefixPaddingMs,
    silence_duration_ms: silenceMs,
    ...(note !== null && { note }),
  };
}

/** OpenAI's own. */
const DEFAULT_TURNS: TurnSettings = {
  threshold: 0.5,
  prefixPaddingMs: 300,
  silenceMs: 500,
  note: null,
};

/** The quiet that is waited for where a client says how eager the server is to be. */
const EAGERNESS_MS: Readonly<Record<string, number>> = { low: 1_200, medium: 700, high: 400 };

const MAX_PADDING_MS = 5_000;
const MAX_SILENCE_MS = 10_000;

function readTurns(given: unknown): Partial<SessionConfig> {
  if (given === undefined) return {};
  if (given === null) return { turns: null };
  const fields = record(given, 'turn_detection');
  if (fields.type === 'semantic_vad') {
    const silenceMs = EAGERNESS_MS[String(fields.eagerness)] ?? EAGERNESS_MS.medium ?? 0;
    const note =
      'semantic_vad is taken as server_vad: this server hears pauses, and not whether a sentence is over.';
    return { turns: { ...DEFAULT_TURNS, silenceMs, note } };
  }
  if (fields.type !== 'server_vad' && fields.type !== undefined) {
    const message =
      "turn_detection.type must be 'server_vad' or 'semantic_vad', or turn_detection null.";
    throw new RealtimeProblem('turn_detection_not_supported', message);
  }
  const numberOf = (name: string, most: number, absent: number) => {
    const value = fields[name] ?? absent;
    if (typeof value === 'number' && value >= 0 && value <= most) return value;
    const message = `turn_detection.${name} must be a number from 0 to ${most}.`;
    throw new RealtimeProblem('field_invalid', message);
  };
  const turns = {
    threshold: numberOf('threshold', 1, DEFAULT_TURNS.threshold),
    prefixPaddingMs: numberOf('prefix_padding_ms', MAX_PADDING_MS, DEFAULT_TURNS.prefixPaddingMs),
    silenceMs: numberOf('silence_duration_ms', MAX_SILENCE_MS, DEFAULT_TURNS.silenceMs),
    note: null,
  };
  return { turns };
}

function readFormat(given: unknown): Partial<SessionConfig> {
  if (given === undefined) return {};
  const { type, rate } = record(given, 'session.audio.input.format');
  const isKnownRate = rate === undefined || rate === 16_000 || rate === 24_000;
  if (type !== 'audio/pcm' || !isKnownRate) {
    throw new RealtimeProblem('audio_format', 'format must be audio/pcm at 24000 or 16000.');
  }
  return rate === undefined ? {} : { rateHz: rate };
}

/** OpenAI's names of the formats before; this one is at 24 kHz. */
function readOldFormat(given: unknown): Partial<SessionConfig> {
  if (given === undefined) return {};
  if (given === 'pcm16') return { rateHz: 24_000 };
  throw new RealtimeProblem('audio_format', "input_audio_format must be 'pcm16'.");
}

/** Both forms of the same wish; throws when they say different things. */
function agreeing(a: Partial<SessionConfig>, b: Partial<SessionConfig>): Partial<SessionConfig> {
  const names = ['rateHz', 'model', 'language', 'prompt', 'turns'] as const;
  const says = (one: unknown) => JSON.stringify(one);
  const differs = names.some((name) => name in a && name in b && says(a[name]) !== says(b[name]));
  if (!differs) return { ...a, ...b };
  throw new RealtimeProblem('field_invalid', 'The two forms of the session differ: use one.');
}

const LANGUAGE_NAMES: ReadonlySet<string> = new Set([
  ...['language', 'languages', 'language_code', 'language_hints', 'lang'],
]);

/** Throws for a language that stands where it is not read: another one would be written. */
function refuseStrayLanguage(session: unknown, read: readonly unknown[]): void {
  const left: unknown[] = [session];
  while (left.length > 0) {
    const object = left.pop();
    if (typeof object !== 'object' || object === null) continue;
    for (const [name, value] of Object.entries(object)) {
      left.push(value);
      const isRead = name === 'language' && read.includes(object);
      const isText = typeof value === 'string' ? value !== '' : Array.isArray(value);
      if (isRead || !isText || !LANGUAGE_NAMES.has(name)) continue;
      const message = 'The language belongs into session.audio.input.transcription.language.';
      throw new RealtimeProblem('field_invalid', message);
    }
  }
}

function readTranscription(given: unknown, name: string): Partial<SessionConfig> {
  if (given === undefined || given === null) return {};
  const fields = record(given, name);
  const texts: Record<string, string> = {};
  for (const field of ['model', 'language', 'prompt'] as const) {
    const value = fields[field] === null ? '' : fields[field];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length > MAX_TEXT) {
      throw new RealtimeProblem('field_invalid', `${name}.${field} must be a short text.`);
    }
    texts[field] = value;
  }
  return texts;
}

/** The fields of an object; none of anything else. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return fieldsOf(value);
  throw new RealtimeProblem('field_invalid', `${name} must be an object.`);
}
