import { readFile, rename, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Clock } from '../../src/core/clock.ts';
import type { TransducerSource } from '../engine/engine-protocol.ts';
import { ModelUnloadable } from '../engine/model-unloadable.ts';
import type { RunningRecogniser } from '../engine/recogniser.ts';
import { type Clip, samplesOf } from './clips.ts';
import type { ModelFolder } from './layout/model-folder.ts';
import { shareHeard } from './word-errors.ts';

/** What the first load showed; kept beside the model, and worth something on this processor only. */
export type Trial = {
  readonly processor: string;
  readonly precision: TransducerSource['precision'];
  /** How many of the clip's words it wrote, 0 to 1. */
  readonly share: number;
  /** Why it must not be used; null when it may. */
  readonly fault: string | null;
};

/** What a trial needs. */
export type TrialPorts = {
  /** Starts an engine of its own with the model. */
  readonly launch: (precision: Trial['precision']) => RunningRecogniser;
  readonly clip: Clip;
  readonly clock: Clock;
  /** How long one load with one clip may take, in ms. @default 300000 */
  readonly limitMs?: number;
};

/** With exact sums a load took over two minutes on a laptop, by others' word. */
const LIMIT_MS = 300_000;

/** Fewer words than this, and the other precision is tried as well. */
const ENOUGH = 0.5;

const processor = () => cpus()[0]?.model ?? '';

/**
 * Loads a model in a process of its own and has it write a clip, since what is wrong with a model
 * ends the engine's process. On processors whose short sums overflow it writes nothing or nonsense:
 * then exact sums are tried, and whichever of the two hears more words is taken. A made voice is
 * hard to hear, so words that are wrong keep no model out; none at all do.
 */
export async function tryModel(ports: TrialPorts): Promise<Trial> {
  const plain = await tryOnce('plain', ports);
  if (plain.share >= ENOUGH) return plain;
  const exact = await tryOnce('exact', ports);
  const isExactBetter = plain.fault !== null ? exact.fault === null : exact.share > plain.share;
  return isExactBetter ? exact : plain;
}

async function tryOnce(
  precision: Trial['precision'],
  { launch, clip, clock, limitMs = LIMIT_MS }: TrialPorts,
): Promise<Trial> {
  const trial = { processor: processor(), precision, share: 0 };
  const engine = launch(precision);
  const cancelTimer = clock.after(limitMs, engine.end);
  try {
    await engine.ready;
    const text = await engine.recognise(await samplesOf(clip), clip.language);
    if (text.trim() === '') return { ...trial, fault: 'it wrote nothing for a known clip' };
    return { ...trial, share: shareHeard(clip.words, text), fault: null };
  } catch (error) {
    return { ...trial, fault: faultOf(error) };
  } finally {
    cancelTimer();
    engine.end();
  }
}

function faultOf(error: unknown): string {
  if (error instanceof ModelUnloadable) return error.reason;
  return error instanceof Error ? error.message : 'it could not be tried';
}

/** The trial that is kept; null when there is none, or one from another processor. */
export async function readTrial(folder: ModelFolder): Promise<Trial | null> {
  try {
    const trial = JSON.parse(await readFile(folder.trial, 'utf8')) as Trial;
    return trial.processor === processor() ? trial : null;
  } catch {
    return null;
  }
}

/** Keeps a trial. A folder that cannot be written to costs the next start one more. */
export async function keepTrial(folder: ModelFolder, trial: Trial): Promise<void> {
  try {
    await writeFile(`${folder.trial}.part`, `${JSON.stringify(trial)}\n`);
    await rename(`${folder.trial}.part`, folder.trial);
  } catch {
    // Said above.
  }
}
