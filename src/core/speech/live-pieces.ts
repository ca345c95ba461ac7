import { FRAME_SAMPLES, msToSamples } from '../audio/audio-format.ts';
import type { ChunkCutterOptions } from './chunk-cutter.ts';

/** A piece is cut where it is quietest before it is so long. */
const MAX_PIECE_MS = 15_000;

const SEARCH_MS = 5_000;

/** Some 0.3 s of voice: what is shorter is a piece with what comes next. */
export const LIVE_MIN_SPEECH_SAMPLES = 3 * FRAME_SAMPLES;

/**
 * Recognisers hear short pieces worse: one with less voice waits for a longer pause, and goes on
 * behind a shorter one.
 */
const FULL_PIECE_MS = 3_000;

/** So many quiet frames, some 1.2 s, end whatever is more than too short. */
const LONG_PAUSE_FRAMES = 12;

/**
 * A piece ends with so much of the quiet behind it, some 0.2 s: enough for a soft ending, and early
 * enough for the answer to be there when the pause is one.
 */
export const LIVE_TAIL_FRAMES = 2;

/** A pause that is long has so many samples behind the piece's tail. */
export const LIVE_LONG_PAUSE_SAMPLES = (LONG_PAUSE_FRAMES - LIVE_TAIL_FRAMES) * FRAME_SAMPLES;

/** How a live session's speech is cut: each pause that the gate finds ends a full piece. */
export function livePieces({
  chunkMs,
}: {
  readonly chunkMs: number;
}): Pick<ChunkCutterOptions, 'maxChunkSamples' | 'searchSamples' | 'pauseEndsFromSamples'> {
  return {
    maxChunkSamples: msToSamples(Math.min(chunkMs, MAX_PIECE_MS)),
    searchSamples: msToSamples(SEARCH_MS),
    pauseEndsFromSamples: msToSamples(FULL_PIECE_MS),
  };
}
