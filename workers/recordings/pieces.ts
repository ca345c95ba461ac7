import { msToSamples } from '../../src/core/audio/audio-format.ts';
import { rangeSamples, type SampleRange } from '../../src/core/audio/sample-range.ts';

/** The most that a server is sent at once (spec, section 9). */
const MAX_PIECE_SAMPLES = msToSamples(90_000);

/** A recording's stretches, several to a piece where they fit: always the same for the same. */
export function piecesOf<Range extends SampleRange>(
  stretches: readonly Range[],
): readonly (readonly Range[])[] {
  const pieces: Range[][] = [];
  let pieceSamples = Number.POSITIVE_INFINITY;
  for (const stretch of stretches) {
    pieceSamples += rangeSamples(stretch);
    if (pieceSamples <= MAX_PIECE_SAMPLES) pieces.at(-1)?.push(stretch);
    else {
      pieces.push([stretch]);
      pieceSamples = rangeSamples(stretch);
    }
  }
  return pieces;
}
