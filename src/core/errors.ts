/**
 * Every way something can fail that a person or a developer must be able to tell apart.
 *
 * - `microphone-*`: opening or keeping the microphone.
 * - `microphone-framed`: the page is in a frame of another, which lets it have no microphone
 *   (`allow="microphone"`).
 * - `tab-sound-refused`: no tab was shared, or none with sound.
 * - `asset-*`: fetching a model, a WASM file or a script of ours.
 * - `file-unreadable`: a file that was to be written down has no sound, or none that can be read.
 * - `engine-failed`: the speech detector could not be trusted or threw.
 * - `engine-missing`: onnxruntime-web is needed, and nobody has said where it is; the message says
 *   what to install.
 * - `http-*`: a request that was not answered as it should be; `http-signed-out`: by whoever wants
 *   one to sign in.
 * - `language-missing`: the server cannot write the language of a recording.
 * - `insecure-page`: the page is not served over https, so the browser gives it no microphone.
 * - `webassembly-missing`: the browser has none, as in the Lockdown Mode of iPhones and Macs.
 * - `disposed`: the dictation was disposed of before it answered.
 * - `worker-crashed`, `worker-timeout`: the dictation worker is gone or does not answer.
 */
export type ErrorCode =
  | 'microphone-missing'
  | 'microphone-denied'
  | 'microphone-framed'
  | 'microphone-busy'
  | 'microphone-failed'
  | 'microphone-lost'
  | 'insecure-page'
  | 'webassembly-missing'
  | 'tab-sound-refused'
  | 'audio-graph-failed'
  | 'audio-context-closed'
  | 'audio-type-missing'
  | 'encoding-failed'
  | 'file-unreadable'
  | 'asset-unreachable'
  | 'asset-wrong'
  | 'engine-failed'
  | 'engine-missing'
  | 'http-status'
  | 'language-missing'
  | 'http-timeout'
  | 'http-network'
  | 'http-answer-wrong'
  | 'http-signed-out'
  | 'storage-failed'
  | 'worker-crashed'
  | 'worker-timeout'
  | 'disposed'
  | 'wrong-phase'
  | 'bad-option';

/**
 * An error of Diktera's own: `code` for programs, `message` for developers, `cause` for the why.
 */
export class DikteraError extends Error {
  override readonly name: string = 'DikteraError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** A plain, cloneable picture of an error: what crosses a thread or stands in a snapshot. */
export type ErrorInfo = {
  readonly code: ErrorCode;
  readonly message: string;
  /** The exception behind it, in words: `NotAllowedError: Permission denied`. */
  readonly cause?: string;
  /** The progress of the server's preparations for this, 0 to 1, where it says so. */
  readonly share?: number;
};

/** The picture of any thrown value; one that is no `DikteraError` gets `fallbackCode`. */
export function toErrorInfo(thrown: unknown, fallbackCode: ErrorCode): ErrorInfo {
  if (thrown instanceof DikteraError) {
    const { code, message, cause } = thrown;
    return { code, message, ...(cause ? { cause: String(cause) } : null) };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: fallbackCode, message };
}
