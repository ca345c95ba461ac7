import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../src/core/clock.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { Caller } from '../access/callers.ts';
import type { AnswerMemory } from '../answers/answer-memory.ts';
import { ApiError } from '../core/api-error.ts';
import type { ServerLimits } from '../core/limits.ts';
import type { EngineDescription } from '../engine/engine-port.ts';
import { refuseMethod } from '../http/error-answers.ts';
import { receiveUpload } from '../http/receive-upload.ts';
import { noteFacts } from '../http/request-log.ts';
import type { Admission, Admitted } from '../scheduling/admission.ts';
import { chooseLanguage } from '../transcription/choose-language.ts';
import type {
  TranscriptionAnswer,
  TranscriptionJob,
  TranscriptionService,
} from '../transcription/transcription-service.ts';
import { type FormFields, flag, readForm, uploadTooLarge } from './read-form.ts';
import {
  errorAnswers,
  FORM_SCHEMA,
  RECORDING_ERRORS,
  TRANSCRIPTION_HEADERS_SCHEMA,
  TRANSCRIPTION_SCHEMA,
} from './schemas.ts';

/** The parts that the routes that take recordings work with. */
export type RecordingPorts = {
  readonly service: TranscriptionService;
  readonly answers: AnswerMemory<TranscriptionAnswer>;
  readonly engine: () => EngineDescription;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  /** Aborts, with what is said to them, when uploads that still come are to end. */
  readonly ending: AbortSignal;
  /** Counts what all of them have under way. */
  readonly admission: Admission;
  /** Says who asks; throws for a client that may not, before its body is read. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Caller;
  /** Counts a request that turns out to be a preview with those, and no longer with finals. */
  readonly admitPreview: (caller: Caller) => void;
};

/** A recording with what is wished of it; `language` is as the client wrote it. */
export type RecordingForm = TranscriptionJob;

/** One recording's form and what was heard in it. */
type TakenRecording<Form> = { readonly form: Form; readonly answer: TranscriptionAnswer };

/** Boundaries and the small fields around the file. */
const FORM_OVERHEAD_BYTES = 16 * 1024;

/**
 * The way of every recording, whatever form it comes in: who may, how much, in which language, once
 * for each Idempotency-Key (previews have none), and what is noted of it. `read` reads the body.
 * Rejects with an ApiError.
 */
export function createTakeRecording(ports: RecordingPorts) {
  const { service, engine, limits, clock, ending, admission, admit, admitPreview } = ports;
  const size = {
    maxBytes: limits.maxUploadBytes + FORM_OVERHEAD_BYTES,
    tooLarge: () => uploadTooLarge(limits.maxUploadBytes),
  };

  async function transcribe<Form extends RecordingForm>(
    request: FastifyRequest,
    caller: Caller,
    admitted: Admitted,
    signal: AbortSignal,
    read: () => Promise<Form>,
  ): Promise<TakenRecording<Form>> {
    const key = readIdempotencyKey(request);
    if (Number(request.headers['content-length'] ?? 0) > size.maxBytes) throw size.tooLarge();
    const receive = { admitted, pace: limits, size, clock, ending };
    const form = await receiveUpload(request, receive, read);
    const { file, removePii, fixSpelling, fast, rank } = form;
    const isPreview = rank === 'preview';
    if (isPreview) {
      noteFacts(request, { isPreview });
      admitPreview(caller);
    }
    const language = chooseLanguage(form.language, engine(), request.headers['accept-language']);
    const { vocabulary } = form;
    const expected = vocabulary === undefined ? {} : { vocabulary };
    const job = { file, removePii, fixSpelling, fast, language, rank, ...expected };
    noteFacts(request, { uploadBytes: file.length, language });
    const answer =
      key === null || isPreview
        ? await service.transcribe(caller.client, job, signal, 'stop')
        : await answerOnce(request, caller, key, job, signal);
    return { form, answer };
  }

  async function answerOnce(
    request: FastifyRequest,
    { client, keySpace }: Caller,
    key: string,
    job: TranscriptionJob,
    signal: AbortSignal,
  ): Promise<TranscriptionAnswer> {
    let isRepeated = true;
    const answer = await ports.answers.answer(
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

  return async <Form extends RecordingForm>(
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => Promise<Form>,
  ): Promise<TakenRecording<Form>> => {
    const signal = signalOfClient(reply);
    const caller = admit(request, reply);
    service.requireRoom(caller.client);
    const admitted = admission.enter(caller.client);
    try {
      const taken = await transcribe(request, caller, admitted, signal, read);
      const { answer } = taken;
      noteFacts(request, {
        engine: answer.engine,
        language: answer.language,
        audioMs: answer.durationMs,
        complete: answer.complete,
        isEmpty: answer.transcription === '',
      });
      return taken;
    } finally {
      admitted.leave();
    }
  };
}

/** Takes one recording: see `createTakeRecording`. */
export type TakeRecording = ReturnType<typeof createTakeRecording>;

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
  // Only finals have one: their rank says nothing, and servers before it did not know it. Words to
  // expect may have changed since the last try.
  const { file, rank: _, vocabulary: __, ...fields } = job;
  const inOrder = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(inOrder)).update(file).digest('base64');
}

/** Where speech is turned into text (docs/behaviour.md, The call). */
export const TRANSCRIBE_PATH = '/api/asr/vad';

/** `POST /api/asr/vad`. */
export function addTranscribeRoute(
  app: FastifyInstance,
  takeRecording: TakeRecording,
  maxUploadBytes: number,
): void {
  const schema = {
    summary: 'Turns one recording into text',
    consumes: ['multipart/form-data'],
    headers: TRANSCRIPTION_HEADERS_SCHEMA,
    body: FORM_SCHEMA,
    security: [{ token: [] }, { cookie: [] }],
    response: { 200: TRANSCRIPTION_SCHEMA, ...errorAnswers(RECORDING_ERRORS) },
  };
  app.options(TRANSCRIBE_PATH, refuseMethod('POST'));
  app.post(TRANSCRIBE_PATH, { schema }, async (request, reply) => {
    const { form, answer } = await takeRecording(request, reply, () =>
      readTranscriptionForm(request, maxUploadBytes),
    );
    const { parts: _, ...plain } = answer;
    return form.wantsTimes ? answer : plain;
  });
}

/**
 * Reads the form of `POST /api/asr/vad`. Throws 400 for what is missing, doubled, unknown or none
 * of its values, 413 for a file over `maxUploadBytes`, 415 when it is no multipart form. Absent
 * flags have the page's defaults.
 */
async function readTranscriptionForm(
  request: FastifyRequest,
  maxUploadBytes: number,
): Promise<RecordingForm & { readonly wantsTimes: boolean }> {
  const { file, texts } = await readForm(request, FIELDS, maxUploadBytes);
  const vocabulary = texts.get('vocabulary');
  return {
    wantsTimes: flag(texts, 'times', false),
    file,
    removePii: flag(texts, 'removePii', DEFAULT_SESSION_OPTIONS.removePii),
    fixSpelling: flag(texts, 'fixSpelling', DEFAULT_SESSION_OPTIONS.fixSpelling),
    fast: flag(texts, 'fast', DEFAULT_SESSION_OPTIONS.fast),
    rank: flag(texts, 'preview', false) ? 'preview' : 'final',
    language: texts.get('language') ?? DEFAULT_SESSION_OPTIONS.language,
    ...(vocabulary !== undefined && { vocabulary }),
  };
}

const FIELDS: FormFields = {
  file: 'audioFile',
  texts: ['removePii', 'fixSpelling', 'language', 'fast', 'preview', 'times', 'vocabulary'],
  // More than any engine takes of words to expect.
  maxTextBytes: 4_096,
  // A misspelt removePii must not pass in silence.
  unknown: 'refused',
};
