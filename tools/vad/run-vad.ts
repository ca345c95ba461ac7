import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { SpeechEngineKind } from '../../src/core/speech/speech-engine.ts';
import {
  DEFAULT_VAD_OPTIONS,
  RECORDING_VAD_OPTIONS,
  type VadOptions,
} from '../../src/core/speech/vad-options.ts';
import {
  type AudioFrame,
  cutFrames,
  type Detection,
  detectSpeech,
  loadNodeEngine,
} from './detect-speech.ts';
import { readWave, WaveError } from './read-wave.ts';

export const USAGE = `Usage: npx tsx tools/vad/main.ts FILES... [options]

Runs Diktera's speech detector over WAV files (8 to 96 kHz, mono or stereo, 8, 16, 24 or 32 bits or
float) and prints the speech probability of each frame of 96 ms and the segments of speech.

  --engine auto|kernel|ort      what runs the model; auto is the kernel, or onnxruntime if it fails
  --preset recording|default    thresholds and padding; default recording
  --json                        a list with an object for each file, and nothing else
  -h, --help                    this text`;

/** Something on the command line that cannot be; the message says what. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The arguments. */
type VadCommand =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'detect';
      readonly files: readonly string[];
      readonly engine: SpeechEngineKind | 'auto';
      readonly options: VadOptions;
      readonly isJson: boolean;
    };

const ENGINES = { auto: 'auto', kernel: 'kernel', ort: 'ort' } as const;
const PRESETS = { recording: RECORDING_VAD_OPTIONS, default: DEFAULT_VAD_OPTIONS } as const;

/** Reads the words after the command's name. Throws a UsageError. */
export function readArguments(words: readonly string[]): VadCommand {
  const { values, positionals } = parse(words);
  if (values.help) return { kind: 'help' };
  if (positionals.length === 0) throw new UsageError('No file is given');
  return {
    kind: 'detect',
    files: positionals,
    engine: oneOf('--engine', ENGINES, values.engine),
    options: oneOf('--preset', PRESETS, values.preset),
    isJson: values.json,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        engine: { type: 'string', default: 'auto' },
        preset: { type: 'string', default: 'recording' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new UsageError(line);
  }
}

function oneOf<T>(option: string, choices: Readonly<Record<string, T>>, given: string): T {
  const value = Object.hasOwn(choices, given) ? choices[given] : undefined;
  if (value !== undefined) return value;
  throw new UsageError(`${option} is ${Object.keys(choices).join(' or ')}, not '${given}'`);
}

/** The characters of the bar of a certain frame. */
const BAR_WIDTH = 40;

/** A detection for people: one line for each frame, then the segments. */
function describeDetection(detection: Detection): string {
  const { file, probabilities, segments, frameSamples } = detection;
  const frames = probabilities.map((probability, index) => {
    const startSeconds = samplesToMs(index * frameSamples) / 1_000;
    const bar = '#'.repeat(Math.round(probability * BAR_WIDTH));
    return `${seconds(startSeconds)}  ${probability.toFixed(4)}  ${bar}`.trimEnd();
  });
  const found = segments.map(
    ({ startSeconds, endSeconds }, index) =>
      `segment ${index + 1}: ${seconds(startSeconds)} to ${seconds(endSeconds)} s`,
  );
  return [file, ...frames, ...(found.length > 0 ? found : ['no speech'])].join('\n');
}

function seconds(value: number): string {
  return value.toFixed(3).padStart(8);
}

/** Where the command's words go. */
type VadOutput = {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
};

/** A file that could not be read, and nothing said why it should not be there. */
class ReadError extends Error {
  override readonly name = 'ReadError';
}

/**
 * The command: all files are read before any inference, so that nothing is printed when one is
 * bad. Gives the exit code: 0, 2 for a command or a file that cannot be meant (no such file, no
 * WAV, no audio), 1 when a file can't be read or no engine be started.
 */
export async function runVad(words: readonly string[], output: VadOutput): Promise<number> {
  try {
    const command = readArguments(words);
    if (command.kind === 'help') {
      output.print(USAGE);
      return 0;
    }
    const { files, engine: kind, options, isJson } = command;
    const recordings: { readonly file: string; readonly frames: readonly AudioFrame[] }[] = [];
    for (const file of files) recordings.push({ file, frames: await readFrames(file) });

    const engine = await loadNodeEngine(kind, {
      error: output.complain,
      warn: (text, detail) => output.complain(`vad: ${text}: ${lineOf(detail)}`),
      info: () => undefined,
    });
    const detections: Detection[] = [];
    for (const { file, frames } of recordings) {
      detections.push(await detectSpeech(file, frames, { engine, options }));
    }
    await engine.dispose();
    output.print(
      isJson
        ? JSON.stringify(detections)
        : detections.map((detection) => describeDetection(detection)).join('\n\n'),
    );
    return 0;
  } catch (error) {
    output.complain(`vad: ${lineOf(error)}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function readFrames(file: string): Promise<readonly AudioFrame[]> {
  const bytes = readBytes(file);
  try {
    return await cutFrames(readWave(bytes));
  } catch (error) {
    if (error instanceof WaveError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new UsageError(`${file}: there is no such file`);
    throw new ReadError(`${file}: it cannot be read: ${lineOf(error)}`, { cause: error });
  }
}

function lineOf(thrown: unknown): string {
  const [line = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n');
  return line;
}
