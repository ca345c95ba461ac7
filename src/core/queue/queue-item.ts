import type { EncodedAudio } from '../audio/audio-types.ts';
import type { SampleRange } from '../audio/sample-range.ts';
import type { ErrorInfo } from '../errors.ts';
import type { TranscriptionOptions } from '../options/dictation-options.ts';
import type { SessionCut } from './journal-cut.ts';

/** Why a text that came cannot be trusted to be all that was said. */
export type TextDoubt =
  /** No words for more than a second of frames detected as speech. */
  | 'empty'
  /** The server says that it is not all (`complete: false`). */
  | 'incomplete'
  /** The page cut or changed it on its way into the field. */
  | 'altered';

/** Where a queued chunk stands. */
export type QueueItemState =
  /** Not yet tried, or to be tried again at this time (ms since 1970). */
  | {
      readonly kind: 'waiting';
      readonly nextAttemptAtMs: number;
      readonly lastError: ErrorInfo | null;
    }
  /** A request is under way. */
  | { readonly kind: 'sending' }
  /** The server will never take it as it is; the user decides. */
  | { readonly kind: 'parked'; readonly error: ErrorInfo }
  /** The text is here and not yet in the user's hands. */
  | { readonly kind: 'transcribed'; readonly text: string; readonly doubt: TextDoubt | null }
  /**
   * The text there was is in the user's hands, or there is none, and it may not be all: the audio
   * is kept until the user deletes it or has it written down anew.
   */
  | { readonly kind: 'doubted'; readonly why: TextDoubt; readonly text: string };

/** A chunk on its way to becoming text, without its audio: what lists and snapshots hold. */
export type QueueItemHead = {
  /** Made when the chunk is cut and never again: see `idempotencyKey`. */
  readonly id: string;
  readonly sessionId: string;
  /** The chunk's place in its session. */
  readonly number: number;
  readonly options: TranscriptionOptions;
  /** A live piece: its text runs on from the one before. @default false */
  readonly isLive?: boolean;
  readonly createdAtMs: number;
  readonly durationSamples: number;
  /** The sound it was cut from; none where a recording is written again. */
  readonly ranges?: readonly SampleRange[];
  /** The samples of it in frames detected as speech, or kept without an engine. */
  readonly speechSamples: number;
  /** Rounds of tries so far; a round is one upload with its retries. */
  readonly rounds: number;
  /** How often a person had it written down anew. */
  readonly asks: number;
  readonly state: QueueItemState;
};

/** A queued chunk with its audio. */
export type QueueItem = QueueItemHead & { readonly audio: EncodedAudio };

/** What can change about a queued chunk. */
export type ItemChange = Partial<Pick<QueueItemHead, 'rounds' | 'asks' | 'state'>>;

/**
 * Where queued chunks are kept, beside the journal of their session. Each call is one step: it has
 * happened when its promise is fulfilled, and nothing of it if that is rejected.
 */
export type QueueStore = {
  /**
   * Adds a chunk, or replaces the one with its id. `cut`: the session's
   * journal is cut behind it, and gives up the audio before; also where nothing of the chunk is
   * left to be stored. `formerIds`: what of it an earlier call may have stored, and is no more.
   */
  put(
    items: readonly QueueItem[],
    cut?: SessionCut | null,
    formerIds?: readonly string[],
  ): Promise<void>;
  /**
   * Changes what stands beside the audio; does nothing if the item is gone, or has come further
   * meanwhile (`withChange`).
   */
  update(id: string, change: ItemChange): Promise<void>;
  get(id: string): Promise<QueueItem | undefined>;
  /** All items, oldest first: by creation, then session and number. */
  list(): Promise<readonly QueueItemHead[]>;
  remove(id: string): Promise<void>;
  /**
   * What becomes of delivered chunks, of the journal of a session that is over with them, and of
   * their recordings. Gives the texts for which a full disk has no room: all else has happened.
   */
  settle(settled: SettledItems, endedSessionId: string | null): Promise<readonly HandedTexts[]>;
};

export type DoubtedState = QueueItemState & { readonly kind: 'doubted' };

/** What delivered chunks are then: gone, or kept for their audio. */
export type SettledItems = {
  readonly gone: readonly string[];
  readonly doubted: ReadonlyMap<string, DoubtedState>;
  /** What their recordings get. */
  readonly texts: readonly HandedTexts[];
};

/** A text of the dictation itself: of a chunk. */
export type ChunkText = Pick<QueueItemHead, 'number' | 'isLive'> & {
  readonly text: string;
  readonly doubt: TextDoubt | null;
};

/** Texts of a session that are in the user's hands now: they stand in its recording from then on. */
export type HandedTexts = {
  readonly sessionId: string;
  /** Ms since 1970. */
  readonly atMs: number;
  readonly texts: readonly ChunkText[];
  /** What its recording is begun with if nothing of it is stored yet; null: then there is none. */
  readonly start: {
    /** Ms since 1970. */
    readonly startedAtMs: number;
    readonly options: TranscriptionOptions;
  } | null;
};

/** Whether a chunk's text may come by itself. */
export function isComing({ state: { kind } }: Pick<QueueItemHead, 'state'>): boolean {
  return kind === 'waiting' || kind === 'sending';
}

/** Whether a chunk has no text yet, and is to have one. */
export function isWanting({ kind }: QueueItemState): boolean {
  return kind !== 'transcribed' && kind !== 'doubted';
}

/**
 * The same for every try of a chunk; another when a person doubts the answer, which would only be
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
  if (a.sessionId !== b.sessionId) {
    return a.createdAtMs - b.createdAtMs || (a.sessionId < b.sessionId ? -1 : 1);
  }
  return a.number - b.number;
}
