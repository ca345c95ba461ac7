import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  readTranscribeOrder,
  runTranscribeCommand,
} from '../../../server/commands/transcribe-command.ts';
import { DEFAULT_LIMITS } from '../../../server/core/limits.ts';
import { systemClock } from '../../../server/core/system.ts';
import type { TranscriptionEngine } from '../../../server/engine/engine-port.ts';
import { createEngineSet } from '../../../server/engine/engine-set.ts';
import { inactiveTextRules } from '../../../server/text/text-rules.ts';
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
) {
  const end = new AbortController();
  let count = 0;
  const { engine } = createFakeEngine();
  const numbering: TranscriptionEngine = {
    ...engine,
    transcribe: async (_, { language }) => ({ text: hear(++count, end), language }),
  };
  const engines = createEngineSet({ fallback: numbering });
  const decoder = decoderInProcess;
  const clock = systemClock;
  const service = createTranscriptionService({
    ...{ engines, decoder, clock, textRules: inactiveTextRules },
    limits: { ...DEFAULT_LIMITS, concurrency: 1 },
  });
  const order = readTranscribeOrder(words);
  if (typeof order === 'string') return { code: null, said: order, count };
  let said = '';
  const print = (text: string) => {
    said += text;
  };
  const ports = { print, signal: end.signal, clock, engines, decoder, service };
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
])('%j makes no sense, and says why', (words, says) => {
  expect(readTranscribeOrder(words)).toContain(says);
});

test('a language that is not here: 2, and nothing is written', async () => {
  await put('a.mp3');
  const { code, said } = await run([folder, '--language', 'Swedish']);
  expect([code, await files()]).toEqual([2, ['a.mp3']]);
  expect(said).toContain("does not write 'Swedish'");
});
