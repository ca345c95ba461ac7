import { RealtimeProblem } from './realtime-problem.ts';

/** What a client says. */
export type ClientEvent =
  | { readonly kind: 'update'; readonly isOldForm: boolean; readonly session: unknown }
  | { readonly kind: 'append'; readonly audio: Uint8Array }
  | { readonly kind: 'commit' }
  | { readonly kind: 'clear' };

/** A message read as far as it could be. */
export type ReadMessage = {
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
