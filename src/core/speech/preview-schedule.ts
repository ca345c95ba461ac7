import { msToSamples, samplesToMs } from '../audio/audio-format.ts';
import type { Clock } from '../clock.ts';

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
