import { readFile, rename, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../src/core/clock.ts';
import { ModelUnloadable, type RunningRecogniser } from '../engine/engine-port.ts';
import type { TransducerSource } from '../engine/engine-process.ts';
import type { ModelFolder } from './layout/model-folder.ts';

/** A short recording whose words are known. */
export type Clip = {
  readonly name: string;
  /** 16 kHz, mono, as a WAV file. */
  readonly path: string;
  readonly language: string;
  readonly words: string;
};

/** Made with a speech synthesiser: no person's voice is in them. */
const KNOWN = [
  ['sv-one', 'sv', 'Patienten har haft feber i tre dagar och behöver vila.'],
  ['sv-two', 'sv', 'Skicka rapporten till kontoret före fredag morgon.'],
  ['sv-three', 'sv', 'I dag är det en bra dag att börja med något nytt.'],
  ['en-one', 'en', 'The patient has had a fever for three days and needs to rest.'],
] as const;

const HEADER_BYTES = 44;

/** The clips of a language; English ones where there are none of it. */
export function clipsOf(language: string): readonly Clip[] {
  const known = KNOWN.filter(([, spoken]) => spoken === language);
  return (known.length > 0 ? known : KNOWN.filter(([, spoken]) => spoken === 'en')).map(
    ([name, spoken, words]) => ({
      name,
      path: fileURLToPath(new URL(`./clips/${name}.wav`, import.meta.url)),
      language: spoken,
      words,
    }),
  );
}

/** A clip's samples, -1 to 1. */
export async function samplesOf({ path }: Clip): Promise<Float32Array> {
  const file = await readFile(path);
  const count = (file.length - HEADER_BYTES) >> 1;
  return Float32Array.from(
    { length: count },
    (_, at) => file.readInt16LE(HEADER_BYTES + 2 * at) / 32_768,
  );
}

/** The words of a text as they are compared: in lower case, without punctuation. */
export function comparedWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words that must be put in, taken out or changed to get from one text to the other. */
export function wordErrors(said: string, written: string): number {
  const [from, to] = [comparedWords(said), comparedWords(written)];
  let row = to.map((_, at) => at + 1);
  row.unshift(0);
  for (const [at, word] of from.entries()) {
    const next = [at + 1];
    for (const [other, found] of to.entries()) {
      const changed = (row[other] ?? 0) + (word === found ? 0 : 1);
      next.push(Math.min(changed, (row[other + 1] ?? 0) + 1, (next[other] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The share of the words said that are in the text, 0 to 1. */
function shareHeard(said: string, written: string): number {
  const found = new Set(comparedWords(written));
  const words = comparedWords(said);
  return words.filter((word) => found.has(word)).length / Math.max(1, words.length);
}

/** The result of the first load, stored beside the model; it counts on this processor only. */
type Trial = {
  readonly processor: string;
  readonly precision: TransducerSource['precision'];
  /** The share of the clip's words that it wrote, 0 to 1. */
  readonly share: number;
  /** Why it must not be used; null when it may. */
  readonly fault: string | null;
};

/** The parts that a trial needs. */
type TrialPorts = {
  /** Starts an engine of its own with the model. */
  readonly launch: (precision: Trial['precision']) => RunningRecogniser;
  readonly clip: Clip;
  readonly clock: Clock;
  /** The time one load with one clip may take, in ms. @default 300000 */
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
    const { text } = await engine.recognise(await samplesOf(clip), clip.language);
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
