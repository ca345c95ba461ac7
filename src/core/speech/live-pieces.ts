import { FRAME_SAMPLES, msToSamples, samplesToMs } from '../audio/audio-format.ts';
import type { Clock } from '../clock.ts';
import type { ChunkLimits } from './chunk-cutter.ts';

/** A piece is cut where it is quietest before it is so long. */
const MAX_PIECE_MS = 15_000;

const SEARCH_MS = 5_000;

/** Some 0.3 s of voice; less than that goes into the next piece. */
export const LIVE_MIN_SPEECH_SAMPLES = 3 * FRAME_SAMPLES;

/**
 * Two rules end a piece: any pause once it holds `fullMs` of voice, and a pause of
 * `longPauseFrames` whatever it holds. Recognisers hear longer pieces better, but their text comes
 * later: at a pause somebody waits for it, at the stop nobody does yet. Measured over 27 minutes, words wrong of a hundred: 10.3 in whole chunks, 13.9 at pauses, 10.6 at the stop.
 */
const ENDS = {
  atPause: { fullMs: 3_000, longPauseFrames: 12 },
  atStop: { fullMs: 10_000, longPauseFrames: 30 },
} as const;

/**
 * The quiet that a piece ends with, some 0.2 s: enough for a soft ending, and early enough for the
 * answer to be there when the pause is long enough to end the piece.
 */
export const LIVE_TAIL_FRAMES = 2;

/** The rules by which a live session's speech is cut. */
export type LivePieces = {
  readonly cutter: Required<ChunkLimits>;
  /** Silence of so many samples behind a piece's tail ends it, however short it is. */
  readonly longPauseSamples: number;
};

type LivePiecesOptions = {
  /** The most speech a piece may hold, in ms; never more than 15,000. */
  readonly chunkMs: number;
  /** True if each piece goes into the field as soon as it is text. */
  readonly isInsertedAtPause: boolean;
};

/** Each pause ends a full piece, a long one any: see `ENDS`. */
export function livePieces({ chunkMs, isInsertedAtPause }: LivePiecesOptions): LivePieces {
  const { fullMs, longPauseFrames } = isInsertedAtPause ? ENDS.atPause : ENDS.atStop;
  return {
    cutter: {
      maxChunkSamples: msToSamples(Math.min(chunkMs, MAX_PIECE_MS)),
      searchSamples: msToSamples(SEARCH_MS),
      pauseEndsFromSamples: msToSamples(fullMs),
    },
    longPauseSamples: (longPauseFrames - LIVE_TAIL_FRAMES) * FRAME_SAMPLES,
  };
}

/**
 * A preview is sent when the piece has grown by so much speech. Measured, a server works 2.6 times as
 * long as for one whole chunk, 1.8 times where pauses end pieces.
 */
const STEP_MS = 1_400;
/** Steps grow when an answer takes more than this share of one. */
const QUICK_SHARE = 0.5;
/** The server hears the whole piece each time, so steps grow with it: to a quarter of it. */
const LENGTH_SHARE = 0.25;
const MAX_STEP_MS = 1_800;

/** A server that is busy is left alone for so long, doubled each time, or as long as it says. */
const FIRST_REST_MS = 2_000;
const MAX_REST_MS = 60_000;

/** The outcome of a preview: a request for the words of a piece that is not final. */
export type PreviewResult =
  | 'answered'
  /** 429, 503, another error of the server's, no answer in time, no network. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number | null }
  /** It takes no such requests. */
  | 'refused';

/**
 * A schedule that never sends more often than answers come: a piece must have grown by as long as
 * the last answer took. The caller sends one preview at a time.
 */
export function createPreviewSchedule(clock: Pick<Clock, 'nowMs'>) {
  let piece = -1;
  let askedSamples = 0;
  let askedAtMs = 0;
  let tookMs = 0;
  let restUntilMs = 0;
  let nextRestMs = FIRST_REST_MS;
  let isRefused = false;

  const stepMs = (speechMs: number): number => {
    const wantedMs = Math.max(STEP_MS, tookMs / QUICK_SHARE, LENGTH_SHARE * speechMs);
    return Math.max(tookMs, Math.min(MAX_STEP_MS, wantedMs));
  };

  function isResting(): boolean {
    const leftMs = restUntilMs - clock.nowMs();
    // Longer than any rest: the clock was set back meanwhile.
    return leftMs > 0 && leftMs <= MAX_REST_MS;
  }

  return {
    /** True if previews may be sent now. */
    get isOpen(): boolean {
      return !isRefused && !isResting();
    },
    /** True if an open piece with so many samples of speech has grown enough for a preview. */
    isDue(number: number, speechSamples: number): boolean {
      const grownSamples = number === piece ? speechSamples - askedSamples : speechSamples;
      return grownSamples >= msToSamples(stepMs(samplesToMs(speechSamples)));
    },
    /** A preview of it has been sent. */
    asked(number: number, speechSamples: number) {
      piece = number;
      askedSamples = speechSamples;
      askedAtMs = clock.nowMs();
    },
    /** That preview has ended. */
    ended(result: PreviewResult) {
      tookMs = Math.max(0, clock.nowMs() - askedAtMs);
      if (result === 'answered') nextRestMs = FIRST_REST_MS;
      else if (result === 'refused') isRefused = true;
      else {
        const restMs = Math.min(MAX_REST_MS, Math.max(nextRestMs, result.retryAfterMs ?? 0));
        restUntilMs = clock.nowMs() + restMs;
        nextRestMs = Math.min(MAX_REST_MS, nextRestMs * 2);
        tookMs = 0;
      }
    },
  };
}

/** The words of a piece that is not final: firm ones do not change any more, the rest may. */
export type AgreedWords = {
  readonly firm: readonly string[];
  readonly tentative: readonly string[];
  /** The latest answer, which the next one is held against. */
  readonly latest: readonly string[];
};

export const NO_WORDS: AgreedWords = { firm: [], tentative: [], latest: [] };

/** The last firm word is looked for at these distances, as an answer may hear more words or fewer. */
const SHIFTS = [0, -1, 1, -2, 2] as const;

/** Nobody says the same words four times in a row; loops of up to six words are found. */
const LOOP_ROUNDS = 4;
const LONGEST_LOOP = 6;

/**
 * LocalAgreement-2: the words that two successive answers to a growing piece agree on are firm, in
 * the form of the later one; the rest is tentative. Case and punctuation depend on what follows, so
 * they are no disagreement. Firm words stay as they are, whatever later answers say.
 */
export function agree(before: AgreedWords, answer: string): AgreedWords {
  const latest = withoutLoop(answer.split(/\s+/).filter((word) => word !== ''));
  const kept = before.firm.length;
  const agreed = commonWords(before.latest, latest);
  // Only what follows the firm words is added to them, and only where those are agreed on too.
  const continues = commonWords(before.firm, latest) === kept;
  const firm = continues && agreed > kept ? [...before.firm, ...latest.slice(kept, agreed)] : null;
  if (firm) return { firm, tentative: latest.slice(agreed), latest };
  return { firm: before.firm, tentative: latest.slice(placeAfter(before.firm, latest)), latest };
}

/**
 * A model that is given half a word at times repeats itself without end: a loop at an answer's end
 * is cut to one round.
 */
function withoutLoop(words: readonly string[]): readonly string[] {
  for (let period = 1; period <= LONGEST_LOOP; period += 1) {
    let again = 0;
    while (sameWord(words, words.length - 1 - again, period)) again += 1;
    if (again >= period * (LOOP_ROUNDS - 1)) return words.slice(0, words.length - again);
  }
  return words;
}

/** True if a word is the same as the one `back` words before it. */
function sameWord(words: readonly string[], index: number, back: number): boolean {
  return index >= back && bare(words[index]) === bare(words[index - back]);
}

/** The number of words that two answers have in common from the start. */
function commonWords(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    if (bare(one[index]) !== bare(other[index])) return index;
  }
  return length;
}

/** The index in an answer behind the words that are firm. */
function placeAfter(firm: readonly string[], answer: readonly string[]): number {
  const last = bare(firm.at(-1));
  const shift = SHIFTS.find((by) => bare(answer[firm.length - 1 + by]) === last) ?? 0;
  return firm.length + shift;
}

/** A word as it sounds; one of marks alone as it is. */
function bare(word = ''): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') || word;
}
