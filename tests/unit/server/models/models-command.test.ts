import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readArguments } from '../../../../server/commands/arguments.ts';
import { runModelsCommand } from '../../../../server/commands/models-command.ts';
import { readConfig } from '../../../../server/config/config.ts';
import { CATALOGUE, modelFor } from '../../../../server/models/catalogue.ts';
import { folderOf, type PackagedModel } from '../../../../server/models/layout/model-folder.ts';
import { wordErrors } from '../../../../server/models/try-model.ts';
import { startFileServer } from '../../../helpers/file-server.ts';
import { layDown, madeModel } from '../../../helpers/made-model.ts';
import { tone, waveFile } from '../../../helpers/wave-file.ts';

async function temporaryFolder() {
  const root = await mkdtemp(join(tmpdir(), 'diktera-models-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

const PACKAGED: PackagedModel = {
  kind: 'packaged',
  id: 'packaged-en',
  name: 'Packaged',
  package: 'none',
  licence: 'none',
  attribution: 'nobody',
  languages: ['en'],
  memoryBytes: 1,
};

async function scene(others: readonly PackagedModel[] = []) {
  const made = madeModel();
  const { files } = made;
  const model = { ...made.model, languages: [...made.model.languages, 'en'] };
  const server = await startFileServer(files);
  const root = await temporaryFolder();
  const env = { DIKTERA_MODELS: root, DIKTERA_MODELS_URL: server.address };
  const run = async (...words: string[]) => {
    let printed = '';
    const code = await runModelsCommand(words, {
      env,
      print: (text) => {
        printed += text;
      },
      signal: new AbortController().signal,
      catalogue: [...others, model],
    });
    return { code, printed };
  };
  return { run, root, files, model, server };
}

test('list, fetch, verify, remove', async () => {
  const { run, root, model, server } = await scene();
  expect((await run('list')).printed).toContain('made-sv: not here, 0 MB to fetch');
  expect(await run('verify')).toEqual({ code: 1, printed: 'made-sv is not here.\n' });
  const fetched = await run('fetch', 'sv');
  expect(fetched.code).toBe(0);
  expect(fetched.printed).toMatch(/^Made model: 0 MB are wanted from http/);
  expect(fetched.printed).toMatch(
    /Made model: 100 % of 0 MB\nMaking it ready...\nmade-sv is ready/,
  );
  expect((await run('list')).printed).toContain('made-sv: ready');
  expect((await run('verify', 'made-sv')).printed).toBe(
    'made-sv: every byte is as it should be.\n',
  );
  await writeFile(join(folderOf(root, model).ready, 'tokens.txt'), Buffer.alloc(3));
  expect((await run('verify')).code).toBe(1);
  await layDown(new Map([['x', Buffer.from('old')]]), join(root, model.id, 'an-older-version'));
  expect(await run('remove', 'made-sv')).toEqual({ code: 0, printed: 'made-sv is removed.\n' });
  expect(await readdir(root)).toEqual([]);
  expect((await run('remove', 'made-sv')).code).toBe(1);
  expect(server.asked).toHaveLength(3);
});

test('import takes files fetched elsewhere, and says what is wrong with them', async () => {
  const { run, files, server } = await scene();
  const folder = await temporaryFolder();
  const missing = await run('import', 'made-sv', folder);
  expect([missing.code, missing.printed]).toEqual([
    1,
    expect.stringContaining('vocab.txt is not in that folder'),
  ]);
  await layDown(files, folder);
  expect((await run('import', 'made-sv', folder)).code).toBe(0);
  expect(server.asked).toEqual([]);
});

test('try fetches, converts, writes down clips and own recordings, and gives its verdict', async () => {
  const { run } = await scene();
  const { code, printed } = await run('try', 'made-sv');
  // Random weights write words, and all of them wrong.
  expect(code).toBe(1);
  expect(printed).toMatch(/sv-one: \d+ of 10 words wrong\n {2}said: {4}Patienten har haft feber/);
  expect(printed).toMatch(/word errors: \d+ of 29; real-time factor \d\.\d{3} with one core/);
  expect(printed).toMatch(/sums: plain; loaded in \d+\.\d s/);
  expect(printed).toContain('VERDICT: look at the words above');
  const own = join(await temporaryFolder(), 'own.wav');
  await writeFile(own, waveFile(16_000, tone(440, 32_000, 0.5)));
  expect((await run('try', 'made-sv', own, 'Hej hej')).printed).toMatch(/own.wav: \d+ of 2 words/);
}, 60_000);

test('a mistake in its words is named, and nothing is done', async () => {
  const { run, root, server, model } = await scene([PACKAGED]);
  await layDown(new Map([['x', Buffer.from('kept')]]), join(root, model.id, 'a-version'));
  const mistakes: [string, ...string[]][] = [
    ['diktera-server models import'],
    ["There is no command 'lst'", 'lst'],
    ['Which model', 'fetch'],
    ["no model 'nothing'", 'fetch', 'nothing'],
    ["'extra' is one word too many", 'fetch', 'sv', 'extra'],
    ["'extra' is one word too many", 'list', 'extra'],
    ["'extra' is one word too many", 'verify', 'sv', 'extra'],
    ["'--force' is one word too many", 'remove', 'sv', '--force'],
    ['Which folder', 'import', 'sv'],
    ["'b' is one word too many", 'import', 'sv', 'a', 'b'],
    ['nowhere is not a folder', 'import', 'sv', join(root, 'nowhere')],
    ['What is said in a.wav', 'try', 'sv', 'a.wav'],
    // The made model writes English, too; but the server would not ask it.
    ['Packaged (en) comes with the server', 'remove', 'en'],
    ['Packaged (packaged-en) comes with the server', 'fetch', 'packaged-en'],
  ];
  for (const [said, ...words] of mistakes) {
    expect([words, await run(...words)]).toEqual([
      words,
      { code: 2, printed: expect.stringContaining(said) },
    ]);
  }
  expect(server.asked).toEqual([]);
  expect(await readdir(root)).toEqual([model.id]);
});

describe('arguments', () => {
  test('--language is short for the variables, which count more', () => {
    const env = (words: string[], given = {}) => {
      const order = readArguments(words, given);
      return order.kind === 'serve' ? order.env : order;
    };
    const swedish = { ASR_LANGUAGES: 'en,sv', ASR_DEFAULT_LANGUAGE: 'sv' };
    expect(env([])).toEqual({});
    expect(env(['--language', 'sv'])).toEqual(swedish);
    expect(env(['--language=sv'])).toEqual(swedish);
    expect(env(['--language', 'sv'], { ASR_DEFAULT_LANGUAGE: 'en' })).toMatchObject({
      ASR_DEFAULT_LANGUAGE: 'en',
    });
    expect(readArguments(['--language'], {}).kind).toBe('wrong');
    expect(readArguments(['--langage', 'sv'], {}).kind).toBe('wrong');
    expect(readArguments(['models', 'list'], {})).toEqual({ kind: 'models', words: ['list'] });
    const { engines } = readConfig(swedish, 4);
    expect(engines).toMatchObject({ main: 'embedded', local: ['sv'], defaultLanguage: 'sv' });
  });

  test('languages nobody writes are said', () => {
    expect(() => readConfig({ ASR_LANGUAGES: 'en,xx' }, 4)).toThrow("no model for 'xx'");
    const routed = readConfig(
      { ASR_LANGUAGES: 'en,sv', ASR_ROUTES: 'sv=openai', OPENAI_API_KEY: 'k' },
      4,
    );
    expect(routed.engines.local).toEqual([]);
  });
});

test('the catalogue pins what it names', () => {
  expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
  for (const model of CATALOGUE) {
    expect(model.attribution).not.toBe('');
    if (model.kind === 'packaged') continue;
    expect(model.commit).toMatch(/^[\da-f]{40}$/);
    for (const { sha256, bytes } of model.files) {
      expect(sha256).toMatch(/^[\da-f]{64}$/);
      expect(bytes).toBeGreaterThan(0);
    }
    const names = model.files.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.values(model.parts)));
  }
  expect(['en', 'sv', 'de', 'xx'].map((language) => modelFor(language)?.id)).toEqual([
    'moonshine-tiny-int8',
    'pianissimo-sv-int8',
    'parakeet-tdt-v3-int8',
    undefined,
  ]);
});

test('word errors', () => {
  expect(wordErrors('Hej, på dig!', 'hej på dig')).toBe(0);
  expect(wordErrors('ett två tre', 'ett tre fyra')).toBe(2);
  expect(wordErrors('ett', '')).toBe(1);
  expect(wordErrors('', 'ett två')).toBe(2);
});
