import type { FastifyInstance } from 'fastify';
import { sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { AnswerMemory } from '../answers/answer-memory.ts';
import type { InFlight } from '../http/in-flight.ts';
import type { LingeringClose } from '../http/lingering-close.ts';
import { shuttingDown } from '../scheduling/refusals.ts';
import type { TranscriptionService } from '../transcription/transcription-service.ts';
import type { Readiness } from './readiness.ts';

/** What a stop goes through. */
export type StopPorts = {
  readonly readiness: Readiness;
  readonly service: TranscriptionService;
  /** Ends uploads that still come. */
  readonly endUploads: AbortController;
  readonly inFlight: InFlight;
  /** Work that goes on for a client who left, and asks for its answer again elsewhere. */
  readonly answers: Pick<AnswerMemory<unknown>, 'settled'>;
  readonly lingering: LingeringClose;
  readonly clock: Clock;
  /** How long files may still go out once the API has answered, in ms. */
  readonly filesMs: number;
};

/**
 * Makes the closing of an app a stop in good order. At once it is not ready, takes no new work and
 * ends half-sent uploads, all with 503 and when to come again. It goes on listening to say so until
 * what ran is answered, and every last answer has been read or had its time.
 */
export function stopInOrder(app: FastifyInstance, ports: StopPorts): void {
  const { readiness, service, endUploads, inFlight, answers, lingering, clock, filesMs } = ports;
  app.addHook('preClose', async () => {
    readiness.stop();
    service.close();
    endUploads.abort(shuttingDown());
    await inFlight.drained('api');
    await answers.settled();
    await Promise.race([inFlight.drained('all'), sleep(clock, filesMs)]);
    await lingering.gone();
  });
}
