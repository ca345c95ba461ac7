import { parseArgs } from 'node:util';
import type { SpeechEngineKind } from '../../src/core/speech/speech-engine.ts';
import {
  DEFAULT_VAD_OPTIONS,
  RECORDING_VAD_OPTIONS,
  type VadOptions,
} from '../../src/core/speech/vad-options.ts';

export const USAGE = `Usage: npx tsx tools/vad/main.ts FILES... [options]

Runs Diktera's speech detector over WAV files (8 to 96 kHz, mono or stereo, 8, 16, 24 or 32 bits or
float) and prints the speech probability of each frame of 96 ms and the segments of speech.

  --engine auto|kernel|ort      what runs the model; auto is the kernel, or onnxruntime if it fails
  --preset recording|default    thresholds and padding; default recording
  --json                        a list with an object for each file, and nothing else
  -h, --help                    this text`;

/** Something on the command line that cannot be; the message says what. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What is wanted. */
export type VadCommand =
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
