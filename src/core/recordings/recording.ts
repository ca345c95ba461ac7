import { DikteraError, type ErrorInfo } from '../errors.ts';
import type { TranscriptionOptions } from '../options/dictation-options.ts';
import type { ReviewReason } from '../queue/queue-item.ts';
import type { WordTime } from '../word-time.ts';

/** Limits, in time and bytes, for recordings whose text is in the user's hands. */
export type Keeping = {
  /**
   * Hours, 0 to 720, fractions too; 0 keeps none beyond its delivery, and no silence. @default 0
   */
  readonly keepRecordings: number;
  /** Beyond so many bytes the oldest that are delivered go first. @default 200000000 */
  readonly keepRecordingsBytes: number;
};

/** None, until somebody chooses; about 13 hours of sound. */
export const DEFAULT_KEEPING: Keeping = { keepRecordings: 0, keepRecordingsBytes: 200_000_000 };

/** 30 days. */
export const MAX_KEEP_HOURS = 720;

/** More than any disk; what has no end could not be told to a worker. */
const MAX_KEEP_BYTES = 1e15;

/** Puts the given limits over those of `base`; throws `bad-option` for a value out of range. */
export function completeKeeping(given: Partial<Keeping>, base: Keeping): Keeping {
  const upTo = (max: number, name: keyof Keeping): number => {
    const value = given[name] ?? base[name];
    if (value >= 0 && value <= max) return value;
    throw new DikteraError('bad-option', `${name} is ${value}, must be 0 to ${max}`);
  };
  return {
    keepRecordings: upTo(MAX_KEEP_HOURS, 'keepRecordings'),
    keepRecordingsBytes: upTo(MAX_KEEP_BYTES, 'keepRecordingsBytes'),
  };
}

/** The state of a recording. */
export type RecordingState =
  /** Being recorded, in this tab or another, or about to be completed from its journal. */
  | { readonly kind: 'recording' }
  /** Its text, or part of it, is not in the user's hands yet: it is never cleared away. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'delivered' }
  /** Deleted on this page: `undoDelete` brings it back for half a minute, as long as it is open. */
  | { readonly kind: 'in-bin' };

/** A text being written down again. */
export type Rewriting = {
  /** Ms since 1970. */
  readonly askedAtMs: number;
  readonly options: TranscriptionOptions;
  /**
   * Why it does not come yet; null if nothing has failed. After a failure of the network or the
   * server it is tried again by itself, after a refusal (`isRefused`) it is not.
   */
  readonly error: ErrorInfo | null;
  readonly isRefused: boolean;
};

/**
 * A whole dictation, from its first sample to its last, silence included, with what was written
 * down of it: as lists show it, without sound and texts.
 */
export type Recording = {
  /** The session's id. */
  readonly id: string;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  /** Samples at 16 kHz; pauses have none. */
  readonly durationSamples: number;
  /** Size of its sound on disk. */
  readonly bytes: number;
  /** The options it was made with. */
  readonly options: TranscriptionOptions;
  readonly state: RecordingState;
  /** The beginning of its newest text, at most 80 characters; empty if there is none. */
  readonly firstWords: string;
  /** Why the newest text may not be all that was said; null if it may, or there is none. */
  readonly needsReview: ReviewReason | null;
  /** The number of its texts: the first, and those written down again. */
  readonly transcripts: number;
  /** Set while it is being written down again. */
  readonly rewriting: Rewriting | null;
};

/** A text of a recording. */
export type Transcript = {
  readonly text: string;
  /** The text before the rules for texts; left out where they changed nothing. */
  readonly heard?: string;
  /**
   * The times, in the recording's sound, of the words of `text`, which white space separates; null
   * for a word of unknown time. Left out where the engine gives no times. A word that the rules
   * wrote has the time span of the words it replaces, and no certainty, except that a number in
   * digits is as certain as the least certain of them.
   */
  readonly times?: readonly (WordTime | null)[];
  /** When it was delivered, or came; ms since 1970. */
  readonly atMs: number;
  /**
   * The text of the dictation itself, the same by the rules as they were later, or one asked for
   * later, and with what.
   */
  readonly by:
    | { readonly kind: 'first' }
    | { readonly kind: 'rules' }
    | ({ readonly kind: 'again' } & TranscriptionOptions);
  /** Why it may not be all that was said; null if it may. */
  readonly needsReview: ReviewReason | null;
};

/** The recordings there are, of all tabs. */
export type RecordingsState = {
  /** Newest first; those in the bin too. */
  readonly list: readonly Recording[];
  /** True if storage has been read: before, an empty list says nothing. */
  readonly isLoaded: boolean;
  /** The size of all of them. */
  readonly usedBytes: number;
  /** Limits in time and bytes. */
  readonly keeping: Keeping;
  /** Why nothing is kept: storage is refused or full; null if it is not. */
  readonly error: ErrorInfo | null;
};

/** The state before anything has been read. */
export const NO_RECORDINGS: RecordingsState = {
  list: [],
  isLoaded: false,
  usedBytes: 0,
  keeping: DEFAULT_KEEPING,
  error: null,
};

/** Facts on the browser's storage for this site. */
export type StorageFacts = {
  /**
   * True if the browser promises not to clear it by itself. False in a private window, on a full
   * disk, and in Safari after seven days without a visit; null if the browser does not say.
   */
  readonly isPersisted: boolean | null;
  /** All that this site has stored, as the browser guesses; null if it does not say. */
  readonly usedBytes: number | null;
  /** The most that the browser gives this site; null if it does not say. */
  readonly quotaBytes: number | null;
};
