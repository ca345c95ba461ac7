import type { ErrorInfo } from '../errors.ts';

/**
 * Speech that is safe in the journal and cannot be brought into the queue: no encoder would take
 * it. The person is offered its audio, another try, and to throw it away.
 */
export type KeptRecording = {
  readonly dictationId: string;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  /** Of the speech that is not in the queue. */
  readonly durationSamples: number;
  readonly error: ErrorInfo;
};
