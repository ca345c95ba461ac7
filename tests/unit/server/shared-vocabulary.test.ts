import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTokens } from '../../../server/access/callers.ts';
import { createSharedVocabulary } from '../../../server/text/shared-vocabulary.ts';
import { createWorkerRules } from '../../../workers/upload/ruled-request.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { createRecordingLog } from '../../helpers/recording-log.ts';
import { type RunningServer, startServer } from '../../helpers/running-server.ts';

const TOKEN = 'token-of-the-ward-0001';
let folder = '';
let path = '';
let server: RunningServer | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diktera-'));
  path = join(folder, 'vocabulary.json');
});
afterEach(async () => {
  await server?.close();
  server = null;
  rmSync(folder, { recursive: true });
});

function setUp() {
  const clock = createFakeClock();
  const told: (string | null)[] = [];
  const vocabulary = createSharedVocabulary(path, {
    clock,
    onRead: (problem) => void told.push(problem),
  });
  const words = async (token: string | null = null) =>
    (await vocabulary.listsFor(token)).vocabulary.map(({ write }) => write);
  const write = (text: string) => writeFileSync(path, text);
  return { clock, told, vocabulary, words, write };
}

test('is read anew when it changes; damaged or gone, what was read before stays, told once', async () => {
  const { clock, told, words, write, vocabulary } = setUp();
  write('{"vocabulary":["Waran"]}');
  expect(await words()).toEqual(['Waran']);
  const first = await vocabulary.version();
  write('{"vocabulary":["Waran","Alvedon"]}');
  await clock.advance(1_000);
  expect(await words()).toEqual(['Waran', 'Alvedon']);
  expect(await vocabulary.version()).not.toBe(first);
  for (const damaged of ['{"vocabulary":["Wa', '{"words":[]}', '{"vocabulary":[7]}']) {
    write(damaged);
    await clock.advance(1_000);
    expect(await words()).toEqual(['Waran', 'Alvedon']);
    await clock.advance(1_000);
    expect(await words()).toEqual(['Waran', 'Alvedon']);
  }
  rmSync(path);
  await clock.advance(1_000);
  expect(await words()).toEqual(['Waran', 'Alvedon']);
  expect(told.map((problem) => problem !== null)).toEqual([false, false, true, true, true, true]);
});

test.each([
  ['{\n"vocabulary": ["Anna Berg"],\n"tokens": Anna}', 'the file is no JSON'],
  ['Anna', 'the file is no JSON'],
  ['{"vocabulary":\n["Anna","Be', 'the file is no JSON: line 2'],
  ['', 'the file is no JSON'],
  ['{"tokens":{"a1":{"vocabulary":[]},"Anna Berg":{"vocabulary":[7]}}}', 'entry 2 of tokens'],
  ['{"vocabulary":["Anna",7]}', 'the file has 1 entries that are none'],
  ['{"Anna":[]}', 'the file has neither'],
])('%s: what is wrong with it is told without a word of it', async (text, says) => {
  const { told, words, write } = setUp();
  write(text);
  await words();
  expect(told).toEqual([expect.stringContaining(says)]);
  expect(told.join()).not.toMatch(/Anna|Berg/);
});

test('each token has its own besides', async () => {
  const { words, write } = setUp();
  write('{"vocabulary":["Waran"],"tokens":{"a1":{"vocabulary":["Sjöqvist"]}}}');
  expect(await words()).toEqual(['Waran']);
  expect(await words('a1')).toEqual(['Waran', 'Sjöqvist']);
  expect(await words('b2')).toEqual(['Waran']);
});

test('is had by whoever may transcribe, and by nobody else', async () => {
  const { vocabulary, write } = setUp();
  const { engine } = createFakeEngine();
  const id = createTokens([TOKEN]).idOf(TOKEN) ?? '';
  write(JSON.stringify({ vocabulary: ['Waran'], tokens: { [id]: { vocabulary: ['Sjöqvist'] } } }));
  server = await startServer({ engine, vocabulary, access: { apiTokens: [TOKEN] } });
  const at = `${server.url}/api/vocabulary`;
  expect((await fetch(at)).status).toBe(401);
  const answer = await fetch(at, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(await answer.json()).toMatchObject({
    vocabulary: [{ write: 'Waran' }, { write: 'Sjöqvist' }],
  });
  const health = await (await fetch(`${server.url}/api/health`)).json();
  expect(health.sharedVocabulary).toBe(await vocabulary.version());
});

test('without a file there is nothing, and health says nothing of it', async () => {
  server = await startServer({ engine: createFakeEngine().engine });
  const answer = await fetch(`${server.url}/api/vocabulary`);
  expect(await answer.json()).toEqual({ vocabulary: [], replacements: [] });
  expect(await (await fetch(`${server.url}/api/health`)).json()).not.toHaveProperty(
    'sharedVocabulary',
  );
});

test('the worker fetches it when the server has another, and goes on without where it cannot', async () => {
  let version: string | null = 'one';
  let lists: unknown = { vocabulary: ['Sjöqvist'] };
  const rules = createWorkerRules(
    {},
    {
      clock: createFakeClock(),
      log: createRecordingLog(),
      sharedVersion: () => version,
      async fetchShared() {
        if (lists === null) throw new Error('HTTP 503');
        return lists;
      },
    },
  );
  expect(await rules.apply('Ring Sjökvist.', 'sv')).toEqual({ text: 'Ring Sjöqvist.' });
  version = 'two';
  lists = null;
  expect(await rules.apply('Ring Sjökvist.', 'sv')).toEqual({ text: 'Ring Sjöqvist.' });
  lists = { vocabulary: [] };
  expect(await rules.apply('Ring Sjökvist.', 'sv')).toEqual({ text: 'Ring Sjökvist.' });
});
