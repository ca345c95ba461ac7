import { expect, onTestFinished, test, vi } from 'vitest';
import { createDictation, pageDictation } from '../../src/create-dictation.ts';

test('the model of the setup is the one that a recording has', async () => {
  const dictation = createDictation({ model: 'v4', engine: 'kernel' });
  onTestFinished(() => dictation.dispose());
  const engines = new Set<string>();
  dictation.subscribe(() => {
    const { engine } = dictation.getSnapshot();
    if (engine.kind === 'ready') engines.add(`${engine.model} ${engine.engine}`);
  });
  expect(await dictation.start()).toBe(true);
  await expect
    .poll(() => dictation.getSnapshot().session.processedFrames, { timeout: 20_000 })
    .toBeGreaterThan(0);
  await dictation.stop();
  expect([...engines]).toEqual(['v4 kernel']);
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
  const second = pageDictation({ model: 'v6' });
  onTestFinished(() => second.dispose());
  expect(second).not.toBe(first);
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  expect(await first.start()).toBe(false);
  expect(await second.start()).toBe(true);
  await second.stop();
});

test('the same setup in another order is the same', () => {
  const first = pageDictation({ model: 'v6', engine: 'auto' });
  onTestFinished(() => first.dispose());
  expect(pageDictation({ engine: 'auto', model: 'v6' })).toBe(first);
});
