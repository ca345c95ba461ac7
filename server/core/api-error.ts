/** Every error code of an answer; `README.md` has the table with the statuses. */
export type ApiErrorCode =
  | 'audio_corrupted'
  | 'audio_too_long'
  | 'audio_unsupported'
  | 'client_closed'
  | 'encoding_unsupported'
  | 'engine_answer_wrong'
  | 'engine_busy'
  | 'engine_failed'
  | 'engine_loading'
  | 'engine_refused'
  | 'engine_timeout'
  | 'engine_unreachable'
  | 'field_invalid'
  | 'field_repeated'
  | 'field_unknown'
  | 'file_empty'
  | 'file_missing'
  | 'form_malformed'
  | 'host_not_allowed'
  | 'idempotency_key_invalid'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'language_not_supported'
  | 'method_not_allowed'
  | 'not_found'
  | 'not_multipart'
  | 'origin_not_allowed'
  | 'preview_replaced'
  | 'queue_full'
  | 'rate_limited'
  | 'request_invalid'
  | 'request_timeout'
  | 'shutting_down'
  | 'unauthorized'
  | 'other_account'
  | 'upload_too_large'
  | 'upload_too_slow';

/** The body of every error answer. */
export type ApiErrorBody = {
  readonly error: {
    readonly code: ApiErrorCode;
    readonly message: string;
    readonly share?: number;
  };
};

/** The body of an error answer in OpenAI's form. */
type OpenAiErrorBody = {
  readonly error: {
    readonly message: string;
    readonly type: 'invalid_request_error' | 'rate_limit_error' | 'server_error';
    readonly param: null;
    /** One of ours: programs show it, and go by the status. */
    readonly code: ApiErrorCode;
  };
};

/** An error meant for the client: `message` may be shown to a developer and never holds content. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly code: ApiErrorCode;
  /** Whole seconds after which trying again makes sense (`Retry-After`); null when it does not. */
  readonly retryAfterS: number | null;
  /** The share that is done of what is waited for, 0 to 1; null when nobody knows. */
  readonly share: number | null;

  constructor(
    status: number,
    code: ApiErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly retryAfterS?: number;
      readonly share?: number;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.code = code;
    this.retryAfterS = options.retryAfterS ?? null;
    this.share = options.share ?? null;
  }

  /** The body as it goes over the wire. */
  toBody(): ApiErrorBody {
    const { code, message, share } = this;
    return { error: { code, message, ...(share === null ? {} : { share }) } };
  }

  /** The same as OpenAI's programs read it. */
  toOpenAiBody(): OpenAiErrorBody {
    const { message, code, status } = this;
    const ofClient = status === 429 ? 'rate_limit_error' : 'invalid_request_error';
    return {
      error: { message, type: status < 500 ? ofClient : 'server_error', param: null, code },
    };
  }
}

/** The caller went away. 499 (nginx's number for it) stands in the log; nobody reads the answer. */
export function clientClosed(): ApiError {
  return new ApiError(499, 'client_closed', 'The client closed the connection.');
}
