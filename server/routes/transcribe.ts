import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../src/core/clock.ts';
import type { Caller } from '../access/callers.ts';
import type { AnswerMemory } from '../answers/answer-memory.ts';
import { ApiError } from '../core/api-error.ts';
import type { ServerLimits } from '../core/limits.ts';
import type { EngineDescription } from '../engine/engine-port.ts';
import { refuseMethod } from '../http/error-answers.ts';
import { receiveUpload } from '../http/receive-upload.ts';
import { noteFacts } from '../http/request-facts.ts';
import { type Admitted, createAdmission } from '../scheduling/admission.ts';
import type { TranscriptionAnswer, TranscriptionJob } from '../transcription/transcription.ts';
import type { TranscriptionService } from '../transcription/transcription-service.ts';
import { chooseLanguage } from './choose-language.ts';
import {
  errorAnswers,
  FORM_SCHEMA,
  TRANSCRIPTION_HEADERS_SCHEMA,
  TRANSCRIPTION_SCHEMA,
} from './schemas.ts';
import { readTranscriptionForm, uploadTooLarge } from './transcription-form.ts';

/** Where speech is turned into text (spec, section 7). */
export const TRANSCRIBE_PATH = '/api/asr/vad';

/** Boundaries and the small fields around the file. */
const FORM_OVERHEAD_BYTES = 16 * 1024;

/** What its error answers mean; the codes are in docs/api. */
const ERRORS: Readonly<Record<number, string>> = {
  400: 'The form cannot be used.',
  401: 'A token is needed.',
  403: 'Pages of this origin, or this name of the server, are not allowed.',
  408: 'The body came too slowly; try again.',
  409: 'The Idempotency-Key was used for other content.',
  413: 'The file or the audio is too large.',
  415: 'No multipart form, or no audio that can be read.',
  422: 'The audio is damaged, or the language not known.',
  429: 'Too much of one client; come again after Retry-After.',
  500: 'The server failed.',
  502: "An engine's server refused, or answered nonsense.",
  503: 'Not now; come again after Retry-After.',
  504: "An engine's server did not answer in time.",
};

/** What the route works with. */
export type TranscribePorts = {
  readonly service: TranscriptionService;
  readonly answers: AnswerMemory<TranscriptionAnswer>;
  readonly engine: () => EngineDescription;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  /** Aborts, with what is said to them, when uploads that still come are to end. */
  readonly ending: AbortSignal;
  /** Says who asks; throws for a client that may not, before its body is read. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Caller;
};

/** `POST /api/asr/vad`. */
export function addTranscribeRoute(app: FastifyInstance, ports: TranscribePorts): void {
  const { service, answers, engine, limits, clock, ending, admit } = ports;
  const admission = createAdmission(limits);
  const size = {
    maxBytes: limits.maxUploadBytes + FORM_OVERHEAD_BYTES,
    tooLarge: () => uploadTooLarge(limits.maxUploadBytes),
  };

  async function transcribe(
    request: FastifyRequest,
    { client, keySpace }: Caller,
    admitted: Admitted,
    signal: AbortSignal,
  ) {
    const key = readIdempotencyKey(request);
    if (Number(request.headers['content-length'] ?? 0) > size.maxBytes) throw size.tooLarge();
    const receive = { admitted, pace: limits, size, clock, ending };
    const { file, ...fields } = await receiveUpload(request, receive, () =>
      readTranscriptionForm(request, limits.maxUploadBytes),
    );
    const language = chooseLanguage(fields.language, engine(), request.headers['accept-language']);
    const job: TranscriptionJob = { ...fields, file, language };
    noteFacts(request, { uploadBytes: file.length, language });
    if (key === null) return service.transcribe(client, job, signal, 'stop');
    let isRepeated = true;
    const answer = await answers.answer(
      `${keySpace}\n${key}`,
      fingerprintOf(job),
      signal,
      (workSignal) => {
        isRepeated = false;
        return service.transcribe(client, job, workSignal, 'finish');
      },
    );
    if (isRepeated) noteFacts(request, { isRepeated });
    return answer;
  }

  const schema = {
    summary: 'Turns one recording into text',
    consumes: ['multipart/form-data'],
    headers: TRANSCRIPTION_HEADERS_SCHEMA,
    body: FORM_SCHEMA,
    security: [{ token: [] }, { cookie: [] }],
    response: { 200: TRANSCRIPTION_SCHEMA, ...errorAnswers(ERRORS) },
  };
  app.options(TRANSCRIBE_PATH, refuseMethod('POST'));
  app.post(TRANSCRIBE_PATH, { schema }, async (request, reply) => {
    const signal = signalOfClient(reply);
    const caller = admit(request, reply);
    service.requireRoom(caller.client);
    const admitted = admission.enter(caller.client);
    try {
      const answer = await transcribe(request, caller, admitted, signal);
      noteFacts(request, {
        engine: answer.engine,
        language: answer.language,
        audioMs: answer.durationMs,
        complete: answer.complete,
        isEmpty: answer.transcription === '',
      });
      return answer;
    } finally {
      admitted.leave();
    }
  });
}

/** Aborts when the connection closes before the answer is out. */
function signalOfClient(reply: FastifyReply): AbortSignal {
  const client = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) client.abort();
  });
  return client.signal;
}

function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const message = 'Idempotency-Key must be 1 to 200 visible ASCII characters.';
  throw new ApiError(400, 'idempotency_key_invalid', message);
}

/** Stands for the content of a request; the bytes on the wire differ with each form boundary. */
function fingerprintOf(job: TranscriptionJob): string {
  const { file, ...fields } = job;
  const inOrder = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(inOrder)).update(file).digest('base64');
}
