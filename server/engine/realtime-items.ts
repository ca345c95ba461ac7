import type { ApiError } from '../core/api-error.ts';
import { upstreamAnswerWrong, upstreamError } from './upstream-errors.ts';

/** What a speech server has said of the audio that was sent to it. */
export type RealtimeItems = {
  /** From now on what it commits is the last of it. */
  noteCommit(): void;
  /**
   * Takes in one event. Gives the text when all has been heard, else null. Throws an ApiError for
   * what ends it.
   */
  take(event: string): string | null;
};

const ITEM = 'conversation.item.input_audio_transcription';

type RealtimeEvent = Readonly<Record<string, unknown>>;

/**
 * Gathers the items of one recording. There should be one; a server that finds turns whether told
 * to or not makes several, and answers them in any order: their texts stand in the order in which
 * they were committed.
 */
export function createRealtimeItems(): RealtimeItems {
  const order: string[] = [];
  const texts = new Map<string, string>();
  let isCommitSent = false;
  let isLastKnown = false;

  function heard(): string | null {
    if (!isLastKnown || !order.every((id) => texts.has(id))) return null;
    return order
      .map((id) => texts.get(id)?.trim() ?? '')
      .filter((text) => text !== '')
      .join(' ');
  }

  function takeError({ error }: RealtimeEvent): string | null {
    const { code } = recordOf(error);
    // It had made items of all the audio before it was told to.
    if (code === 'input_audio_buffer_commit_empty' && isCommitSent && order.length > 0) {
      isLastKnown = true;
      return heard();
    }
    throw errorOf(error);
  }

  return {
    noteCommit() {
      isCommitSent = true;
    },
    take(message) {
      const event = parse(message);
      const { type, item_id: id } = event;
      if (type === 'error') return takeError(event);
      if (typeof id !== 'string') return null;
      if (type === 'input_audio_buffer.committed') {
        order.push(id);
        isLastKnown ||= isCommitSent;
      } else if (type === `${ITEM}.completed`) {
        if (typeof event.transcript !== 'string') throw upstreamAnswerWrong();
        texts.set(id, event.transcript);
      } else if (type === `${ITEM}.failed`) throw errorOf(event.error);
      return heard();
    },
  };
}

/** By what it says of itself; its message is left out: it could quote speech or a key. */
function errorOf(error: unknown): ApiError {
  const { code, type } = recordOf(error);
  const says = `${String(type)} ${String(code)}`;
  if (/rate_limit|quota|busy|overloaded/.test(says)) return upstreamError(429, null);
  return upstreamError(/invalid|not_found|auth|key/.test(says) ? 400 : 500, null);
}

function parse(message: string): RealtimeEvent {
  try {
    return recordOf(JSON.parse(message), upstreamAnswerWrong());
  } catch {
    throw upstreamAnswerWrong();
  }
}

function recordOf(value: unknown, otherwise?: ApiError): RealtimeEvent {
  if (typeof value === 'object' && value !== null) return value as RealtimeEvent;
  if (otherwise !== undefined) throw otherwise;
  return {};
}
