import { samplesToMs } from '../../src/core/audio/audio-format.ts';

/**
 * Before the first sample. A container is read in a few ms; what takes this long goes in circles.
 */
const FIRST_CPU_MS = 1_000;

/** Thirty times what speech takes here: slow machines and eight channels are within it. */
const CPU_MS_PER_AUDIO_S = 50;

/** Uncompressed audio at a high rate has many bytes and few seconds. */
const CPU_MS_PER_MIB = 25;

/** A process that shares its cores with many others still gets this part of one. */
const LEAST_SHARE_OF_CORE = 1 / 10;

const MIB = 1024 * 1024;

/**
 * The processor time a file may have used when `samples` of it are decoded, in ms. 90 s of WebM get
 * 5.9 s.
 */
export function cpuBudgetMs(fileBytes: number, samples: number): number {
  const audioS = samplesToMs(samples) / 1_000;
  return FIRST_CPU_MS + CPU_MS_PER_AUDIO_S * audioS + CPU_MS_PER_MIB * (fileBytes / MIB);
}

/** The same by the clock, for a file that waits for something that never comes. */
export function wallBudgetMs(fileBytes: number, samples: number): number {
  return cpuBudgetMs(fileBytes, samples) / LEAST_SHARE_OF_CORE;
}
