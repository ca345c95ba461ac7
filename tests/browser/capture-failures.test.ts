import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMicrophoneCapture } from '../../src/capture/capture.ts';
import type { CapturePorts, MicrophoneEdge } from '../../src/capture/capture-ports.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { createDictation } from '../../src/create-dictation.ts';
import { blobUrl, isAllClosed, watchedPorts } from '../helpers/capture-edges.ts';
import { hurried } from '../helpers/open-capture.ts';

/** Opens with faults in place, which must fail: gives the error and what is left. */
async function failToOpen(fakes: Partial<CapturePorts>) {
  const watched = watchedPorts(fakes);
  const { port2: framePort } = new MessageChannel();
  const opening = createMicrophoneCapture(watched.ports).open({
    framePort,
    deviceId: null,
    onLost: () => {},
  });
  const error = await opening.then(
    () => new Error('It opened'),
    (thrown: unknown) => thrown,
  );
  return { watched, error };
}

async function expectFailure(fakes: Partial<CapturePorts>, code: string): Promise<void> {
  const { watched, error } = await failToOpen(fakes);
  expect(error).toBeInstanceOf(DikteraError);
  expect(error).toMatchObject({ code });
  await expect.poll(() => isAllClosed(watched)).toBe(true);
}

/** A browser whose `getUserMedia` fails. */
function refusing(name: string): MicrophoneEdge {
  return {
    enumerateDevices: () => navigator.mediaDevices.enumerateDevices(),
    getUserMedia: () => Promise.reject(new DOMException('as a test wants it', name)),
  };
}

describe('the microphone', () => {
  test.each([
    ['NotAllowedError', 'microphone-denied', 'Microphone permission denied'],
    ['SecurityError', 'microphone-denied', 'Microphone permission denied'],
    ['NotFoundError', 'microphone-missing', 'No supported microphone found'],
    ['NotReadableError', 'microphone-busy', expect.stringContaining('another program')],
    ['AbortError', 'microphone-failed', expect.stringContaining('AbortError')],
  ])('%s is %s, logged, with its cause', async (name, code, line) => {
    const { watched, error } = await failToOpen({ mediaDevices: refusing(name) });
    expect(error).toMatchObject({ code, cause: { name } });
    expect(watched.logged).toEqual([line]);
    await expect.poll(() => isAllClosed(watched)).toBe(true);
  });

  test('no audio input at all is missing, in the fixed words', async () => {
    const watched = watchedPorts({
      mediaDevices: {
        getUserMedia: (constraints) => navigator.mediaDevices.getUserMedia(constraints),
        enumerateDevices: async () => [],
      },
      queryPermission: async () => 'granted',
    });
    const capture = createMicrophoneCapture(watched.ports);
    await capture.preload();
    const { port2: framePort } = new MessageChannel();
    const opening = capture.open({ framePort, deviceId: null, onLost: () => {} });
    const error = await opening.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'microphone-missing' });
    expect(watched.logged).toEqual(['No supported microphone found']);
    await expect.poll(() => isAllClosed(watched)).toBe(true);
  });

  test('one that may be used and never comes is busy, in the end', async () => {
    const never: MicrophoneEdge = {
      enumerateDevices: () => navigator.mediaDevices.enumerateDevices(),
      getUserMedia: () => new Promise(() => {}),
    };
    const asked = { mediaDevices: never, asksForEach: false, clock: hurried(8_000) };
    await expectFailure(asked, 'microphone-busy');
  });

  test('a browser that never says whether it may be used opens it all the same', async () => {
    const { ports } = watchedPorts({
      queryPermission: () => new Promise(() => {}),
      clock: hurried(1_000),
    });
    const { port2: framePort } = new MessageChannel();
    const opening = createMicrophoneCapture(ports).open({
      framePort,
      deviceId: null,
      onLost: () => {},
    });
    await (await opening).end();
  });

  test('a page without https may not ask', async () => {
    await expectFailure({ mediaDevices: undefined }, 'insecure-page');
  });
});

describe('our own files', () => {
  const html = () => blobUrl('<!doctype html><title>Not found</title>', 'text/html');

  test.each([
    ['an HTML page for the WASM', { resamplerUrl: html() }, 'asset-wrong'],
    [
      'HTML that calls itself WASM',
      { resamplerUrl: blobUrl('<p>', 'application/wasm') },
      'asset-wrong',
    ],
    ['no answer for the WASM', { resamplerUrl: 'blob:nowhere' }, 'asset-unreachable'],
    [
      'an error status for the WASM (an address no server can read)',
      { resamplerUrl: '/%c0' },
      'asset-unreachable',
    ],
    ['an HTML page for the worklet', { workletUrl: html() }, 'asset-wrong'],
    ['no answer for the worklet', { workletUrl: 'blob:nowhere' }, 'asset-unreachable'],
    [
      'a worklet that fails as it loads',
      { workletUrl: blobUrl('throw new Error("broken")', 'text/javascript') },
      'audio-graph-failed',
    ],
    [
      'a worklet that is another one',
      { workletUrl: blobUrl('', 'text/javascript') },
      'audio-graph-failed',
    ],
    [
      'WASM that is something else',
      { resamplerUrl: blobUrl(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), 'application/wasm') },
      'audio-graph-failed',
    ],
  ])('%s', async (_name, fakes, code) => {
    await expectFailure(fakes, code);
  });

  test('without WebAssembly (Lockdown Mode) it says so, and so it does in the page', async () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'WebAssembly')!;
    Reflect.deleteProperty(globalThis, 'WebAssembly');
    onTestFinished(() => {
      Object.defineProperty(globalThis, 'WebAssembly', own);
    });
    await expectFailure({}, 'webassembly-missing');
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => logged.mockRestore());
    const dictation = createDictation();
    onTestFinished(() => dictation.dispose());
    expect(await dictation.start()).toEqual({ ok: false, reason: 'webassembly-missing' });
    await expect
      .poll(() => dictation.getSnapshot().notices.map(({ kind }) => kind))
      .toContain('webassembly-missing');
  });

  test('a failure is not kept: the next try fetches again', async () => {
    const { ports } = watchedPorts();
    let resamplerUrl = 'blob:nowhere';
    const capture = createMicrophoneCapture({
      ...ports,
      get resamplerUrl() {
        return resamplerUrl;
      },
    });
    const request = () => ({
      framePort: new MessageChannel().port2,
      deviceId: null,
      onLost: () => {},
    });
    await capture.preload();
    await expect(capture.open(request())).rejects.toMatchObject({ code: 'asset-unreachable' });
    resamplerUrl = ports.resamplerUrl;
    const handle = await capture.open(request());
    await handle.end();
  });

  test('WASM served with a strange type is compiled all the same', async () => {
    const { ports } = watchedPorts();
    const bytes = await (await fetch(ports.resamplerUrl)).arrayBuffer();
    const capture = createMicrophoneCapture({
      ...ports,
      resamplerUrl: blobUrl(bytes, 'application/octet-stream'),
    });
    const framePort = new MessageChannel().port2;
    const handle = await capture.open({ framePort, deviceId: null, onLost: () => {} });
    await handle.end();
  });
});

describe('the audio graph', () => {
  test('no context to be had', async () => {
    const createContext = () => {
      throw new DOMException('too many', 'NotSupportedError');
    };
    await expectFailure({ createContext }, 'audio-graph-failed');
  });

  test('a context that never runs is given up, and says in which state it was', async () => {
    const { error } = await failToOpen({
      createContext() {
        const context = new AudioContext();
        Object.defineProperty(context, 'state', { value: 'interrupted', configurable: true });
        return context;
      },
      clock: {
        nowMs: () => 0,
        after(delayMs, run) {
          // The five seconds it may take to start are shortened; nothing else is.
          const timer = setTimeout(run, delayMs === 5_000 ? 100 : delayMs);
          return () => clearTimeout(timer);
        },
      },
    });
    expect(error).toMatchObject({
      code: 'audio-graph-failed',
      message: expect.stringContaining('interrupted'),
    });
  });
});

test('a microphone that is granted after everything has failed is let go again', async () => {
  let grant = () => {};
  const granted = new Promise<void>((resolve) => {
    grant = resolve;
  });
  const watched = watchedPorts({
    workletUrl: 'blob:nowhere',
    mediaDevices: {
      enumerateDevices: () => navigator.mediaDevices.enumerateDevices(),
      async getUserMedia(constraints) {
        await granted;
        return navigator.mediaDevices.getUserMedia(constraints);
      },
    },
  });
  const opening = createMicrophoneCapture(watched.ports).open({
    framePort: new MessageChannel().port2,
    deviceId: null,
    onLost: () => {},
  });
  await expect(opening).rejects.toMatchObject({ code: 'asset-unreachable' });
  expect(watched.streams).toHaveLength(0);
  grant();
  await expect.poll(() => watched.streams.length).toBe(1);
  await expect.poll(() => isAllClosed(watched)).toBe(true);
});
