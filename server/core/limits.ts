/** The most that the server takes on; each protects memory or the queue from one client too many. */
export type ServerLimits = {
  /** The largest audio file, in bytes; over it 413. @default 32 MiB */
  readonly maxUploadBytes: number;
  /** The longest audio, in ms; over it 413. @default 600000 (10 min) */
  readonly maxAudioMs: number;
  /** The longest audio of a preview, in ms; over it 413. @default 30000 */
  readonly maxPreviewAudioMs: number;
  /** Transcriptions that run at once; each keeps about one core busy. @default 1 */
  readonly concurrency: number;
  /** Transcriptions that wait for a turn; over it 503 with Retry-After. @default 64 */
  readonly maxWaiting: number;
  /** Upload bytes held in memory by all requests together; over it 503. @default 256 MiB */
  readonly maxHeldBytes: number;
  /** Upload bytes held in memory by one client's requests; over it 429. @default 64 MiB */
  readonly maxHeldBytesPerClient: number;
  /** Requests one client may have under way at once; over it 429. 0: no limit. @default 32 */
  readonly maxUploadsPerClient: number;
  /** Audio of one client worked on at once, in ms; over it 429. 0: no limit. @default 1800000 */
  readonly maxAudioMsPerClient: number;
  /** Connections of one address at once; over it 429. 0: no limit. @default 1000 */
  readonly maxConnectionsPerAddress: number;
  /** The time a body may bring nothing at all, in ms; over it 408. @default 20000 */
  readonly bodyGraceMs: number;
  /** Each so many bytes give a body one more second. @default 500 (4 kbit/s) */
  readonly minBodyBytesPerS: number;
  /** The time a body may take, in ms; over it 408. Clients give up as soon. @default 120000 */
  readonly bodyTimeoutMs: number;
  /** The time a request's head may take, in ms; over it 408. @default 15000 */
  readonly headTimeoutMs: number;
  /** The time a connection may be silent both ways, in ms; answers take long. @default 660000 */
  readonly idleMs: number;
  /** The time it stays after an answer given before the whole request came. @default 2000 */
  readonly lingerMs: number;
  /** Memory of all the server's processes, in bytes; over it 503. @default no limit */
  readonly maxMemoryBytes: number;
  /** Audio of one realtime connection, in ms; over it the connection ends. @default 4 h */
  readonly maxRealtimeAudioMs: number;
  /** The time a realtime connection may say nothing, in ms. @default 300000 (5 min) */
  readonly realtimeIdleMs: number;
  /** Transcriptions a minute for each client; over it 429. 0: no limit. @default 0 */
  readonly maxPerMinute: number;
  /** The time an answer is remembered for its `Idempotency-Key`, in ms. @default 600000 (10 min) */
  readonly answerKeptMs: number;
  /** Answers kept at most; the oldest goes first. @default 500 */
  readonly maxAnswersKept: number;
  /** Bytes of answers kept at most; the oldest goes first. @default 16 MiB */
  readonly maxAnswerBytes: number;
};

const MIB = 1024 * 1024;

/**
 * 64 waiting chunks of 90 s take two cores about a minute and a half, which is still within the
 * client's 120 s; a longer queue would only produce time-outs.
 */
export const DEFAULT_LIMITS: ServerLimits = {
  maxUploadBytes: 32 * MIB,
  maxAudioMs: 600_000,
  // Twice a live piece: no final waits for more.
  maxPreviewAudioMs: 30_000,
  concurrency: 1,
  maxWaiting: 64,
  maxHeldBytes: 256 * MIB,
  maxHeldBytesPerClient: 64 * MIB,
  maxUploadsPerClient: 32,
  maxAudioMsPerClient: 1_800_000,
  // A hundred and more browsers behind one address, and few of a process's descriptors.
  maxConnectionsPerAddress: 1_000,
  bodyGraceMs: 20_000,
  minBodyBytesPerS: 500,
  bodyTimeoutMs: 120_000,
  headTimeoutMs: 15_000,
  // Longer than the longest time-out of an engine elsewhere.
  idleMs: 660_000,
  lingerMs: 2_000,
  maxMemoryBytes: Number.POSITIVE_INFINITY,
  maxRealtimeAudioMs: 14_400_000,
  realtimeIdleMs: 300_000,
  maxPerMinute: 0,
  answerKeptMs: 600_000,
  maxAnswersKept: 500,
  maxAnswerBytes: 16 * MIB,
};
