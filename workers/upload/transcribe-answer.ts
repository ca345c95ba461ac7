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
