import { FRAME_SAMPLES, rangeSamples, type SampleRange } from '../audio/audio-format.ts';
import type { SessionOptions } from '../options/dictation-options.ts';
import type { JournalCut } from '../queue/queue-item.ts';

/** The form of what the journal holds; raised when a stored record changes its shape. */
export const JOURNAL_SCHEMA_VERSION = 1;

/** Everything a recovery needs to make text of a session's audio as the session would have. */
export type JournalHeader = {
  readonly dictationId: string;
  /** Ms since 1970; 0 if the header was lost and only the audio is left. */
  readonly startedAtMs: number;
  readonly options: SessionOptions;
  /** Thrown away by a person who has not had it back: its words are nobody's. @default false */
  readonly isCancelled?: boolean | undefined;
  /** `JOURNAL_SCHEMA_VERSION` of the writer. */
  readonly schemaVersion: number;
};

/** A place where audio stops being continuous: `FrameMessage` of the same kind. */
export type JournalMark = {
  readonly kind: 'paused' | 'gap';
  /** Samples at 16 kHz since the session began; what lies before and after is not one utterance. */
  readonly atSample: number;
};

/** Nothing cut yet. */
export const NO_CUT: JournalCut = {
  nextChunkNumber: 0,
  cutUpToSample: 0,
  isInSpeech: false,
  spokenSamples: 0,
};

/** A number that no chunk of an ordinary session reaches. */
export const FAR_NUMBER = 1_000_000;

/**
 * The journal cannot be read now, so new chunks are numbered from their position, above
 * `FAR_NUMBER`: none overwrites what may be in the queue or the journal.
 */
export function unknownCut(fromSample = 0): JournalCut {
  return {
    nextChunkNumber: FAR_NUMBER + Math.ceil(fromSample / FRAME_SAMPLES),
    cutUpToSample: fromSample,
    isInSpeech: fromSample > 0,
  };
}

/**
 * A cut was noted and cannot be read: all that is left, from `firstSample` on, is made into chunks
 * whose numbers no other can have, as speech from the first sample, whatever the engine says. Words
 * may come twice then, but the rest of one that was cut is not lost, and nothing in the queue is
 * written over.
 */
export function unreadableCut(firstSample: number): JournalCut {
  return { nextChunkNumber: FAR_NUMBER, cutUpToSample: firstSample, isInSpeech: true };
}

/** A piece of a recording. */
export type JournalPart =
  /** Continuous audio at 16 kHz, mono, 16-bit PCM. */
  | { readonly kind: 'audio'; readonly startSample: number; readonly pcm: Int16Array }
  /**
   * No audio here: found silent and dropped, there once and not to be read (then a note says so),
   * or in a chunk already.
   */
  | ({ readonly kind: 'hole'; readonly cause: 'silent' | 'unreadable' | 'chunk' } & SampleRange)
  | JournalMark;

/** The rest of a session in the journal. */
export type JournalRecording = {
  readonly header: JournalHeader;
  readonly cut: JournalCut;
  /** In the order of time, without overlaps; holes fill the places between. */
  readonly parts: readonly JournalPart[];
  /** Ranges behind the cut that are in a chunk already: see `JournalCut.taken`. */
  readonly taken: readonly SampleRange[];
  /** Records that could not be read, for developers; empty if all is well. */
  readonly notes: readonly string[];
};

/**
 * A journal without the sound that chunks hold already: behind its cut there is some where a worker
 * went on that could not read it. `inChunks` are the ranges of the chunks that are known. Where
 * nothing is left before them the cut is moved behind them.
 */
export function restOf(
  { cut, parts, taken }: Pick<JournalRecording, 'cut' | 'parts' | 'taken'>,
  inChunks: readonly SampleRange[],
): Pick<JournalRecording, 'cut' | 'parts'> {
  const beyond = union([...taken, ...inChunks], cut.cutUpToSample);
  if (beyond.length === 0) return { cut, parts };
  const left = beyond.reduce<readonly JournalPart[]>(
    (rest, range) => rest.flatMap((part) => without(part, range)),
    parts,
  );
  const endSample = Math.max(...beyond.map((range) => range.endSample));
  const isLeftBefore = left.some((part) => part.kind === 'audio' && part.startSample < endSample);
  if (isLeftBefore) {
    // Speech is cut in its order: no chunk is to come of what lies between.
    const startSample = Math.max(...left.map(endOf));
    const rest: JournalPart = { kind: 'hole', cause: 'chunk', startSample, endSample };
    return { cut, parts: startSample < endSample ? [...left, rest] : left };
  }
  const { nextChunkNumber, spokenSamples } = cut;
  const moved = unknownCut(endSample);
  const samples = beyond.reduce((sum, range) => sum + rangeSamples(range), 0);
  return {
    cut: {
      ...moved,
      nextChunkNumber: Math.max(nextChunkNumber, moved.nextChunkNumber),
      ...(spokenSamples === undefined ? {} : { spokenSamples: spokenSamples + samples }),
    },
    parts: left.filter((part) => endOf(part) > endSample),
  };
}

/** The same samples behind `fromSample`, in the order of time and each once. */
function union(ranges: readonly SampleRange[], fromSample: number): readonly SampleRange[] {
  const sorted = [...ranges].sort((one, other) => one.startSample - other.startSample);
  const joined: SampleRange[] = [];
  let reached = fromSample;
  for (const { startSample, endSample } of sorted) {
    if (endSample <= reached) continue;
    joined.push({ startSample: Math.max(startSample, reached), endSample });
    reached = endSample;
  }
  return joined;
}

function without(part: JournalPart, range: SampleRange): readonly JournalPart[] {
  if (part.kind !== 'audio') return [part];
  const { startSample, pcm } = part;
  const endSample = startSample + pcm.length;
  const from = Math.max(startSample, range.startSample);
  const to = Math.min(endSample, range.endSample);
  if (from >= to) return [part];
  const before: JournalPart = { ...part, pcm: pcm.subarray(0, from - startSample) };
  const hole: JournalPart = { kind: 'hole', cause: 'chunk', startSample: from, endSample: to };
  const after: JournalPart = { ...part, startSample: to, pcm: pcm.subarray(to - startSample) };
  return [before, hole, after].filter((one) => one.kind !== 'audio' || one.pcm.length > 0);
}

/** The sample at which a part ends; a mark has no length. */
export function endOf(part: JournalPart): number {
  if (part.kind === 'audio') return part.startSample + part.pcm.length;
  return part.kind === 'hole' ? part.endSample : part.atSample;
}
