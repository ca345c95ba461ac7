import { expect, onTestFinished, test, vi } from 'vitest';
import { createDictation } from '../../src/create-dictation.ts';
import { blobUrl } from '../helpers/capture-edges.ts';

/** Removes the interfaces that a browser hides from pages and workers without https. */
const HIDE = `
  for (const name of ['locks', 'storage', 'mediaDevices', 'clipboard', 'wakeLock']) {
    Object.defineProperty(navigator, name, { value: undefined, configurable: true });
  }
  for (const name of ['randomUUID', 'subtle']) {
    Object.defineProperty(crypto, name, { value: undefined, configurable: true });
  }
  for (const name of ['AudioWorkletNode', 'AudioEncoder', 'AudioDecoder']) {
    if (name in globalThis) globalThis[name] = undefined;
  }
`;

/** The page, and each worker that it starts, are as on an address without https. */
function makeInsecure(): void {
  const before = [navigator, crypto].flatMap((owner) =>
    ['locks', 'storage', 'mediaDevices', 'clipboard', 'wakeLock', 'randomUUID', 'subtle'].map(
      (name) => ({ owner, name, own: Object.getOwnPropertyDescriptor(owner, name) }),
    ),
  );
  const { AudioWorkletNode, AudioEncoder, AudioDecoder, Worker: RealWorker } = globalThis;
  new Function(HIDE)();
  const hiding = blobUrl(HIDE, 'text/javascript');
  vi.stubGlobal(
    'Worker',
    class extends RealWorker {
      constructor(url: URL, options: WorkerOptions) {
        const script = `import '${hiding}'; import '${new URL(url, location.href).href}';`;
        super(blobUrl(script, 'text/javascript'), options);
      }
    },
  );
  onTestFinished(() => {
    vi.unstubAllGlobals();
    Object.assign(globalThis, { AudioWorkletNode, AudioEncoder, AudioDecoder });
    for (const { owner, name, own } of before) {
      if (own) Object.defineProperty(owner, name, own);
      else Reflect.deleteProperty(owner, name);
    }
  });
}

test('on a page not served over https a start is false, with a line in the log and a notice', async () => {
  makeInsecure();
  expect(navigator.locks).toBeUndefined();
  expect(crypto.randomUUID).toBeUndefined();
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const dictation = createDictation();
  onTestFinished(() => dictation.dispose());

  expect(await dictation.start()).toEqual({ ok: false, reason: 'insecure-page' });
  await expect
    .poll(() => dictation.getSnapshot().notices.map(({ kind }) => kind))
    .toEqual(['insecure-page']);
  expect(dictation.getSnapshot().session.phase).toBe('idle');
  expect(logged.mock.calls.map(([line]) => line)).toContain(
    'Microphones need a page served over https',
  );

  // The rest of the worker is whole there: engine, journal and queue.
  await expect.poll(() => dictation.getSnapshot().engine.kind, { timeout: 10_000 }).toBe('ready');
  await expect.poll(() => dictation.getSnapshot().queue.isLoaded, { timeout: 10_000 }).toBe(true);
  await dictation.wipe();
  expect(await dictation.takeText('nobody', async () => true)).toBe(false);
});
