import { expect, test, vi } from 'vitest';
import { createDictation } from '../../src/dictation.ts';

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
        .poll(() => dictation.getSnapshot().engine.kind, { timeout: 10_000 })
        .toBe('ready');
    }
    const started = dictation.start();
    await expect.poll(() => listen.mock.results.length).toBe(1);
    dictation.dispose();
    expect(await started).toBe(false);
    const stream: MediaStream = await listen.mock.results[0]?.value;
    await expect.poll(() => stream.getTracks().map((track) => track.readyState)).toEqual(['ended']);
    listen.mockRestore();
  },
);
