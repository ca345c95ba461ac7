import { setMaxListeners } from 'node:events';
import type { Clock } from '../../src/core/clock.ts';
import type { AudioDecoder } from '../audio/audio-decoder.ts';
import { ApiError, clientClosed } from '../core/api-error.ts';
import type { ServerLimits } from '../core/limits.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { createAudioShare } from '../scheduling/audio-share.ts';
import type { Rank } from '../scheduling/turn.ts';
import { createWorkQueue } from '../scheduling/work-queue.ts';
import type { TextRules } from '../text/text-rules.ts';
import type { TranscriptionAnswer, TranscriptionJob } from './transcription.ts';
import { createTranscriptionSteps } from './transcription-steps.ts';

/** What a job does when nobody waits for it any more: see `transcribe`. */
export type WhenAbandoned = 'stop' | 'finish';

/** Decodes, recognises and applies the text rules, a bounded number at a time. */
export type TranscriptionService = ReturnType<typeof createTranscriptionService>;

/** What the service works with. */
export type TranscriptionPorts = {
  readonly engines: EngineSet;
  readonly decoder: AudioDecoder;
  readonly textRules: TextRules;
  readonly limits: ServerLimits;
  readonly clock: Clock;
};

/** Never aborts: for jobs whose answer is kept. */
const KEEP_GOING = new AbortController().signal;
// As many listen as jobs run.
setMaxListeners(0, KEEP_GOING);

/** More work than this for each core is not done within the 120 s a client waits. */
const MAX_WAITING_WORK_MS = 100_000;

/**
 * A chunk of the page's, 90 s of Opus, is 388 kB. A file that holds more than it looks is charged to
 * its sender's account all the same.
 */
const SHORT_FILE_BYTES = 400_000;

/** Makes the one service of a server. */
export function createTranscriptionService(ports: TranscriptionPorts) {
  const { limits } = ports;
  const { concurrency, maxWaiting } = limits;
  const maxWaitingWorkMs = MAX_WAITING_WORK_MS * concurrency;
  const queue = createWorkQueue({ clock: ports.clock, concurrency, maxWaiting, maxWaitingWorkMs });

  const share = createAudioShare(limits.maxAudioMsPerClient);
  const steps = createTranscriptionSteps({ ...ports, share, limits });

  return {
    /**
     * Transcribes one file at the cost of `client`. When `signal` aborts, a waiting job is dropped. A
     * running one goes on if `whenAbandoned` is `finish` (its answer may yet be asked for), and ends
     * at the next pause if it is `stop`. Rejects with an ApiError.
     */
    async transcribe(
      client: string,
      job: TranscriptionJob,
      signal: AbortSignal,
      whenAbandoned: WhenAbandoned,
    ): Promise<TranscriptionAnswer> {
      steps.requireReady(job);
      const workSignal = whenAbandoned === 'finish' ? KEEP_GOING : signal;
      try {
        return await queue.run(
          client,
          (turn) => steps.take(job, workSignal, turn),
          signal,
          job.rank === 'final' && job.file.length <= SHORT_FILE_BYTES ? 'short' : job.rank,
        );
      } catch (error) {
        if (workSignal.aborted && !(error instanceof ApiError)) throw clientClosed();
        throw error;
      }
    },
    /** Throws what a new job of `client` would get at once, so that its body need not be read. */
    requireRoom(client: string, rank: Rank = 'final') {
      share.requireRoom(client);
      queue.requireRoom(client, rank);
    },
    load: queue.load,
    /** Refuses waiting and new jobs; running ones may finish. */
    close: queue.close,
  };
}
