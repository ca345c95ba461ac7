import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { TimedPart } from '../../src/core/text/time-text.ts';
import type { AudioDecoder } from '../audio/decoder-pool.ts';
import { ApiError } from '../core/api-error.ts';
import { waveBytes } from '../engine/ask-upstream.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { splitAtPauses } from '../engine/pieces.ts';
import { chooseLanguage } from '../transcription/choose-language.ts';
import { srtOf, vttOf } from '../transcription/subtitles.ts';
import type { TranscriptionService } from '../transcription/transcription-service.ts';

/** The forms in which a file can be written down, which are also the ends of the names. */
const FORMATS = ['txt', 'srt', 'vtt', 'json'] as const;
type Format = (typeof FORMATS)[number];

/** The text that `transcribe` alone prints. */
export const TRANSCRIBE_USAGE = `diktera-server transcribe FILES... [--format txt|srt|vtt|json] [--language sv]
    [--output FOLDER] [--force] [--remove-pii] [--fix-spelling]

Writes down what is said in audio and video files. FILES are files, folders (with all sound below
them) and patterns such as 'talks/**/*.mp3'. Each text stands beside its file, or in FOLDER, under
the same name with the format's end. One that is there already is left alone, so the same command
goes on where it was ended, within a long file too; --force writes it anew. Ends with 0, with 1
when a file could not be read to its end, and with 2 when it was told something it does not know.
`;

type TranscribeOrder = {
  readonly named: readonly string[];
  readonly format: Format;
  readonly language: string;
  readonly output: string | null;
  readonly isForced: boolean;
  readonly removePii: boolean;
  readonly fixSpelling: boolean;
};

/** Reads the words behind `transcribe`; gives a message where they make no sense. */
export function readTranscribeOrder(words: readonly string[]): TranscribeOrder | string {
  try {
    const { values, positionals: named } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        format: { type: 'string', default: 'txt' },
        language: { type: 'string', default: '' },
        output: { type: 'string' },
        force: { type: 'boolean', default: false },
        'remove-pii': { type: 'boolean', default: false },
        'fix-spelling': { type: 'boolean', default: false },
      },
    });
    const format = FORMATS.find((one) => one === values.format);
    if (format === undefined) return `--format is one of ${FORMATS.join(', ')}.`;
    if (named.length === 0) return 'Which files?';
    return {
      ...{ named, format, language: values.language, output: values.output ?? null },
      isForced: values.force,
      removePii: values['remove-pii'],
      fixSpelling: values['fix-spelling'],
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The ends of names that are taken from folders. A file that is named itself may have any. */
const SOUND =
  /\.(wav|wave|mp3|m4a|m4b|mp4|m4v|mov|aac|flac|ogg|oga|opus|webm|mkv|mka|aiff?|amr|caf|wma|wmv|avi|3gp|ts|w64|au)$/i;

/** The files that `named` stand for, each once, and the names that stand for none. */
async function findFiles(named: readonly string[]) {
  const files = new Set<string>();
  const missing: string[] = [];
  for (const name of named) {
    const path = resolve(name);
    const found = await stat(path).catch(() => null);
    const ones = found?.isFile()
      ? [path]
      : found?.isDirectory()
        ? await soundBelow(path)
        : await matching(path);
    for (const one of ones) files.add(one);
    if (ones.length === 0) missing.push(name);
  }
  return { files: [...files], missing };
}

async function soundBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && SOUND.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Files of a pattern that the shell left as it is: `*`, `?` and `**`. */
async function matching(pattern: string): Promise<string[]> {
  const parts = pattern.split(sep);
  const first = parts.findIndex((part) => /[*?]/.test(part));
  if (first < 0) return [];
  const base = parts.slice(0, first).join(sep) || sep;
  const source = parts
    .slice(first)
    .map((part) => (part === '**' ? '\0' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&')))
    .join('/')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll('\0/', '(?:.*/)?')
    .replaceAll('\0', '.*');
  const wanted = new RegExp(`^${source}$`);
  const names = await readdir(base, { recursive: true, withFileTypes: true }).catch(() => []);
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => wanted.test(relative(base, path).replaceAll(sep, '/')))
    .sort();
}

/** The path of each text; of two files of one name both keep their extensions in it. */
function targetsOf(files: readonly string[], { output, format }: TranscribeOrder) {
  const plain = (file: string) =>
    join(output === null ? dirname(file) : resolve(output), basename(file, extname(file)));
  const counts = new Map<string, number>();
  for (const file of files) counts.set(plain(file), (counts.get(plain(file)) ?? 0) + 1);
  return files.map((file) => {
    const isAlone = counts.get(plain(file)) === 1;
    return { file, target: `${plain(file)}${isAlone ? '' : extname(file)}.${format}` };
  });
}

/** The words of a block of a file. */
type Block = {
  readonly text: string;
  readonly language: string;
  readonly complete: boolean;
  readonly engine: string;
  readonly model: string;
  readonly parts: readonly TimedPart[];
};

/** A text that is not all yet: kept beside its target until it is. */
type Begun = { readonly of: string; readonly blocks: readonly Block[] };

/** The parts that the command works with. */
export type TranscribePorts = {
  /** For people, on standard error: the texts are in files. */
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly engines: EngineSet;
  readonly decoder: Pick<AudioDecoder, 'decode'>;
  readonly service: Pick<TranscriptionService, 'transcribe'>;
};

/** As long as a block is at most: what is done again after an end in the middle. */
const BLOCK_MS = { minPieceMs: 40_000, maxPieceMs: 60_000 };

/** Longer than any meeting; memory goes by it. */
export const LONGEST_MS = 4 * 3_600_000;

const LOOK_EVERY_MS = 200;

/** Runs `diktera-server transcribe ...`; gives back what the process is to end with. */
export async function runTranscribeCommand(
  order: TranscribeOrder,
  ports: TranscribePorts,
): Promise<number> {
  const { print, signal, engines } = ports;
  const { files, missing } = await findFiles(order.named);
  for (const name of missing) print(`${name}: there is no such file, or no sound in it.\n`);
  const targets = targetsOf(files, order);
  if (targets.length === 0) return missing.length > 0 ? 1 : 2;
  const language = languageFor(order.language, engines);
  if (language === null) {
    print(
      `The engine here does not write '${order.language}': ${engines.description.languages.join(', ')}.\n`,
    );
    return 2;
  }
  const problem = await untilReady(language, ports);
  if (problem !== null) {
    print(`${problem}\n`);
    return 1;
  }
  let isAllGood = missing.length === 0;
  for (const [at, { file, target }] of targets.entries()) {
    const name = `[${at + 1}/${targets.length}] ${relative('.', file)}`;
    const isGood = await oneFile(file, target, { ...order, language }, ports, name);
    if (signal.aborted) return INTERRUPTED;
    isAllGood &&= isGood;
  }
  return isAllGood ? 0 : 1;
}

/** As shells say of what Ctrl+C ended. */
const INTERRUPTED = 130;

function languageFor(asked: string, { description }: EngineSet): string | null {
  try {
    return chooseLanguage(asked, description);
  } catch {
    return null;
  }
}

/** False when it could not be done, or not to its end. */
async function oneFile(
  file: string,
  target: string,
  order: TranscribeOrder,
  ports: TranscribePorts,
  name: string,
): Promise<boolean> {
  if (!order.isForced && (await isThere(target))) {
    ports.print(`${name}: ${relative('.', target)} is there already.\n`);
    return true;
  }
  try {
    return await transcribeFile(file, target, order, ports, name);
  } catch (error) {
    if (!ports.signal.aborted) {
      ports.print(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    }
    return false;
  }
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Waits for the engine that writes `language`; null when it can be asked, else what is wrong. */
async function untilReady(language: string, ports: TranscribePorts): Promise<string | null> {
  const { engines, signal, print, clock } = ports;
  void engines.start();
  let told = -1;
  for (;;) {
    const state = engines.engineFor(language).state();
    if (state.kind === 'ready') return null;
    if (state.kind === 'failed') return `The speech engine cannot be used: ${state.reason}.`;
    const percent = Math.floor(100 * (state.share ?? 0));
    if (percent > told && state.share !== undefined) {
      print(`The model is being made ready: ${percent} %\n`);
      told = percent;
    }
    if (signal.aborted) return 'Ended before the speech engine was ready.';
    await new Promise<void>((resolve) => clock.after(LOOK_EVERY_MS, resolve));
  }
}

/** Writes one file down; says whether all of it was heard. */
async function transcribeFile(
  file: string,
  target: string,
  order: TranscribeOrder,
  { print, signal, clock, decoder, service }: TranscribePorts,
  name: string,
): Promise<boolean> {
  const startedMs = clock.nowMs();
  const bytes = await readFile(file);
  const turn = { client: 'command', rank: 'final' as const, charge: () => undefined };
  const audio = await decoder.decode(bytes, LONGEST_MS, signal, turn);
  const ranges = splitAtPauses(audio.samples, BLOCK_MS);
  const { language, removePii, fixSpelling } = order;
  const { mtimeMs } = await stat(file);
  const wishes = { bytes: bytes.length, mtimeMs, language, removePii, fixSpelling };
  const of = JSON.stringify({ ...wishes, ranges });
  const begunPath = `${target}.begun`;
  const blocks = [...(await readBegun(begunPath, of))];
  if (blocks.length > 0)
    print(`${name}: goes on at ${percentOf(blocks.length, ranges.length)} %\n`);
  /** An engine that ended is there again in a moment. */
  async function asked<T>(ask: () => Promise<T>, triesLeft = MORE_TRIES): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      const waitS = error instanceof ApiError ? error.retryAfterS : null;
      if (waitS === null || triesLeft === 0 || signal.aborted) throw error;
      await new Promise<void>((resolve) => clock.after(1_000 * waitS, resolve));
      return asked(ask, triesLeft - 1);
    }
  }
  for (const { startSample, endSample } of ranges.slice(blocks.length)) {
    signal.throwIfAborted();
    const job = {
      file: waveBytes(audio.samples.subarray(startSample, endSample)),
      ...{ removePii, fixSpelling, language, fast: false, rank: 'final' as const },
    };
    const heard = await asked(() => service.transcribe('command', job, signal, 'stop'));
    const offsetMs = samplesToMs(startSample);
    const { transcription: text, complete, engine, model } = heard;
    const whole = { text, startMs: 0, endMs: heard.durationMs };
    const parts = heard.parts ?? (text === '' ? [] : [whole]);
    blocks.push({
      ...{ text, language: heard.language, complete, engine, model },
      parts: parts.map((part) => movedBy(part, offsetMs)),
    });
    await writeWhole(begunPath, JSON.stringify({ of, blocks } satisfies Begun));
    if (ranges.length > 1) print(`${name}: ${percentOf(blocks.length, ranges.length)} %\n`);
  }
  const durationMs = Math.round(samplesToMs(audio.samples.length));
  const isWhole = audio.complete && blocks.every(({ complete }) => complete);
  await writeWhole(target, textOf(blocks, order.format, { file, durationMs, complete: isWhole }));
  await rm(begunPath, { force: true });
  const took = secondsOf(clock.nowMs() - startedMs);
  const missing = isWhole ? '' : ' Not all of it could be read or heard.';
  print(
    `${name}: ${secondsOf(durationMs)} of sound in ${took}, ${relative('.', target)}.${missing}\n`,
  );
  return isWhole;
}

const MORE_TRIES = 4;

const percentOf = (part: number, all: number) => Math.floor((100 * part) / Math.max(1, all));
const secondsOf = (ms: number) => `${Math.round(ms / 100) / 10} s`;

function movedBy(part: TimedPart, byMs: number): TimedPart {
  const move = <T extends { readonly startMs: number; readonly endMs: number }>(one: T): T => ({
    ...one,
    startMs: Math.round(one.startMs + byMs),
    endMs: Math.round(one.endMs + byMs),
  });
  const { words } = part;
  return { ...move(part), ...(words !== undefined && { words: words.map(move) }) };
}

/** The blocks of an earlier run of the same file with the same wishes. */
async function readBegun(path: string, of: string): Promise<readonly Block[]> {
  try {
    const begun = JSON.parse(await readFile(path, 'utf8')) as Begun;
    return begun.of === of && Array.isArray(begun.blocks) ? begun.blocks : [];
  } catch {
    return [];
  }
}

/** A file that is there is whole, also when the power goes. */
async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.new`;
  await writeFile(beside, content);
  await rename(beside, path);
}

function textOf(
  blocks: readonly Block[],
  format: Format,
  facts: { readonly file: string; readonly durationMs: number; readonly complete: boolean },
): string {
  const parts = blocks.flatMap((block) => block.parts);
  const text = blocks.flatMap((block) => (block.text === '' ? [] : block.text)).join(' ');
  if (format === 'srt') return srtOf(parts);
  if (format === 'vtt') return vttOf(parts);
  if (format === 'txt') return text === '' ? '' : `${text}\n`;
  const { language = '', engine = '', model = '' } = blocks[0] ?? {};
  const { file, durationMs, complete } = facts;
  const answer = { file: basename(file), language, durationMs, complete, engine, model };
  return `${JSON.stringify({ ...answer, text, parts }, null, 2)}\n`;
}
