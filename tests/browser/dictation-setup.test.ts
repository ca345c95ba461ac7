import { expect, onTestFinished, test, vi } from 'vitest';
import { createDictation, pageDictation } from '../../src/create-dictation.ts';

test('the engine of the setup is the one that a recording has', async () => {
  const dictation = createDictation({ engine: 'kernel' });
  onTestFinished(() => dictation.dispose());
  const engines = new Set<string>();
  dictation.subscribe(() => {
    const { engine } = dictation.getSnapshot();
    if (engine.kind === 'ready') engines.add(engine.engine);
  });
  expect(await dictation.start()).toEqual({ ok: true });
  await expect
    .poll(() => dictation.getSnapshot().session.processedFrames, { timeout: 20_000 })
    .toBeGreaterThan(0);
  await dictation.stop();
  expect([...engines]).toEqual(['kernel']);
});

test('recordings are not kept unless somebody chooses so', async () => {
  const dictation = createDictation();
  onTestFinished(() => dictation.dispose());
  dictation.prepare();
  const told = () => dictation.getSnapshot().recordings;
  await expect.poll(() => told().isLoaded, { timeout: 20_000 }).toBe(true);
  expect(told().keeping.keepRecordings).toBe(0);
});

test('a page whose dictation was disposed of gets another one', async () => {
  const first = pageDictation();
  expect(pageDictation()).toBe(first);
  first.dispose();
  const second = pageDictation({ engine: 'auto' });
  onTestFinished(() => second.dispose());
  expect(second).not.toBe(first);
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  expect(await first.start()).toEqual({ ok: false, reason: 'disposed' });
  expect(await second.start()).toEqual({ ok: true });
  await second.stop();
});

test('one that is disposed of while it records shows no recording any more', async () => {
  const dictation = createDictation();
  const phase = () => dictation.getSnapshot().session.phase;
  expect(await dictation.start()).toEqual({ ok: true });
  await expect.poll(phase).toBe('recording');
  dictation.dispose();
  expect(phase()).toBe('idle');
});

test('the same setup in another order is the same', () => {
  const first = pageDictation({ account: 'a', engine: 'auto' });
  onTestFinished(() => first.dispose());
  expect(pageDictation({ engine: 'auto', account: 'a' })).toBe(first);
});

/** The setups that workers were started with. */
function watchWorkers(): { readonly transcriptionUrl: string; readonly account?: string }[] {
  const setups: { readonly transcriptionUrl: string; readonly account?: string }[] = [];
  const { Worker } = globalThis;
  vi.stubGlobal(
    'Worker',
    class extends Worker {
      constructor(address: string | URL, options?: WorkerOptions) {
        super(address, options);
        if (options?.name?.startsWith('{')) setups.push(JSON.parse(options.name));
      }
    },
  );
  return setups;
}

test('another setup is the one that counts, with a worker or before there is one', async () => {
  const setups = watchWorkers();
  const dictation = pageDictation({ transcriptionUrl: '/one/asr/vad' });
  onTestFinished(() => dictation.dispose());
  expect(pageDictation({ transcriptionUrl: '/two/asr/vad' })).toBe(dictation);
  dictation.prepare();
  const isTold = () => dictation.getSnapshot().recordings.isLoaded;
  await expect.poll(isTold, { timeout: 20_000 }).toBe(true);
  expect(pageDictation({ account: 'eva' })).toBe(dictation);
  await expect.poll(() => setups).toHaveLength(2);
  expect(setups[0]?.transcriptionUrl).toContain('/two/asr/vad');
  expect(setups[1]).toMatchObject({ account: 'eva' });
  expect(setups[1]?.transcriptionUrl).toContain('/two/asr/vad');
  // The other worker works.
  expect(await dictation.start()).toEqual({ ok: true });
  const isHeard = () => dictation.getSnapshot().session.processedFrames > 0;
  await expect.poll(isHeard, { timeout: 20_000 }).toBe(true);
  await dictation.stop();
});

test('what another setup leaves undefined stays', async () => {
  const setups = watchWorkers();
  const dictation = pageDictation({ transcriptionUrl: '/one/asr/vad' });
  onTestFinished(() => dictation.dispose());
  const unknown = { transcriptionUrl: undefined, account: 'eva' } as object;
  expect(pageDictation(unknown)).toBe(dictation);
  dictation.prepare();
  await expect.poll(() => setups).toHaveLength(1);
  expect(setups[0]).toMatchObject({ account: 'eva' });
  expect(setups[0]?.transcriptionUrl).toContain('/one/asr/vad');
});

test('while somebody speaks the setup stays, one error says so, and the recording goes on', async () => {
  const setups = watchWorkers();
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const dictation = createDictation();
  onTestFinished(() => dictation.dispose());
  expect(await dictation.start()).toEqual({ ok: true });
  expect(dictation.setOptions({ account: 'eva' })).toBe(false);
  expect(said).toHaveBeenCalledOnce();
  const isHeard = () => dictation.getSnapshot().session.processedFrames > 0;
  await expect.poll(isHeard, { timeout: 20_000 }).toBe(true);
  await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
  await dictation.stop();
  expect(setups).toHaveLength(1);
  expect(dictation.setOptions({ account: 'eva' })).toBe(true);
  await expect.poll(() => setups).toHaveLength(2);
});

test.each([
  [{ transcriptionURL: '/asr' }, 'No option: transcriptionURL'],
  [{ transcriptionUrl: 'https://:bad' }, 'transcriptionUrl cannot be "https://:bad"'],
  [{ assetBaseUrl: 'https://:bad' }, 'assetBaseUrl cannot be'],
  [{ engine: 'gpu' }, 'engine cannot be "gpu"'],
  [{ headers: 5 }, 'headers cannot be 5'],
  [{ credentials: 'all' }, 'credentials cannot be "all"'],
  [{ vocabulary: 'Xyzal' }, 'vocabulary cannot be'],
  [{ keepRecordings: -1 }, 'keepRecordings is -1'],
])('%o is an error at once, and the page goes on without it', async (setup, message) => {
  expect(() => createDictation(setup as object)).toThrow(message);
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const dictation = pageDictation(setup as object);
  onTestFinished(() => dictation.dispose());
  expect(String(said.mock.lastCall?.[1])).toContain(message);
});

test('what is left undefined is left out', () => {
  const nothing = { engine: undefined, headers: undefined, credentials: undefined } as object;
  createDictation(nothing).dispose();
});

test('beside an option that is none the rest of the page’s counts: no sound goes to another server', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const setups = watchWorkers();
  const misspelt = { transcriptionUrl: '/one/asr/vad', language: 'en' };
  const dictation = pageDictation(misspelt);
  onTestFinished(() => dictation.dispose());
  expect(pageDictation(misspelt)).toBe(dictation);
  expect(said).toHaveBeenCalledOnce();
  dictation.prepare();
  await expect.poll(() => setups).toHaveLength(1);
  expect(setups[0]?.transcriptionUrl).toContain('/one/asr/vad');
});
