import { FRAME_SAMPLES, msToSamples, samplesToMs } from '../audio/audio-format.ts';
import type { Clock } from '../clock.ts';
import type { ChunkLimits } from './chunk-cutter.ts';

/** A piece is cut where it is quietest before it is so long. */
const MAX_PIECE_MS = 15_000;

const SEARCH_MS = 5_000;

/** Some 0.3 s of voice: what is shorter is a piece with what comes next. */
export const LIVE_MIN_SPEECH_SAMPLES = 3 * FRAME_SAMPLES;

/**
 * When a pause ends a piece. Recognisers hear short pieces worse: one with less voice than `fullMs`
 * goes on behind a pause, unless that is one of `longPauseFrames`.
 *
 * Who speaks waits for what goes in at a pause. Where all of it goes in at the stop, nobody does,
 * and pieces are nearly as long as they may be. Measured (`npm run bench -- live-words`, 27 minutes),
 * words wrong of a hundred: 10.3 in whole chunks, 13.9 at pauses, 10.6 at the stop.
 */
const ENDS = {
  atPause: { fullMs: 3_000, longPauseFrames: 12 },
  atStop: { fullMs: 10_000, longPauseFrames: 30 },
} as const;

/**
 * A piece ends with so much of the quiet behind it, some 0.2 s: enough for a soft ending, and early
 * enough for the answer to be there when the pause is one.
 */
export const LIVE_TAIL_FRAMES = 2;

/** How a live session's speech is cut. */
export type LivePieces = {
  readonly cutter: Required<ChunkLimits>;
  /** So many samples behind a piece's tail nobody spoke: it ends, however short. */
  readonly longPauseSamples: number;
};

/** What pieces are cut by. */
export type LivePiecesOptions = {
  /** The most speech a piece may hold, in ms; never more than 15,000. */
  readonly chunkMs: number;
  /** Whether each piece goes into the field as soon as it is text. */
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
 * A piece is asked for again when it has grown by so much speech. Measured, a server works 2.6 times
 * as long as for one whole chunk, 1.8 times where pauses end pieces.
 */
const STEP_MS = 1_400;
/** Steps grow when an answer takes more than this share of one. */
const QUICK_SHARE = 0.5;
/** All of a piece is heard again each time, so steps grow with it: to a quarter of it. */
const LENGTH_SHARE = 0.25;
const MAX_STEP_MS = 1_800;

/** A server that is busy is left alone for so long, doubled each time, or as long as it says. */
const FIRST_REST_MS = 2_000;
const MAX_REST_MS = 60_000;

/** How a request for words that are not final went. */
export type PreviewResult =
  | 'answered'
  /** 429, 503, another error of the server's, no answer in time, no network. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number | null }
  /** It takes no such requests. */
  | 'refused';

/** When what is being said is sent before it is final. */
export type PreviewSchedule = ReturnType<typeof createPreviewSchedule>;

/**
 * A schedule that never sends more often than answers come: a piece must have
 * grown by as long as the last answer took. Whoever asks holds back while a request is under way.
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
    /** Whether anything may be sent now beside finals. */
    get isOpen(): boolean {
      return !isRefused && !isResting();
    },
    /** Whether an open piece with so many samples of speech has grown enough to be asked for again. */
    isDue(number: number, speechSamples: number): boolean {
      const grownSamples = number === piece ? speechSamples - askedSamples : speechSamples;
      return grownSamples >= msToSamples(stepMs(samplesToMs(speechSamples)));
    },
    /** It has been asked for. */
    asked(number: number, speechSamples: number) {
      piece = number;
      askedSamples = speechSamples;
      askedAtMs = clock.nowMs();
    },
    /** How that went. */
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

/** How far from its place the last firm word is looked for in an answer that hears more or less. */
const SHIFTS = [0, -1, 1, -2, 2] as const;

/** So many rounds of the same words nobody says; and of so many words at most. */
const LOOP_ROUNDS = 4;
const LONGEST_LOOP = 6;

/**
 * LocalAgreement-2: what two successive answers to a growing piece agree on is firm, in the form of
 * the later one; the rest of it is tentative. Case and punctuation, which come with what follows,
 * are no disagreement. What is firm stays as it is, whatever later answers say.
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
 * A model that is given half a word at times says the same for as long as it may: what comes round
 * again and again at an answer's end is told once.
 */
function withoutLoop(words: readonly string[]): readonly string[] {
  for (let period = 1; period <= LONGEST_LOOP; period += 1) {
    let again = 0;
    while (sameWord(words, words.length - 1 - again, period)) again += 1;
    if (again >= period * (LOOP_ROUNDS - 1)) return words.slice(0, words.length - again);
  }
  return words;
}

/** Whether a word is the one that stands `back` words before it. */
function sameWord(words: readonly string[], index: number, back: number): boolean {
  return index >= back && bare(words[index]) === bare(words[index - back]);
}

/** How many words two answers begin with that are the same. */
function commonWords(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    if (bare(one[index]) !== bare(other[index])) return index;
  }
  return length;
}

/** Where in an answer the words that are firm end. */
function placeAfter(firm: readonly string[], answer: readonly string[]): number {
  const last = bare(firm.at(-1));
  const shift = SHIFTS.find((by) => bare(answer[firm.length - 1 + by]) === last) ?? 0;
  return firm.length + shift;
}

/** A word as it sounds; one of marks alone as it is. */
function bare(word = ''): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') || word;
}
