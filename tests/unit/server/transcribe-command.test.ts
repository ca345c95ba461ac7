import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  readTranscribeOrder,
  runTranscribeCommand,
} from '../../../server/commands/transcribe-command.ts';
import { ApiError } from '../../../server/core/api-error.ts';
import { DEFAULT_LIMITS } from '../../../server/core/limits.ts';
import { systemClock } from '../../../server/core/system.ts';
import type { TranscriptionEngine } from '../../../server/engine/engine-port.ts';
import { createEngineSet } from '../../../server/engine/engine-set.ts';
import { createTextRules } from '../../../server/text/create-text-rules.ts';
import { createTranscriptionService } from '../../../server/transcription/transcription-service.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { decoderInProcess, fixture } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transcribe-'));
});
afterEach(() => rm(folder, { recursive: true }));

const at = (...names: readonly string[]) => join(folder, ...names);
const put = async (name: string, file: Uint8Array = fixture('speech-en.mp3')) => {
  await mkdir(join(at(name), '..'), { recursive: true });
  await writeFile(at(name), file);
};
const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** Runs the command on an engine that numbers what it hears. */
async function run(
  words: readonly string[],
  hear: (count: number, end: AbortController) => string = (count) => `text ${count}`,
  model = 'fake-1',
) {
  const end = new AbortController();
  let count = 0;
  const { engine } = createFakeEngine();
  const numbering: TranscriptionEngine = {
    ...engine,
    description: { ...engine.description, model },
    transcribe: async (_, { language }) => ({ text: hear(++count, end), language }),
  };
  const engines = createEngineSet({ fallback: numbering });
  const decoder = decoderInProcess;
  const clock = systemClock;
  const textRules = createTextRules({
    spellers: { load: async () => undefined, of: () => null },
    onFailure: (error) => expect.fail(String(error)),
  });
  const service = createTranscriptionService({
    ...{ engines, decoder, clock, textRules },
    limits: { ...DEFAULT_LIMITS, concurrency: 1 },
  });
  const order = readTranscribeOrder(words);
  if (typeof order === 'string') return { code: null, said: order, count };
  let said = '';
  const print = (text: string) => {
    said += text;
  };
  const ports = { print, signal: end.signal, clock, engines, decoder, service, textRules };
  const code = await runTranscribeCommand(order, ports);
  return { code, said, count };
}

/** Two minutes and a half of tones with pauses: three blocks. */
function longFile(): Uint8Array {
  const samples = new Float32Array(150 * 16_000);
  for (let second = 0; second < 150; second += 3)
    samples.set(tone(300, 16_000, 2), second * 16_000);
  return waveFile(16_000, samples);
}

test('files, folders and patterns, each once; what is no sound in a folder is left alone', async () => {
  for (const name of ['one.mp3', 'talks/two.flac', 'talks/deep/three.WAV', 'talks/notes.txt'])
    await put(name);
  await put('other/four.mp3');
  const { code, count } = await run([at('one.mp3'), at('talks'), at('o*.mp3'), at('**/f???.mp3')]);
  expect([code, count]).toEqual([0, 4]);
  expect((await files()).filter((name) => name.endsWith('.txt'))).toEqual([
    ...['one.txt', 'other/four.txt', 'talks/deep/three.txt', 'talks/notes.txt', 'talks/two.txt'],
  ]);
  expect(await readFile(at('one.txt'), 'utf8')).toBe('text 1\n');
});

test('each format, in a folder of its own; two files of one name do not meet', async () => {
  await put('a.mp3');
  await put('a.wav', fixture('speech-en.wav'));
  for (const format of ['srt', 'vtt', 'json']) {
    expect((await run([folder, '--format', format, '--output', at('texts')])).code).toBe(0);
  }
  expect(await readdir(at('texts'))).toEqual([
    ...['a.mp3.json', 'a.mp3.srt', 'a.mp3.vtt', 'a.wav.json', 'a.wav.srt', 'a.wav.vtt'],
  ]);
  const json = JSON.parse(await readFile(at('texts', 'a.wav.json'), 'utf8'));
  expect(json).toMatchObject({
    ...{ file: 'a.wav', durationMs: 4_437, complete: true, language: 'en', text: 'text 2' },
    parts: [{ text: 'text 2', startMs: 0 }],
  });
  expect(await readFile(at('texts', 'a.wav.srt'), 'utf8')).toMatch(/^1\n00:00:00,000 --> /);
});

const textsIn = async (folder: string) =>
  (await files())
    .filter((name) => name.startsWith(`${folder}/`))
    .map((name) => name.slice(folder.length + 1));

test.each([
  ['a folder of them', () => [at('talks')]],
  ['each by itself', () => [at('talks', 'a', 'intro.mp3'), at('talks', 'b', 'intro.mp3')]],
  ['their folders', () => [at('talks', 'a'), at('talks', 'b')]],
  ['a pattern', () => [at('talks', '*', 'intro.mp3')]],
])('of two files of one name in two folders both are in a third: %s', async (_, named) => {
  for (const name of ['talks/a/intro.mp3', 'talks/b/intro.mp3']) await put(name);
  expect((await run([...named(), '--output', at('texts')])).code).toBe(0);
  expect(await textsIn('texts')).toEqual(['a/intro.txt', 'b/intro.txt']);
  expect(await readFile(at('texts', 'b', 'intro.txt'), 'utf8')).toBe('text 2\n');
});

test('no two files share a text, whatever their names', async () => {
  for (const name of ['a.mp3', 'a.mp3.mp3', 'A.wav', 'b.mp3']) await put(`talks/${name}`);
  const { code, count } = await run([at('talks'), '--output', at('texts')]);
  expect([code, count]).toEqual([0, 4]);
  expect(await textsIn('texts')).toEqual(['A.wav.txt', 'a.mp3.mp3.txt', 'a.mp3.txt', 'b.txt']);
});

test('what is there already is left alone, unless it is to be anew', async () => {
  await put('a.mp3');
  await writeFile(at('a.txt'), 'mine');
  const first = await run([folder]);
  expect([first.code, first.count]).toEqual([0, 0]);
  expect(first.said).toContain('is there already');
  expect(await readFile(at('a.txt'), 'utf8')).toBe('mine');
  expect((await run([folder, '--force'])).count).toBe(1);
  expect(await readFile(at('a.txt'), 'utf8')).toBe('text 1\n');
});

describe('a long file', () => {
  test('that was ended in the middle goes on there, and has its times', async () => {
    await put('long.wav', longFile());
    const ended = await run([folder, '--format', 'srt'], (count, end) => {
      if (count === 2) end.abort(new Error('ended'));
      return `part ${count}`;
    });
    expect(ended.code).toBe(130);
    expect(await files()).toEqual(['long.srt.begun', 'long.wav']);
    const again = await run([folder, '--format', 'srt'], (count) => `later ${count}`);
    expect(again.code).toBe(0);
    expect(again.said).toMatch(/goes on at \d\d %/);
    const text = await readFile(at('long.srt'), 'utf8');
    expect(text).toContain('part 1');
    expect(text).toContain('later 1');
    expect(text).toMatch(/ --> 00:02:30,000\n/);
    expect(await files()).toEqual(['long.srt', 'long.wav']);
  });

  test('that has changed since begins anew', async () => {
    await put('long.wav', longFile());
    await run([folder], (_, end) => {
      end.abort(new Error('ended'));
      return 'old';
    });
    await put('long.wav', longFile().slice(0, -2_000));
    const { said } = await run([folder], () => 'new');
    expect(said).not.toContain('goes on');
    expect(await readFile(at('long.txt'), 'utf8')).not.toContain('old');
  });
});

describe('a long file', () => {
  const ENDED_AT_TWO = (count: number, end: AbortController) => {
    if (count === 2) end.abort(new Error('ended'));
    return `old ${count}`;
  };

  test('is not gone on with by another engine', async () => {
    await put('long.wav', longFile());
    await run([folder], ENDED_AT_TWO);
    const { said } = await run([folder], () => 'new', 'fake-2');
    expect(said).not.toContain('goes on');
    expect(await readFile(at('long.txt'), 'utf8')).not.toContain('old');
  });

  test('is begun anew where that was asked for', async () => {
    await put('long.wav', longFile());
    await run([folder], ENDED_AT_TWO);
    const { said } = await run([folder, '--force'], () => 'new');
    expect(said).not.toContain('goes on');
    expect(await readFile(at('long.txt'), 'utf8')).not.toContain('old');
    expect(await files()).toEqual(['long.txt', 'long.wav']);
  });

  test('has its rules applied to all of it: no number is cut in two by its blocks', async () => {
    await put('long.wav', longFile());
    const blocks = ['Mitt personnummer är åttiofem noll sju noll', 'nio nittioåtta noll fem', 'så'];
    const words = [folder, '--format', 'json', '--remove-pii'];
    const ended = await run(words, (count, end) => {
      if (count === 2) end.abort(new Error('ended'));
      return blocks[count - 1] ?? '';
    });
    expect(ended.code).toBe(130);
    // Those words are nobody else's.
    expect((await stat(at('long.json.begun'))).mode & 0o777).toBe(0o600);
    const begun = JSON.parse(await readFile(at('long.json.begun'), 'utf8')) as {
      blocks: unknown[];
    };
    const later = blocks.slice(begun.blocks.length);
    expect((await run(words, (count) => later[count - 1] ?? '')).code).toBe(0);
    const written = await readFile(at('long.json'), 'utf8');
    const json = JSON.parse(written) as { text: string; parts: { text: string }[] };
    expect(json.text).toBe('Mitt personnummer är [personnummer] så');
    expect(json.parts.map(({ text }) => text).join(' ')).toBe(json.text);
    expect(written).not.toMatch(/noll|fem/);
  });
});

test('a file of somebody else under the name of one that is being written is left alone', async () => {
  await put('a.mp3');
  await mkdir(at('a.txt.new'));
  expect((await run([folder])).code).toBe(0);
  expect(await readdir(folder)).toEqual(['a.mp3', 'a.txt', 'a.txt.new']);
});

/** Whoever may do everything is asked to be nobody for a while. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  return work().finally(() => process.seteuid?.(0));
}

test('a folder that may not be read is told, and the others are done: 1', async () => {
  for (const name of ['talks/a.mp3', 'talks/locked/b.mp3', 'talks/open/c.mp3']) await put(name);
  await chmod(folder, 0o777);
  await mkdir(at('texts'));
  await chmod(at('texts'), 0o777);
  await chmod(at('talks', 'locked'), 0);
  for (const [format, named] of [
    ['txt', at('talks')],
    ['vtt', at('talks', '**', '*.mp3')],
  ] as const) {
    const words = [named, '--output', at('texts'), '--format', format];
    const { code, said } = await asNobody(() => run(words));
    expect(said).toMatch(/locked: .*may not be read/);
    expect(code).toBe(1);
  }
  await chmod(at('talks', 'locked'), 0o700);
  expect(await textsIn('texts')).toEqual(['a.txt', 'a.vtt', 'open/c.txt', 'open/c.vtt']);
  expect((await run([at('talks', '*.mp3')])).code).toBe(0);
});

test('Ctrl+C ends the wait for an engine that is to be asked later', async () => {
  await put('a.mp3');
  const { code, count } = await run([folder], (_, end) => {
    setTimeout(() => end.abort(new Error('ended')), 50);
    throw new ApiError(503, 'engine_busy', 'busy', { retryAfterS: 600 });
  });
  expect([code, count]).toEqual([130, 1]);
});

test('one file that cannot be read is told, and the others are done: 1', async () => {
  await put('a.mp3');
  await put('b.mp3', Buffer.from('no sound at all '.repeat(99)));
  await put('c.mp3', fixture('speech-en.mp3').slice(0, 9_000));
  const { code, said } = await run([folder, at('nowhere.mp3')]);
  expect(code).toBe(1);
  expect(said).toContain('nowhere.mp3: there is no such file');
  expect(said).toMatch(/b\.mp3: This is no audio file/);
  expect(said).toMatch(/c\.mp3: .*Not all of it/);
  expect(await files()).toEqual(['a.mp3', 'a.txt', 'b.mp3', 'c.mp3', 'c.txt']);
});

test.each([
  [[], 'Which files?'],
  [['a', '--format', 'doc'], '--format is one of'],
  [['a', '--frobnicate'], 'frobnicate'],
  [['a', '--language', 'en,sv'], 'language must be a language code'],
])('%j makes no sense, and says why', (words, says) => {
  expect(readTranscribeOrder(words)).toContain(says);
});

test('a language that is not here: 2, and nothing is written', async () => {
  await put('a.mp3');
  const { code, said } = await run([folder, '--language', 'Swedish']);
  expect([code, await files()]).toEqual([2, ['a.mp3']]);
  expect(said).toContain('does not write sv');
});
