/** Blocks are compared at every quarter of their length. */
const STEPS_PER_BLOCK = 4;

/**
 * The place to cut between two words: the middle of the quietest block of `blockSamples` (lowest
 * energy) within `[fromSample, toSample)`. Of equally quiet ones it takes the one nearest to the
 * middle, and the middle itself if the range is shorter than a block.
 */
export function findQuietPoint(
  samples: Float32Array,
  fromSample: number,
  toSample: number,
  blockSamples: number,
): number {
  const middle = Math.floor((fromSample + toSample) / 2);
  const stepSamples = Math.max(1, Math.floor(blockSamples / STEPS_PER_BLOCK));
  const energies = stepEnergies(samples, fromSample, toSample, stepSamples);

  let best = middle;
  let bestEnergy = Number.POSITIVE_INFINITY;
  for (let step = 0; step + STEPS_PER_BLOCK <= energies.length; step += 1) {
    const energy = sum(energies.slice(step, step + STEPS_PER_BLOCK));
    const point = fromSample + (step + STEPS_PER_BLOCK / 2) * stepSamples;
    const isNearer = Math.abs(point - middle) < Math.abs(best - middle);
    if (energy < bestEnergy || (energy === bestEnergy && isNearer)) {
      best = point;
      bestEnergy = energy;
    }
  }
  return best;
}

/** The sum of squares of each whole step in the range. */
function stepEnergies(
  samples: Float32Array,
  fromSample: number,
  toSample: number,
  stepSamples: number,
): readonly number[] {
  const energies: number[] = [];
  for (let start = fromSample; start + stepSamples <= toSample; start += stepSamples) {
    let energy = 0;
    for (const sample of samples.subarray(start, start + stepSamples)) energy += sample * sample;
    energies.push(energy);
  }
  return energies;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
