import { expect, onTestFinished, test, vi } from 'vitest';
import { createDictation } from '../../src/create-dictation.ts';

test.each([
  ['no worker has been started', false],
  ['the worker is there', true],
])(
  'disposed of while the microphone opens, it lets the microphone go: %s',
  async (_case, isReady) => {
    const listen = vi.spyOn(navigator.mediaDevices, 'getUserMedia');
    const dictation = createDictation();
    if (isReady) {
      dictation.prepare();
      await expect
        .poll(() => dictation.getSnapshot().engine.kind, { timeout: 20_000 })
        .toBe('ready');
    }
    const started = dictation.start();
    await expect.poll(() => listen.mock.results.length).toBe(1);
    dictation.dispose();
    expect(await started).toEqual({ ok: false, reason: 'disposed' });
    const stream: MediaStream = await listen.mock.results[0]?.value;
    await expect.poll(() => stream.getTracks().map((track) => track.readyState)).toEqual(['ended']);
    listen.mockRestore();
  },
);

test('disposed of while it stops, the stop ends, and no worker is started any more', async () => {
  let workers = 0;
  const RealWorker = Worker;
  vi.stubGlobal(
    'Worker',
    class extends RealWorker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        super(...given);
        workers += 1;
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const dictation = createDictation();
  expect(await dictation.start()).toEqual({ ok: true });
  const stopped = dictation.stop();
  dictation.dispose();
  expect(await stopped).toMatchObject({ text: '', failedChunks: 0 });
  await expect(dictation.wipe()).rejects.toMatchObject({ code: 'disposed' });
  expect(await dictation.start()).toEqual({ ok: false, reason: 'disposed' });
  expect(workers).toBe(1);
});
