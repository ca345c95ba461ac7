import { ApiError } from '../core/api-error.ts';

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
