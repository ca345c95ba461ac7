import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import { decodeAudio } from '../audio/decode-audio.ts';
import { SERVER_VERSION, systemClock } from '../core/system.ts';
import { startEngineProcess, type TransducerSource } from '../engine/engine-process.ts';
import { recogniseInPieces, TRANSDUCER_PIECES } from '../engine/pieces.ts';
import type { FetchedModel, ModelFolder } from '../models/layout/model-folder.ts';
import { sourceOf } from '../models/local-engine.ts';
import {
  clipsOf,
  comparedWords,
  keepTrial,
  samplesOf,
  tryModel,
  wordErrors,
} from '../models/try-model.ts';

type Recording = {
  readonly name: string;
  readonly said: string;
  readonly samples: Float32Array;
};

/** One word in four: the voices of the clips are made, and harder to hear than a person. */
const GOOD_SHARE = 0.25;
const MAX_AUDIO_MS = 3_600_000;
const never = new AbortController().signal;

/**
 * Writes down the clips that come with the server, or the recordings in `words` (a file, what is
 * said in it, and so on), and prints what a person can paste into an issue. Gives back 0 when the
 * model can be used.
 */
export async function tryOnSpeech(
  model: FetchedModel,
  folder: ModelFolder,
  words: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const language = model.languages[0] ?? '';
  const recordings =
    words.length > 0 ? await ownRecordings(words) : await knownRecordings(language);
  const [clip] = clipsOf(language);
  if (clip === undefined) throw new Error('there is no clip');
  const launch = (precision: TransducerSource['precision']) =>
    startEngineProcess({ kind: 'transducer', source: sourceOf(model, folder, 1, precision) });
  print('Loading it for the first time...\n');
  const trial = await tryModel({ launch, clip, clock: systemClock });
  await keepTrial(folder, trial);
  const lines = [
    `${model.name} (${model.id}, ${model.commit.slice(0, 12)}), diktera-server ${SERVER_VERSION}`,
    `node ${process.version}, ${process.platform} ${process.arch}, ${cpus()[0]?.model ?? '?'}`,
  ];
  if (trial.fault !== null) {
    print(`\n${[...lines, `VERDICT: it cannot be used here: ${trial.fault}`].join('\n')}\n`);
    return 1;
  }
  const beganMs = performance.now();
  const engine = launch(trial.precision);
  await engine.ready;
  lines.push(`sums: ${trial.precision}; loaded in ${seconds(performance.now() - beganMs)}`);
  let [errors, said, audioMs, workMs] = [0, 0, 0, 0];
  for (const recording of recordings) {
    const startMs = performance.now();
    const recognise = (utterance: Float32Array) => engine.recognise(utterance, language);
    const { text } = await recogniseInPieces(
      recognise,
      recording.samples,
      never,
      undefined,
      TRANSDUCER_PIECES,
    );
    workMs += performance.now() - startMs;
    audioMs += samplesToMs(recording.samples.length);
    const wrong = wordErrors(recording.said, text);
    const count = comparedWords(recording.said).length;
    errors += wrong;
    said += count;
    lines.push(`${recording.name}: ${wrong} of ${count} words wrong`);
    lines.push(`  said:    ${recording.said}`, `  written: ${text}`);
  }
  const memory = engine.id === undefined ? null : await peakMemory(engine.id);
  engine.end();
  const factor = (workMs / Math.max(1, audioMs)).toFixed(3);
  lines.push(`word errors: ${errors} of ${said}; real-time factor ${factor} with one core`);
  lines.push(`memory of the engine at most: ${memory ?? 'not known on this system'}`);
  const isGood = errors <= GOOD_SHARE * said && workMs < audioMs;
  lines.push(`VERDICT: ${isGood ? 'it works here' : 'look at the words above before you use it'}`);
  print(`\n${lines.join('\n')}\n`);
  return isGood ? 0 : 1;
}

async function knownRecordings(language: string): Promise<readonly Recording[]> {
  return Promise.all(
    clipsOf(language).map(async (clip) => ({
      name: clip.name,
      said: clip.words,
      samples: await samplesOf(clip),
    })),
  );
}

async function ownRecordings(words: readonly string[]): Promise<readonly Recording[]> {
  const recordings: Recording[] = [];
  for (let at = 0; at < words.length; at += 2) {
    const name = words[at] ?? '';
    const { samples } = await decodeAudio(await readFile(name), MAX_AUDIO_MS);
    recordings.push({ name, said: words[at + 1] ?? '', samples });
  }
  return recordings;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

async function peakMemory(pid: number): Promise<string | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? null : `${Math.round(Number(kib) / 1024)} MiB`;
}
