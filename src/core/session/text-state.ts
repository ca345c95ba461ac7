import {
  isForReview,
  isWanting,
  joinPieces,
  type QueueItemHead,
  type ReviewReason,
  reviewReason,
  waitingState,
} from '../queue/queue-item.ts';
import { SPOKEN_CONTROL, standingNumbers } from '../queue/taken-back.ts';
import type { SessionState, Snapshot } from './snapshot.ts';

/** The parts of a snapshot that say which dictations are late. */
export type LateSources = Pick<Snapshot, 'queue' | 'kept' | 'awaited' | 'cancelled'> & {
  readonly session: Pick<SessionState, 'id'>;
};

/**
 * The queue's chunks that a person must know of: all but those of the session at hand, and of those
 * before it whose text this page awaits, that go their ordinary way, and those that were cancelled.
 */
export function lateItems({
  queue,
  session,
  awaited,
  cancelled,
}: Omit<LateSources, 'kept'>): readonly QueueItemHead[] {
  return queue.items.filter((item) => {
    const { dictationId } = item;
    if (dictationId === cancelled) return false;
    return (dictationId !== session.id && !awaited.includes(dictationId)) || hasLeft(item);
  });
}

/** Something about a chunk failed, or a person has to look at it. */
export function hasLeft({ state }: QueueItemHead): boolean {
  if (state.kind === 'refused' || isForReview(state)) return true;
  return (waitingState(state)?.lastError ?? null) !== null;
}

/** The kept recordings that a person must know of: those of sessions that are over. */
export function lateKept({ kept, session, cancelled }: Omit<LateSources, 'queue' | 'awaited'>) {
  return kept.filter(({ dictationId }) => dictationId !== session.id && dictationId !== cancelled);
}

/** The state of a text that is not in the user's hands. */
export type TextState =
  /** Nothing of it has been seen yet: a snapshot may be older than the end of its dictation. */
  | { readonly kind: 'none' }
  /** Some of it is still to become text, also by a person's doing. */
  | { readonly kind: 'coming' }
  /** All of it is text, and waits to be delivered. */
  | { readonly kind: 'ready'; readonly chunksToReview: number }
  /** There is no text to deliver: the audio is kept of chunks whose text may not be all. */
  | { readonly kind: 'needs-review'; readonly chunksToReview: number }
  /** It was there and is no more: delivered, or deleted. */
  | { readonly kind: 'gone' };

/** A dictation's text, or of these chunks of it alone. */
export type TextId = {
  readonly dictationId: string;
  readonly chunks?: ReadonlyMap<number, unknown>;
};

/** The state of a text of which nothing is known. */
export const NO_TEXT: TextState = { kind: 'none' };

/**
 * Tells where a text is; `before` is where it was. That decides where the snapshot does not know: a
 * worker started anew knows nothing at first, and brings what a dead one had in its memory alone.
 */
export function textStateOf(
  { queue, session, kept }: Pick<Snapshot, 'queue' | 'session' | 'kept'>,
  { dictationId, chunks }: TextId,
  before: TextState,
): TextState {
  if (!queue.isLoaded) return before;
  const items = queue.items.filter(
    (item) => item.dictationId === dictationId && (chunks?.has(item.number) ?? true),
  );
  const isSeen = items.length > 0 || before.kind !== 'none';
  // Not over yet, or not all of it is where it can become text.
  const isOpen =
    session.id === dictationId || kept.some((other) => other.dictationId === dictationId);
  if (isOpen && !chunks) return isSeen ? { kind: 'coming' } : NO_TEXT;
  if (items.some(({ state }) => isWanting(state))) return { kind: 'coming' };
  const toReview = items.filter(({ state }) => reviewReason(state) !== null);
  const chunksToReview = new Set(toReview.map(({ number }) => number)).size;
  if (items.some(({ state }) => state.kind === 'answered')) {
    return { kind: 'ready', chunksToReview };
  }
  if (!queue.isRecovered) return before;
  if (items.length > 0) return { kind: 'needs-review', chunksToReview };
  return isSeen ? { kind: 'gone' } : NO_TEXT;
}

/** Live pieces with their texts, and why these may not be all. */
export type Pieces = {
  readonly chunks: ReadonlyMap<number, ReviewReason | null>;
  readonly texts: ReadonlyMap<number, string>;
};

/** The pieces of a running dictation that could be delivered now, from number `first` on. */
export function piecesFrom(
  first: number,
  dictationId: string,
  { session, queue }: Pick<Snapshot, 'session' | 'queue'>,
): Pieces {
  const chunks = new Map<number, ReviewReason | null>();
  const texts = new Map<number, string>();
  // A chunk that is not on disk may be cut differently by the next worker. Chunks of a server that
  // bills by the request are no pieces.
  const isSafe = session.id === dictationId && session.live !== null && queue.unstoredItems === 0;
  for (let number = first; isSafe; number += 1) {
    const text = session.transcriptions.get(number);
    if (text === undefined) break;
    chunks.set(number, session.needsReview.get(number) ?? null);
    texts.set(number, text);
  }
  return { chunks, texts };
}

/** The insertions of a dictation that stand in the page, each by the chunks it was made of. */
export type Insertions = readonly (readonly number[])[];

/** A change of the insertions in the page. */
export type PieceStep = {
  /** The insertions before it. */
  readonly from: Insertions;
  /** The number of last insertions to remove first: the text then comes with the next step. */
  readonly surplus: number;
  /** The pieces to insert behind those that stay. */
  readonly numbers: readonly number[];
  readonly text: string;
  /** The insertions after it. */
  readonly after: Insertions;
};

/**
 * The change that brings the page to all that was said and not taken back. An insertion of which a
 * part was taken back is removed, and its rest inserted again.
 */
export function nextStep(insertions: Insertions, texts: ReadonlyMap<number, string>): PieceStep {
  const wanted = standingNumbers(withUnknown(texts)).filter((number) => texts.has(number));
  let at = 0;
  let stays = 0;
  for (const numbers of insertions) {
    if (!numbers.every((number, nth) => wanted[at + nth] === number)) break;
    at += numbers.length;
    stays += 1;
  }
  const numbers = wanted.slice(at);
  const stay = insertions.slice(0, stays);
  const surplus = insertions.length - stays;
  return {
    from: insertions,
    surplus,
    numbers,
    text: joinPieces(numbers.map((number) => texts.get(number) ?? '')),
    after: surplus > 0 || numbers.length === 0 ? stay : [...stay, numbers],
  };
}

/**
 * A missing piece was thrown away, or taken elsewhere. It becomes a "?" here, so that a command to
 * strike it does not strike the piece before it.
 */
function withUnknown(texts: ReadonlyMap<number, string>): ReadonlyMap<number, string> {
  const known = [...texts.keys()].sort((a, b) => a - b);
  const unknown = known.filter((number, nth) => number !== (known[nth - 1] ?? -1) + 1);
  return new Map([...texts, ...unknown.map((number) => [number - 0.5, '?'] as const)]);
}

/** The part of a dictation that is not in its page yet. */
export type PieceRest = {
  readonly text: string;
  /** The pieces in it. */
  readonly numbers: readonly number[];
  /** Words that were taken back are still in the page. */
  readonly isStruckStanding: boolean;
  /**
   * Texts of its waiting chunks that say the same wherever they go; null where their own do. Words
   * that were put back into it, and are in no waiting chunk, are in the first.
   */
  readonly texts: ReadonlyMap<number, string> | null;
};

/**
 * The rest, with these insertions in the page and other pieces in the user's hands `elsewhere`;
 * `given` are the texts of all waiting chunks.
 */
export function restOf(
  insertions: Insertions,
  elsewhere: readonly number[],
  said: ReadonlyMap<number, string>,
  given: ReadonlyMap<number, string>,
): PieceRest {
  const all = new Map([...given, ...said]);
  const { surplus, numbers, text } = nextStep(insertions, all);
  const inHand = new Set([...insertions.flat(), ...elsewhere]);
  const missing = numbers.filter((number) => !inHand.has(number));
  const rest = {
    text: joinPieces(missing.map((number) => all.get(number) ?? '')),
    numbers: missing,
    isStruckStanding: surplus > 0,
  };
  const [first, ...others] = [...given.keys()]
    .filter((number) => !said.has(number))
    .sort((a, b) => a - b);
  if (first === undefined || !missing.some((number) => said.has(number)))
    return { ...rest, texts: null };
  const stay = insertions.slice(0, insertions.length - surplus).flat().length;
  const strikes = SPOKEN_CONTROL.strike.repeat(standingNumbers(said).length - stay);
  const texts = new Map([first, ...others].map((number) => [number, '']));
  return { ...rest, texts: texts.set(first, strikes + text) };
}
