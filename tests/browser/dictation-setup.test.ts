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
  expect(await dictation.start()).toBe(true);
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
  expect(await first.start()).toBe(false);
  expect(await second.start()).toBe(true);
  await second.stop();
});

test('the same setup in another order is the same', () => {
  const first = pageDictation({ account: 'a', engine: 'auto' });
  onTestFinished(() => first.dispose());
  expect(pageDictation({ engine: 'auto', account: 'a' })).toBe(first);
});
