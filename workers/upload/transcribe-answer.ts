import { SAMPLE_RATE_HZ, samplesToMs } from '../../src/core/audio/audio-format.ts';
import { hasWord } from '../../src/core/blank-text.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { ChunkState, QueueItemHead, ReviewReason } from '../../src/core/queue/queue-item.ts';

/** Longer reasons are cut: they stand in snapshots and logs. */
const MAX_REASON_LENGTH = 300;

/** What a 200 answer says. */
export type TranscriptionAnswer = {
  readonly text: string;
  /**
   * False if the server itself says that the text may not be all, or says something else than that
   * it is.
   */
  readonly isComplete: boolean;
  /** A server like ours has taken out already what its engine invented. @default false */
  readonly isJudged?: boolean;
};

/** The text in the body of a 200 answer; null if the body is not what the contract says. */
export function readTranscription(body: string): TranscriptionAnswer | null {
  const answer = parseObject(body);
  if (typeof answer?.transcription !== 'string') return null;
  const { transcription: text, complete = true, textRules } = answer;
  const isJudged = toObject(textRules) !== null;
  return { text, isComplete: complete === true, ...(isJudged && { isJudged }) };
}

/**
 * `code: message` out of an error answer, `{ error: { code, message } }`; null if it is another.
 */
export function readServerError(body: string): string | null {
  const error = toObject(parseObject(body)?.error);
  const parts = [error?.code, error?.message].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : parts.join(': ').slice(0, MAX_REASON_LENGTH);
}

/** Whether an error answer says that the server cannot write the language. */
export function lacksLanguage(body: string): boolean {
  return toObject(parseObject(body)?.error)?.code === 'language_not_supported';
}

/** How much of what an error answer says is being made ready is done, 0 to 1; null if it says none. */
export function readShare(body: string): number | null {
  const share = toObject(parseObject(body)?.error)?.share;
  return typeof share === 'number' && share >= 0 && share <= 1 ? share : null;
}

type JsonObject = { readonly [key: string]: unknown };

function parseObject(body: string): JsonObject | null {
  try {
    return toObject(JSON.parse(body));
  } catch {
    return null;
  }
}

function toObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null ? { ...value } : null;
}

/** So much of detected speech has words in it. */
const WORDLESS_SPEECH_SAMPLES = SAMPLE_RATE_HZ;

/**
 * An answer without what its engine invented, over so much speech, where that is known. The rule is
 * fetched for servers that have none; where it cannot be, the words come as they are.
 */
export async function judged(
  answer: TranscriptionAnswer,
  speechSamples?: number,
): Promise<TranscriptionAnswer> {
  if (answer.isJudged) return answer;
  try {
    const { judgeAnswer } = await import('../../src/core/text/judge-answer.ts');
    const evidence = speechSamples === undefined ? {} : { speechMs: samplesToMs(speechSamples) };
    const { text, isComplete } = judgeAnswer(answer.text, evidence);
    return { text, isComplete: answer.isComplete && isComplete };
  } catch {
    return answer;
  }
}

/** Why an answer cannot be all that was said in a chunk; null if it can. */
export function reviewReasonOf(
  { text, isComplete }: TranscriptionAnswer,
  { speechSamples }: Pick<QueueItemHead, 'speechSamples'>,
): ReviewReason | null {
  if (!hasWord(text) && speechSamples > WORDLESS_SPEECH_SAMPLES) return 'empty';
  return isComplete ? null : 'incomplete';
}

/** The state of a chunk once its text is in the user's hands. */
export function afterDelivery(
  { state, speechSamples }: Pick<QueueItemHead, 'state' | 'speechSamples'>,
  verdict: Exclude<DeliveryVerdict, false>,
): ChunkState & { readonly kind: 'delivered' } {
  if (state.kind === 'delivered') return state;
  if (state.kind !== 'answered') return { kind: 'delivered', text: '', needsReview: null };
  const { text } = state;
  const needsReview = state.needsReview ?? (verdict === 'altered' ? 'altered' : null);
  if (needsReview) return { kind: 'delivered', text, needsReview, hasAudio: true };
  // A worker that died before its answer was stored left a text that only the page knows.
  return {
    kind: 'delivered',
    text,
    needsReview: reviewReasonOf({ text, isComplete: true }, { speechSamples }),
  };
}
