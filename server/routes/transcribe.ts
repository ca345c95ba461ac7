import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientKey } from '../access/client-key.ts';
import { createAdmission } from '../admission.ts';
import { ApiError } from '../api-error.ts';
import type { EngineDescription } from '../engine/engine-port.ts';
import type { AnswerMemory } from '../idempotency.ts';
import type { ServerLimits } from '../limits.ts';
import { noteFacts } from '../request-facts.ts';
import type {
  TranscriptionAnswer,
  TranscriptionJob,
  TranscriptionService,
} from '../transcription-service.ts';
import { chooseLanguage } from './choose-language.ts';
import { readTranscriptionForm, uploadTooLarge } from './transcription-form.ts';

/** Where speech is turned into text (spec, section 7). */
export const TRANSCRIBE_PATH = '/api/asr/vad';

/** Boundaries and the small fields around the file. */
const FORM_OVERHEAD_BYTES = 16 * 1024;

/** What the route works with. */
export type TranscribePorts = {
  readonly service: TranscriptionService;
  readonly answers: AnswerMemory<TranscriptionAnswer>;
  readonly engine: EngineDescription;
  readonly limits: ServerLimits;
  /** Throws for a client that may not ask, before its body is read. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => void;
};

/** `POST /api/asr/vad`. */
export function addTranscribeRoute(app: FastifyInstance, ports: TranscribePorts): void {
  const { service, answers, engine, limits, admit } = ports;
  const admission = createAdmission(limits.maxHeldBytes);

  async function transcribe(request: FastifyRequest, signal: AbortSignal) {
    const key = readIdempotencyKey(request);
    const { file, ...fields } = await readTranscriptionForm(request, limits.maxUploadBytes);
    const language = chooseLanguage(fields.language, engine);
    const job: TranscriptionJob = { ...fields, file, language };
    noteFacts(request, { uploadBytes: file.length, language });
    const client = clientKey(request);
    if (key === null) return service.transcribe(client, job, signal, 'stop');
    return answers.answer(key, fingerprintOf(job), signal, (workSignal) =>
      service.transcribe(client, job, workSignal, 'finish'),
    );
  }

  app.post(TRANSCRIBE_PATH, async (request, reply) => {
    const signal = signalOfClient(reply);
    admit(request, reply);
    service.requireRoom(clientKey(request));
    const leave = admission.enter(bodyBytes(request, limits.maxUploadBytes));
    try {
      const answer = await transcribe(request, signal);
      noteFacts(request, {
        engine: answer.engine,
        language: answer.language,
        audioMs: answer.durationMs,
        complete: answer.complete,
        isEmpty: answer.transcription === '',
      });
      return answer;
    } finally {
      leave();
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

/** What the body will take: as declared, else the most it may. Throws 413 when that is too much. */
function bodyBytes(request: FastifyRequest, maxUploadBytes: number): number {
  const most = maxUploadBytes + FORM_OVERHEAD_BYTES;
  const declared = Number(request.headers['content-length'] ?? most);
  if (declared > most) throw uploadTooLarge(maxUploadBytes);
  return declared;
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
