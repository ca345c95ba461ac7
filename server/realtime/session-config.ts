import { RealtimeProblem } from './realtime-problem.ts';

/** What a connection has been told about the audio that comes. */
export type SessionConfig = {
  /** Of the 16-bit mono samples. */
  readonly rateHz: 16_000 | 24_000;
  /** Any, and given back as it came: the language decides which engine writes. */
  readonly model: string;
  /** As the client wrote it; '' is the server's default. */
  readonly language: string;
  /** Given back as it came, and not used. */
  readonly prompt: string;
};

/** OpenAI's own. */
export const DEFAULT_SESSION: SessionConfig = {
  rateHz: 24_000,
  model: '',
  language: '',
  prompt: '',
};

const MAX_TEXT = 8_192;

/**
 * The session after `session.update`: what is not named stays. Throws a RealtimeProblem for what
 * this server cannot do.
 */
export function updated(before: SessionConfig, session: unknown): SessionConfig {
  const given = record(session, 'session');
  if (given.type !== undefined && given.type !== 'transcription') {
    throw new RealtimeProblem('session_type', "session.type must be 'transcription'.");
  }
  const input = record(record(given.audio, 'session.audio').input, 'session.audio.input');
  refuseTurnDetection(input.turn_detection);
  return {
    ...before,
    ...readFormat(input.format),
    ...readTranscription(input.transcription, 'session.audio.input.transcription'),
  };
}

/** The same after `transcription_session.update`, the form it had before. */
export function updatedOldForm(before: SessionConfig, session: unknown): SessionConfig {
  const given = record(session, 'session');
  refuseTurnDetection(given.turn_detection);
  if (given.input_audio_format !== undefined && given.input_audio_format !== 'pcm16') {
    throw new RealtimeProblem('audio_format', "input_audio_format must be 'pcm16'.");
  }
  const transcription = given.input_audio_transcription;
  return { ...before, ...readTranscription(transcription, 'session.input_audio_transcription') };
}

/** As `session.created` and `session.updated` give it. */
export function described(id: string, { rateHz, model, language, prompt }: SessionConfig) {
  return {
    type: 'transcription',
    object: 'realtime.transcription_session',
    id,
    audio: {
      input: {
        format: { type: 'audio/pcm', rate: rateHz },
        transcription: { model, language, prompt },
        turn_detection: null,
        noise_reduction: null,
      },
    },
    include: [],
  };
}

/** The same in the form it had before. */
export function describedOldForm(id: string, { model, language, prompt }: SessionConfig) {
  return {
    object: 'realtime.transcription_session',
    id,
    input_audio_format: 'pcm16',
    input_audio_transcription: { model, language, prompt },
    turn_detection: null,
  };
}

function refuseTurnDetection(given: unknown): void {
  if (given === undefined || given === null) return;
  const message =
    'This server finds no turns: set turn_detection to null, and send input_audio_buffer.commit at each pause.';
  throw new RealtimeProblem('turn_detection_not_supported', message);
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

function readTranscription(given: unknown, name: string): Partial<SessionConfig> {
  if (given === undefined || given === null) return {};
  const fields = record(given, name);
  const texts: Record<string, string> = {};
  for (const field of ['model', 'language', 'prompt'] as const) {
    const value = fields[field];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' || value.length > MAX_TEXT) {
      throw new RealtimeProblem('field_invalid', `${name}.${field} must be a short text.`);
    }
    texts[field] = value;
  }
  return texts;
}

function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value));
  }
  throw new RealtimeProblem('field_invalid', `${name} must be an object.`);
}
