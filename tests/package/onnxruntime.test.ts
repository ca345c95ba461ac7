import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Dictation, DictationSetup } from '../../src/index.ts';
import { type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { expectSpoken, openSpeaking } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import { documentedPolicy, expectNoViolation, serveGuarded } from './helpers/policy.ts';

const ORT = './node_modules/onnxruntime-web/dist/';
/** The package's peerDependencies. */
const INSTALLED = ['onnxruntime-web@1.30.0'];
const SAYS_WHAT_TO_INSTALL = expect.stringContaining('npm install onnxruntime-web@1.30.0');

const RECORDED_MS = 5_000;

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

declare global {
  interface Window {
    dictation: Dictation;
  }
}

/** A page without an interface and without a bundler, in an empty project, open in a browser. */
async function openPage(setup: DictationSetup, others: readonly string[], broken?: RegExp) {
  const { folder } = await installExample('plain', others);
  await writeFile(join(folder, 'index.html'), '<script type="module" src="./main.js"></script>');
  await writeFile(
    join(folder, 'main.js'),
    `import { createDictation } from './node_modules/diktera/dist/lib/index.js';
     window.dictation = createDictation(${JSON.stringify(setup)});`,
  );
  const browser = await openSpeaking();
  const fetched: string[] = [];
  browser.context.on('response', (response) => fetched.push(new URL(response.url()).pathname));
  if (broken) {
    await browser.context.route(broken, (route) => route.fulfill({ body: 'not WebAssembly' }));
  }
  const site = await serveGuarded(folder, server.url, await documentedPolicy());
  await browser.page.goto(site.url);
  return { page: browser.page, fetched, site };
}

/** Records what the microphone says, and gives what became of it. */
function dictate(page: Page) {
  return page.evaluate(async (recordedMs) => {
    const { dictation } = window;
    let text = '';
    const deliver = (result: { readonly text: string }): boolean => {
      text = result.text;
      return true;
    };
    const { ok: isStarted } = await dictation.start({ deliver });
    await new Promise<void>((done) => {
      const look = (): void => {
        if (dictation.getSnapshot().session.accumulatedRecordingMs >= recordedMs) done();
      };
      dictation.subscribe(look);
      look();
    });
    await dictation.stop();
    const { engine, notices } = dictation.getSnapshot();
    return {
      isStarted,
      text,
      engine,
      notices: notices.map(({ kind, error }) => ({ kind, error })),
    };
  }, RECORDED_MS);
}

describe('installed beside the library, and served', () => {
  test('asked for, it judges the speech', async () => {
    const { page, fetched, site } = await openPage({ engine: 'ort', ortBaseUrl: ORT }, INSTALLED);
    const { text, engine } = await dictate(page);
    expect(engine).toEqual({ kind: 'ready', engine: 'ort' });
    expectSpoken(text);
    expect(fetched.filter((path) => /silero-.*\.wasm/.test(path))).toEqual([]);
    await expectNoViolation(page, site);
  });

  test('a kernel that fails has it take over', async () => {
    const { page } = await openPage({ ortBaseUrl: ORT }, INSTALLED, /silero-.*\.wasm/);
    const { text, engine } = await dictate(page);
    expect(engine).toEqual({ kind: 'ready', engine: 'ort' });
    expectSpoken(text);
  });

  test('not asked for, nothing of it is fetched', async () => {
    const { page, fetched } = await openPage({ ortBaseUrl: ORT }, INSTALLED);
    expect((await dictate(page)).engine).toMatchObject({ engine: 'kernel' });
    expect(fetched.filter((path) => path.includes('onnxruntime'))).toEqual([]);
  });
});

describe('not installed', () => {
  test.each([
    { where: 'no folder named', place: {}, code: 'engine-missing' },
    { where: 'not in the folder named', place: { ortBaseUrl: ORT }, code: 'asset-unreachable' },
  ])('$where: the error says what to install, and speech is kept', async ({ place, code }) => {
    const { page } = await openPage({ engine: 'ort', ...place }, []);
    const { isStarted, text, engine, notices } = await dictate(page);
    expect(isStarted).toBe(true);
    const error = { code, message: SAYS_WHAT_TO_INSTALL };
    expect(engine).toMatchObject({ kind: 'failed', error });
    expect(notices).toMatchObject([{ kind: 'engine-failed', error }]);
    // Sent with its pauses, which the recogniser that comes with us hears less well.
    expect(text).toContain('new project');
  });
});
