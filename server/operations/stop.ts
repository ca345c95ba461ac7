import { closeSync, openSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import SonicBoom from 'sonic-boom';
import { sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { AnswerMemory } from '../answers/answer-memory.ts';
import type { LingeringClose } from '../http/bare-app.ts';
import type { InFlight } from '../http/request-log.ts';
import { shuttingDown } from '../scheduling/work-queue.ts';
import type { TranscriptionService } from '../transcription/transcription-service.ts';
import type { Readiness } from './readiness.ts';

/** Where a log's lines go. */
export type LogStream = { write(line: string): void };

/**
 * Goes on when whoever reads the log or the output has gone (`| tee` that was ended, a closed
 * terminal): an error of these streams that nobody hears ends a process.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/**
 * The log: standard error, or the file at `path`. `SIGHUP` opens that anew, as whoever has moved it
 * away expects; without a file it changes nothing, unless a terminal has closed, which is `onHangUp`.
 * Throws where the file cannot be opened.
 */
export function openLog(path: string | null, onHangUp: () => void): LogStream {
  // Looked at now: a terminal that has closed is none any more.
  const isInteractive = process.stdin.isTTY === true;
  const file = path === null ? null : openFile(path);
  process.on('SIGHUP', () => {
    if (file !== null) file.reopen();
    else if (isInteractive) onHangUp();
  });
  return file ?? process.stderr;
}

/** At once, and in order with what follows: the last line before an end is the one that counts. */
function openFile(path: string): SonicBoom {
  // A file that cannot be opened is told now.
  closeSync(openSync(path, 'a'));
  const file = new SonicBoom({ dest: path, sync: true, append: true });
  let isSaid = false;
  file.on('ready', () => {
    isSaid = false;
  });
  file.on('error', (error: Error) => {
    // A full disk loses lines of the log and nothing else.
    if (!isSaid) process.stderr.write(`the log cannot be written: ${error.message}\n`);
    isSaid = true;
  });
  return file;
}

/** The parts that a stop goes through. */
type StopPorts = {
  readonly readiness: Readiness;
  readonly service: TranscriptionService;
  /** Ends uploads that still come. */
  readonly endUploads: AbortController;
  readonly inFlight: InFlight;
  /** Work that goes on for a client who left, and asks for its answer again elsewhere. */
  readonly answers: Pick<AnswerMemory<unknown>, 'settled'>;
  readonly lingering: LingeringClose;
  readonly clock: Clock;
  /** The time files may still go out once the API has answered, in ms. */
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
