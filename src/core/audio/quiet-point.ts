/** How finely places are tried: a fraction of the stretch that is compared. */
const STEPS_PER_STRETCH = 4;

/**
 * Where to cut between two words: the middle of the quietest stretch of `stretchSamples` (lowest
 * energy) within `[fromSample, toSample)`. Of equally quiet ones the one nearest to the middle is
 * taken, and the middle itself if the range is shorter than a stretch.
 */
export function findQuietPoint(
  samples: Float32Array,
  fromSample: number,
  toSample: number,
  stretchSamples: number,
): number {
  const middle = Math.floor((fromSample + toSample) / 2);
  const stepSamples = Math.max(1, Math.floor(stretchSamples / STEPS_PER_STRETCH));
  const energies = stepEnergies(samples, fromSample, toSample, stepSamples);

  let best = middle;
  let bestEnergy = Number.POSITIVE_INFINITY;
  for (let step = 0; step + STEPS_PER_STRETCH <= energies.length; step += 1) {
    const energy = sum(energies.slice(step, step + STEPS_PER_STRETCH));
    const point = fromSample + (step + STEPS_PER_STRETCH / 2) * stepSamples;
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
