/** How much the server takes on; each protects memory or the queue from one client too many. */
export type ServerLimits = {
  /** The largest audio file, in bytes; over it 413. @default 32 MiB */
  readonly maxUploadBytes: number;
  /** The longest audio, in ms; over it 413. @default 600000 (10 min) */
  readonly maxAudioMs: number;
  /** Transcriptions that run at once; each keeps about one core busy. @default 1 */
  readonly concurrency: number;
  /** Transcriptions that wait for a turn; over it 503 with Retry-After. @default 64 */
  readonly maxWaiting: number;
  /** Upload bytes held in memory by all requests together; over it 503. @default 256 MiB */
  readonly maxHeldBytes: number;
  /** Transcriptions a minute for each client; over it 429. 0: no limit. @default 0 */
  readonly maxPerMinute: number;
  /** How long an answer is kept for its `Idempotency-Key`, in ms. @default 600000 (10 min) */
  readonly answerKeptMs: number;
  /** Answers kept at most; the oldest goes first. @default 500 */
  readonly maxAnswersKept: number;
};

const MIB = 1024 * 1024;

/**
 * 64 waiting chunks of 90 s take two cores about a minute and a half, which is still within the
 * client's 120 s; a longer queue would only produce time-outs.
 */
export const DEFAULT_LIMITS: ServerLimits = {
  maxUploadBytes: 32 * MIB,
  maxAudioMs: 600_000,
  concurrency: 1,
  maxWaiting: 64,
  maxHeldBytes: 256 * MIB,
  maxPerMinute: 0,
  answerKeptMs: 600_000,
  maxAnswersKept: 500,
};
