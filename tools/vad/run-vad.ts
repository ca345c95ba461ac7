import { readFileSync } from 'node:fs';
import { type AudioFrame, cutFrames } from './cut-frames.ts';
import { type Detection, detectSpeech } from './detect-speech.ts';
import { loadNodeEngine } from './node-engines.ts';
import { describeDetection } from './print-detection.ts';
import { readArguments, USAGE, UsageError } from './read-arguments.ts';
import { readWave } from './read-wave.ts';
import { WaveError } from './wave-error.ts';

/** Where the command's words go. */
export type VadOutput = {
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
