import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { sleep } from '../../src/core/async.ts';
import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import { srtOf, vttOf } from '../../src/core/text/subtitles.ts';
import { type TimedPart, timeText } from '../../src/core/text/time-text.ts';
import type { AudioDecoder } from '../audio/decoder-pool.ts';
import { ApiError } from '../core/api-error.ts';
import { waveBytes } from '../engine/ask-upstream.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { splitAtPauses } from '../engine/pieces.ts';
import { syncFolder } from '../models/layout/model-folder.ts';
import type { TextRules } from '../text/text-rules.ts';
import { chooseLanguage, languageOf } from '../transcription/choose-language.ts';
import type {
  TranscriptionAnswer,
  TranscriptionService,
} from '../transcription/transcription-service.ts';
import { findFiles, targetsOf } from './sound-files.ts';

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
  /** A code; '' where none was named. */
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
      ...{ named, format, language: languageOf(values.language), output: values.output ?? null },
      isForced: values.force,
      removePii: values['remove-pii'],
      fixSpelling: values['fix-spelling'],
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The words of a block of a file, before the text rules: a number may go on in the next one. */
type Block = {
  readonly text: string;
  readonly language: string;
  readonly complete: boolean;
  readonly engine: string;
  readonly model: string;
  readonly parts: readonly TimedPart[];
};

/** The words of a whole file, after the text rules. */
type Ruled = Pick<Block, 'language' | 'engine' | 'model' | 'text' | 'parts'>;

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
  readonly textRules: Pick<TextRules, 'apply'>;
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
  const found = await findFiles(order.named);
  for (const problem of found.problems) print(`${problem}\n`);
  const targets = targetsOf(found, order.output, order.format);
  if (targets.length === 0) return 1;
  const language = languageFor(order.language, engines);
  if (language === null) {
    const { languages } = engines.description;
    print(`The engine here does not write ${order.language}: ${languages.join(', ')}.\n`);
    return 2;
  }
  const problem = await untilReady(language, ports);
  if (signal.aborted) return INTERRUPTED;
  if (problem !== null) {
    print(`${problem}\n`);
    return 1;
  }
  let isAllGood = found.problems.length === 0;
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
    // Left over where writing it anew was ended.
    await rm(begunOf(target), { force: true }).catch(() => undefined);
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

/** Waits for the engine that writes `language`; gives what is wrong with it, null for nothing. */
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
    if (signal.aborted) return null;
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
}

/** Writes one file down; says whether all of it was heard. */
async function transcribeFile(
  file: string,
  target: string,
  order: TranscribeOrder,
  ports: TranscribePorts,
  name: string,
): Promise<boolean> {
  const { print, signal, clock, decoder, engines, service } = ports;
  const startedMs = clock.nowMs();
  const { mtimeMs } = await stat(file);
  const bytes = await readFile(file);
  const turn = { client: 'command', rank: 'final' as const, charge: () => undefined };
  const audio = await decoder.decode(bytes, LONGEST_MS, signal, turn);
  const ranges = splitAtPauses(audio.samples, BLOCK_MS);
  const { language } = order;
  const { engine, model } = engines.engineFor(language).description;
  const of = JSON.stringify({ bytes: bytes.length, mtimeMs, language, engine, model, ranges });
  const blocks = order.isForced ? [] : [...(await readBegun(target, of))];
  if (blocks.length > 0)
    print(`${name}: goes on at ${percentOf(blocks.length, ranges.length)} %\n`);
  for (const { startSample, endSample } of ranges.slice(blocks.length)) {
    signal.throwIfAborted();
    const job = {
      file: waveBytes(audio.samples.subarray(startSample, endSample)),
      ...{ removePii: false, fixSpelling: false, language, fast: false, rank: 'final' as const },
    };
    const ask = () => service.transcribe('command', job, signal, 'stop');
    blocks.push(blockOf(await untilAnswered(ask, ports), samplesToMs(startSample)));
    // Nobody else may read it: nothing is masked yet.
    await writeWhole(begunOf(target), JSON.stringify({ of, blocks } satisfies Begun), 0o600);
    if (ranges.length > 1) print(`${name}: ${percentOf(blocks.length, ranges.length)} %\n`);
  }
  const durationMs = Math.round(samplesToMs(audio.samples.length));
  const isWhole = audio.complete && blocks.every(({ complete }) => complete);
  const ruled = await withRules(blocks, order, ports, name);
  await writeWhole(target, textOf(ruled, order.format, { file, durationMs, complete: isWhole }));
  await rm(begunOf(target), { force: true });
  const took = secondsOf(clock.nowMs() - startedMs);
  const missing = isWhole ? '' : ' Not all of it could be read or heard.';
  print(
    `${name}: ${secondsOf(durationMs)} of sound in ${took}, ${relative('.', target)}.${missing}\n`,
  );
  return isWhole;
}

/** An engine that ended, or has too much to do, is asked again when it says. */
async function untilAnswered<T>(
  ask: () => Promise<T>,
  { signal, clock }: Pick<TranscribePorts, 'signal' | 'clock'>,
  triesLeft = MORE_TRIES,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const waitS = error instanceof ApiError ? error.retryAfterS : null;
    if (waitS === null || triesLeft === 0 || signal.aborted) throw error;
    await sleep(clock, 1_000 * waitS, signal);
    signal.throwIfAborted();
  }
  return untilAnswered(ask, { signal, clock }, triesLeft - 1);
}

function blockOf(heard: TranscriptionAnswer, offsetMs: number): Block {
  const { transcription: text, language, complete, engine, model } = heard;
  const whole = { text, startMs: 0, endMs: heard.durationMs };
  const parts = heard.parts ?? (text === '' ? [] : [whole]);
  return {
    ...{ text, language, complete, engine, model },
    parts: parts.map((part) => movedBy(part, offsetMs)),
  };
}

/** All that was heard after the rules. Throws where it was to be masked and could not be. */
async function withRules(
  blocks: readonly Block[],
  { removePii, fixSpelling }: TranscribeOrder,
  { textRules, print }: TranscribePorts,
  name: string,
): Promise<Ruled> {
  const heard = blocks.flatMap((block) => (block.text === '' ? [] : block.text)).join(' ');
  const language = mostOf(blocks.map((block) => block.language).filter((one) => one !== ''));
  const { engine = '', model = '' } = blocks[0] ?? {};
  const { text, outcomes } = await textRules.apply(heard, { removePii, fixSpelling, language });
  if (removePii && outcomes.removePii !== 'applied') throw new Error('It could not be masked.');
  if (fixSpelling && outcomes.fixSpelling !== 'applied') {
    print(`${name}: the spelling could not be corrected.\n`);
  }
  const parts = blocks.flatMap((block) => block.parts);
  return { language, engine, model, text, parts: timeText(text, parts) };
}

/** The most frequent, and '' of none. */
function mostOf(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
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

const begunOf = (target: string) => `${target}.begun`;

/** The blocks of an earlier run on the same file, by the same engine. */
async function readBegun(target: string, of: string): Promise<readonly Block[]> {
  try {
    const begun = JSON.parse(await readFile(begunOf(target), 'utf8')) as Begun;
    return begun.of === of && Array.isArray(begun.blocks) ? begun.blocks : [];
  } catch {
    return [];
  }
}

/** A file that is there is whole, also when the power goes, and where two write it at once. */
async function writeWhole(path: string, content: string, mode = 0o666): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const beside = `${path}.${randomUUID().slice(0, 8)}.new`;
  try {
    await writeFile(beside, content, { mode, flush: true });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

function textOf(
  { text, parts, ...heardBy }: Ruled,
  format: Format,
  {
    file,
    ...facts
  }: { readonly file: string; readonly durationMs: number; readonly complete: boolean },
): string {
  if (format === 'srt') return srtOf(parts);
  if (format === 'vtt') return vttOf(parts);
  if (format === 'txt') return text === '' ? '' : `${text}\n`;
  const answer = { file: basename(file), ...heardBy, ...facts, text, parts };
  return `${JSON.stringify(answer, null, 2)}\n`;
}
