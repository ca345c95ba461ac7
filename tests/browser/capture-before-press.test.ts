import { expect, onTestFinished, test, vi } from 'vitest';
import { createDictation } from '../../src/create-dictation.ts';

test('nothing listens before the press: no microphone is asked for, and no audio context runs', async () => {
  const listen = vi.spyOn(navigator.mediaDevices, 'getUserMedia');
  let contexts = 0;
  const RealContext = AudioContext;
  vi.stubGlobal(
    'AudioContext',
    class extends RealContext {
      constructor(...given: ConstructorParameters<typeof AudioContext>) {
        super(...given);
        contexts += 1;
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const dictation = createDictation();
  onTestFinished(() => dictation.dispose());
  dictation.prepare();
  await expect.poll(() => dictation.getSnapshot().engine.kind, { timeout: 20_000 }).toBe('ready');
  expect(listen).not.toHaveBeenCalled();
  expect(contexts).toBe(0);
  // The same eyes see the press.
  expect(await dictation.start()).toEqual({ ok: true });
  expect(listen).toHaveBeenCalled();
  expect(contexts).toBeGreaterThan(0);
  await dictation.stop();
});
