import { FRAME_SAMPLES, msToSamples } from '../audio/audio-format.ts';
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
