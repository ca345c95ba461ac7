import dictationOneUrl from '../fixtures/dictation-one.wav?url';
import { readWave } from './read-wave.ts';

/** A sentence without the quiet around it, at 16 kHz. */
export const SPOKEN = await spoken();

async function spoken(): Promise<Float32Array> {
  const samples = readWave(await (await fetch(dictationOneUrl)).arrayBuffer(), 3);
  const isLoud = (sample: number) => Math.abs(sample) > 0.02;
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud));
}

/** Somebody who says the same again and again, with a short pause between. */
export function speech(seconds: number): Float32Array {
  const each = SPOKEN.length + 14_000;
  return Float32Array.from({ length: seconds * 16_000 }, (_, index) => SPOKEN[index % each] ?? 0);
}
