import type { SampleRange } from '../audio/audio-format.ts';
import type { EncodedAudio } from '../audio/audio-types.ts';
import { isNothing } from '../blank-text.ts';
import type { ErrorInfo } from '../errors.ts';
import type { TranscriptionOptions } from '../options/dictation-options.ts';
import type { WordTime } from '../word-time.ts';
import type { WrittenSnippet } from '../written-snippet.ts';
import { standingNumbers, withoutControls } from './taken-back.ts';

/** The place up to which a recording's audio is safe as chunks in the queue. */
export type JournalCut = {
  /** Chunks with smaller numbers are in the queue store, or already in the user's hands. */
  readonly nextChunkNumber: number;
  /** All speech before this sample is in those chunks. */
  readonly cutUpToSample: number;
  /**
   * The cut went through speech: what follows is speech from its first sample on, whatever the
   * engine says.
   */
  readonly isInSpeech: boolean;
  /** Samples that those chunks hold, in all; not known of what an older version has cut. */
  readonly spokenSamples?: number;
  /**
   * The journal could not be read, so no cut is known: only that these ranges are in the chunk, and
   * no recovery is to make another of them.
   */
  readonly taken?: readonly SampleRange[];
};

/** A cut, and whose it is. */
export type DictationCut = JournalCut & { readonly dictationId: string };

/** Why a text that came cannot be trusted to be all that was said. */
export type ReviewReason =
  /** No words for more than a second of frames detected as speech. */
  | 'empty'
  /** The server says that it is not all (`complete: false`). */
  | 'incomplete'
  /** The page cut or changed it on its way into the field. */
  | 'altered';

/** The text of a chunk. */
export type ChunkWords = {
  readonly text: string;
  /** The text before the rules for texts; left out where they changed nothing. */
  readonly heard?: string;
  /**
   * Where in its dictation each word was said of what was heard, parted by white space; left out
   * where the engine does not tell.
   */
  readonly times?: readonly WordTime[];
  /** The parts of it that snippets wrote; known until it is in the user's hands. @default nothing */
  readonly snippets?: readonly WrittenSnippet[];
  /** Why it may not be all that was said; null if it may. */
  readonly needsReview: ReviewReason | null;
};

/** The state of a chunk on its way to the user's hands. */
export type ChunkState =
  | PendingState
  /** The server will never take it as it is; the user decides. */
  | { readonly kind: 'refused'; readonly error: ErrorInfo }
  /** The text is here and not yet in the user's hands. */
  | ({ readonly kind: 'answered' } & ChunkWords)
  /**
   * The text is in the user's hands, or there is none. If it needs review its audio is kept
   * (`hasAudio`) until the user deletes it or has it transcribed again; a text without audio stays
   * with its dictation as long as that is retained.
   */
  | ({ readonly kind: 'delivered'; readonly hasAudio?: true } & ChunkWords);

/** A chunk that has no text yet. */
export type PendingState =
  /** Not yet tried, or to be tried again at this time (ms since 1970). */
  | {
      readonly kind: 'pending';
      readonly isSending?: false;
      readonly nextAttemptAtMs: number;
      readonly lastError: ErrorInfo | null;
    }
  /** A request is under way. */
  | { readonly kind: 'pending'; readonly isSending: true };

/** A chunk that is not being sent: when it is to be, and why it has not been. */
export type WaitingState = Extract<PendingState, { readonly nextAttemptAtMs: number }>;

/** A chunk on its way to becoming text, without its audio: what lists and snapshots hold. */
export type QueueItemHead = {
  /** Made when the chunk is cut and never again: see `idempotencyKey`. */
  readonly id: string;
  readonly dictationId: string;
  /** The chunk's place in its session. */
  readonly number: number;
  readonly options: TranscriptionOptions;
  /** A live piece: its text runs on from the one before. @default false */
  readonly isLive?: boolean;
  readonly createdAtMs: number;
  readonly durationSamples: number;
  /** The sound it was cut from; not known of what an older version has cut. */
  readonly ranges?: readonly SampleRange[];
  /** The samples of it in frames detected as speech, or kept without an engine. */
  readonly speechSamples: number;
  /** Rounds of tries so far; a round is one upload with its retries. */
  readonly rounds: number;
  /** The number of times a person had it written down anew. */
  readonly asks: number;
  readonly state: ChunkState;
  /** The text that is in the user's hands while a person has it written down anew. */
  readonly former?: DeliveredText;
};

/** A text that is in the user's hands. */
export type DeliveredText = ChunkWords;

/** A queued chunk with its audio. */
export type QueueItem = QueueItemHead & { readonly audio: EncodedAudio };

/** The part of a queued chunk that can change. */
export type ItemChange = Partial<Pick<QueueItemHead, 'rounds' | 'asks' | 'state' | 'former'>>;

/** Chunks of one dictation whose texts are in the user's hands now. */
export type Delivery = {
  readonly dictationId: string;
  /** As they are from now on: all are `delivered`. */
  readonly chunks: readonly QueueItemHead[];
  /** Ms since 1970; null if there is no text. */
  readonly atMs: number | null;
  /** The dictation's record, for one of which nothing is stored yet; null if it is not retained. */
  readonly start: DictationStart | null;
  /** Nothing more comes of it: its journal goes in the same step. */
  readonly isOver: boolean;
};

/** The first record of a dictation that is retained. */
export type DictationStart = {
  readonly id: string;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  readonly options: TranscriptionOptions;
};

/** A text of the dictation itself: of a chunk. */
export type ChunkText = Pick<QueueItemHead, 'number' | 'isLive'> & DeliveredText;

/**
 * The text of a chunk that is in the user's hands; null if none is. Nothing is no news of a chunk
 * whose words are known.
 */
export function deliveredText({ number, isLive, state, former }: QueueItemHead): ChunkText | null {
  const name = isLive ? { number, isLive } : { number };
  if (state.kind !== 'delivered') return former ? { ...name, ...former } : null;
  return { ...name, ...(state.text === '' && former ? former : wordsOf(state)) };
}

/** The words alone of what else is known of a chunk. */
export function wordsOf({ text, heard, times, needsReview }: ChunkWords): ChunkWords {
  return { text, ...(heard !== undefined && { heard }), ...(times && { times }), needsReview };
}

export function isComing({ state: { kind } }: Pick<QueueItemHead, 'state'>): boolean {
  return kind === 'pending';
}

/** True if a chunk has no text yet, and is to have one. */
export function isWanting({ kind }: ChunkState): boolean {
  return kind === 'pending' || kind === 'refused';
}

/** A chunk that is not being sent, and has no text; null if it is another. */
export function waitingState(state: ChunkState): WaitingState | null {
  return state.kind === 'pending' && !state.isSending ? state : null;
}

export function isBeingSent(state: ChunkState): boolean {
  return state.kind === 'pending' && state.isSending === true;
}

/** True if a text is in the user's hands, and its audio waits for their review. */
export function isForReview(state: ChunkState): boolean {
  return state.kind === 'delivered' && state.hasAudio === true;
}

/** True if a text is in the user's hands, and nothing else is left of its chunk. */
export function isClosed(state: ChunkState): boolean {
  return state.kind === 'delivered' && !state.hasAudio;
}

/** A chunk's text that is still to be delivered, empty if it was; null while there is none. */
export function undeliveredText(state: ChunkState): string | null {
  if (state.kind === 'delivered') return '';
  return state.kind === 'answered' ? state.text : null;
}

/** The recogniser's words for a chunk, before the text rules; empty while it has no text. */
export function heardText(state: ChunkState): string {
  return 'text' in state ? (state.heard ?? state.text) : '';
}

/** The reason why the text of a chunk may not be all, while a person must still see it; else null. */
export function reviewReason(state: ChunkState): ReviewReason | null {
  if (state.kind === 'answered') return state.needsReview;
  return state.kind === 'delivered' && state.hasAudio ? state.needsReview : null;
}

/**
 * The same for every try of a chunk; another when a person does not trust the answer, which would only be
 * repeated, and for other audio: a crash may have a chunk that was sent cut anew, shorter or
 * longer.
 */
export function idempotencyKey({ id, asks, audio }: QueueItem): string {
  const key = `${id}@${fingerprint(audio.bytes)}`;
  return asks > 0 ? `${key}~${asks}` : key;
}

/** FNV-1a over words of 32 bits, then over the bytes that are left. */
function fingerprint(bytes: ArrayBuffer): string {
  const wholeWords = Math.floor(bytes.byteLength / 4);
  let hash = 0x811c9dc5;
  for (const word of new Uint32Array(bytes, 0, wholeWords))
    hash = Math.imul(hash ^ word, FNV_PRIME);
  for (const byte of new Uint8Array(bytes, wholeWords * 4))
    hash = Math.imul(hash ^ byte, FNV_PRIME);
  return (hash >>> 0).toString(36);
}

const FNV_PRIME = 0x01000193;

/** Orders queue items as they were spoken. */
export function compareQueueItems(a: QueueItemHead, b: QueueItemHead): number {
  if (a.dictationId !== b.dictationId) {
    return a.createdAtMs - b.createdAtMs || (a.dictationId < b.dictationId ? -1 : 1);
  }
  return a.number - b.number;
}

/** The steps of a chunk on its way to the user's hands. */
function progressOf(state: ChunkState): number {
  if (state.kind === 'delivered') return isClosed(state) ? 3 : 2;
  return state.kind === 'answered' ? 1 : 0;
}

/**
 * A stored head with a change of it. Of several tabs one may not know yet what another has done:
 * what has become text, or is in the user's hands, waits again only where a person has it written
 * down anew. Gives the same head if the change is older than it.
 */
export function withChange(head: QueueItemHead, change: ItemChange): QueueItemHead {
  const { state = head.state, asks = head.asks } = change;
  const isStepBack = asks === head.asks && progressOf(state) < progressOf(head.state);
  return asks < head.asks || isStepBack ? head : { ...head, ...change };
}

/**
 * The way transcripts are joined: one a line, or running on with spaces, since live pieces end
 * wherever somebody took a breath.
 */
type TextFlow = 'lines' | 'running';

/** The way the texts of such chunks are joined. */
export function textFlowOf(chunks: Iterable<Pick<QueueItemHead, 'isLive'>>): TextFlow {
  for (const { isLive } of chunks) if (isLive) return 'running';
  return 'lines';
}

/**
 * A session's text: its transcripts in the order of their chunk numbers. Empty ones and those that
 * were taken back are left out, and blanks around one go (engines that begin with a space would
 * indent the line). Line breaks at its ends were said, and stay.
 */
export function joinTranscripts(
  transcriptions: ReadonlyMap<number, string>,
  flow: TextFlow = 'lines',
): string {
  const standing = standingNumbers(transcriptions);
  return joinPieces(
    standing.map((number) => transcriptions.get(number) ?? ''),
    flow,
  );
}

/** Those of the chunks whose texts stand, in their order. */
export function standingChunks<Chunk extends Pick<ChunkText, 'number' | 'text'>>(
  chunks: readonly Chunk[],
): readonly Chunk[] {
  const byNumber = new Map(chunks.map((chunk) => [chunk.number, chunk]));
  const standing = standingNumbers(new Map(chunks.map(({ number, text }) => [number, text])));
  return standing.flatMap((number) => byNumber.get(number) ?? []);
}

/** The same of texts in their order, none of which takes back another. */
export function joinPieces(texts: Iterable<string>, flow: TextFlow = 'running'): string {
  let joined = '';
  for (const whole of texts) {
    const text = withoutControls(whole);
    if (isNothing(text)) continue;
    const part = withoutOuterBlanks(text);
    const isParted = joined === '' || joined.endsWith('\n') || part.startsWith('\n');
    joined += isParted ? part : (flow === 'running' ? ' ' : '\n') + part;
  }
  return joined;
}

function withoutOuterBlanks(text: string): string {
  const begins = text.trimStart();
  const inner = begins.trimEnd();
  const breaks = (blanks: string): string => blanks.replace(/[^\n]+/g, '');
  const before = breaks(text.slice(0, text.length - begins.length));
  return before + inner + breaks(begins.slice(inner.length));
}
