import { FRAME_SAMPLES, msToSamples } from '../audio/audio-format.ts';
import type { ChunkCutterOptions } from './chunk-cutter.ts';

/** A piece is cut where it is quietest before it is so long. */
const MAX_PIECE_MS = 15_000;

const SEARCH_MS = 5_000;

/** Some 0.3 s of voice: what is shorter is a piece with what comes next. */
export const LIVE_MIN_SPEECH_SAMPLES = 3 * FRAME_SAMPLES;

/**
 * A piece ends with so much of the quiet behind it, some 0.2 s: enough for a soft ending, and early
 * enough for the answer to be there when the pause is one.
 */
export const LIVE_TAIL_FRAMES = 2;

/** How a live session's speech is cut: each pause ends a piece. */
export function livePieces({
  chunkMs,
}: {
  readonly chunkMs: number;
}): Pick<ChunkCutterOptions, 'maxChunkSamples' | 'searchSamples' | 'pauseEndsFromSamples'> {
  return {
    maxChunkSamples: msToSamples(Math.min(chunkMs, MAX_PIECE_MS)),
    searchSamples: msToSamples(SEARCH_MS),
    pauseEndsFromSamples: LIVE_MIN_SPEECH_SAMPLES,
  };
}
