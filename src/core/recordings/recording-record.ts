import type { TranscriptionOptions } from '../options/dictation-options.ts';
import {
  type ChunkText,
  type DictationStart,
  joinTranscripts,
  textFlowOf,
} from '../queue/queue-item.ts';
import type { WordTime } from '../word-time.ts';
import type { Transcript } from './recording.ts';

export type { DictationStart as RecordingStart } from '../queue/queue-item.ts';

/** A request for another text that is not there yet: its pieces are in the queue, or will be. */
export type Ask = {
  /** Counted from 1; makes the session's id under which the pieces are sent. */
  readonly number: number;
  readonly atMs: number;
  readonly options: TranscriptionOptions;
};

/** A text as it is stored. */
export type StoredTranscript = Omit<Transcript, 'times'> & {
  /** Where in the dictation each word was said of what was heard; left out where nothing is known. */
  readonly heardTimes?: readonly (WordTime | null)[];
};

/** A text that was asked for, and has come. */
export type RewrittenText = Pick<StoredTranscript, 'text' | 'heard' | 'heardTimes' | 'needsReview'>;

/** A recording as it is stored, without its sound. */
export type RecordingRecord = DictationStart & {
  readonly durationSamples: number;
  readonly bytes: number;
  /** Null while it is being recorded, or to be completed from its journal. */
  readonly endedAtMs: number | null;
  /** When a text of it was delivered last; null if none was. */
  readonly deliveredAtMs: number | null;
  /** Texts of its chunks that are in the user's hands: they stand with the chunks. */
  readonly texts: readonly ChunkText[];
  /** The texts that were asked for later, oldest first. */
  readonly rewritten: readonly StoredTranscript[];
  /** The number of requests for another text. */
  readonly asks: number;
  readonly asked: Ask | null;
  readonly isInBin: boolean;
  /** The name of that bin: only there it can be had back. */
  readonly binnedBy: string | null;
  /** Chunks that waited were thrown away with it. */
  readonly isUnsent: boolean;
  /** Hours for which its owner keeps it; undefined where nobody has noted that yet. */
  readonly keepHours?: number;
};

/** A recording of which nothing is stored yet. */
export function newRecord(start: DictationStart): RecordingRecord {
  const { id, startedAtMs, options } = start;
  const { removePii, fixSpelling, fast, language, likelyLanguages } = options;
  return {
    id,
    startedAtMs,
    options: { removePii, fixSpelling, fast, language, likelyLanguages },
    durationSamples: 0,
    bytes: 0,
    endedAtMs: null,
    deliveredAtMs: null,
    texts: [],
    rewritten: [],
    asks: 0,
    asked: null,
    isInBin: false,
    binnedBy: null,
    isUnsent: false,
  };
}

/** With a text that was asked for, unless something else has been asked for since. */
export function withRewritten(
  record: RecordingRecord,
  ask: Ask,
  answer: RewrittenText,
  nowMs: number,
): RecordingRecord {
  if (record.asked?.number !== ask.number) return record;
  const by = { kind: 'again', ...ask.options } as const;
  const transcript: StoredTranscript = { ...answer, atMs: nowMs, by };
  return { ...record, asked: null, rewritten: [...record.rewritten, transcript] };
}

/** All texts of a recording, the newest last. */
export function transcriptsOf(record: RecordingRecord): readonly StoredTranscript[] {
  const { deliveredAtMs, texts, rewritten } = record;
  if (deliveredAtMs === null) return rewritten;
  const text = joinChunkTexts(texts, ({ text }) => text);
  const heard = joinChunkTexts(texts, ({ text, heard }) => heard ?? text);
  const first: StoredTranscript = {
    text,
    ...(heard !== text && { heard }),
    atMs: deliveredAtMs,
    by: { kind: 'first' },
    needsReview: texts.find(({ needsReview }) => needsReview !== null)?.needsReview ?? null,
  };
  return [first, ...rewritten];
}

function joinChunkTexts(texts: readonly ChunkText[], textOf: (chunk: ChunkText) => string): string {
  const byNumber = new Map(texts.map((chunk) => [chunk.number, textOf(chunk)]));
  return joinTranscripts(byNumber, textFlowOf(texts));
}

/** Before the ids of sessions that write a recording down again; no session's own id begins so. */
const PREFIX = 'again:';

/** The id of the session under which a recording is written down for the nth time (from 1). */
export function rewritingDictationId(recordingId: string, ask: number): string {
  return `${PREFIX}${ask}:${recordingId}`;
}

/** The recording that a session writes down again; null if it is an ordinary one. */
export function rewrittenBy(dictationId: string): { recordingId: string; ask: number } | null {
  if (!dictationId.startsWith(PREFIX)) return null;
  const [ask = '', ...rest] = dictationId.slice(PREFIX.length).split(':');
  return { recordingId: rest.join(':'), ask: Number(ask) };
}
