import { beforeAll, describe, expect, test } from 'vitest';
import { createMicrophoneCapture } from '../../src/capture/capture.ts';
import type { MicrophoneEdge } from '../../src/capture/capture-ports.ts';
import { openBestMicrophone } from '../../src/capture/open-microphone.ts';
import { isAllClosed, stopAll, watchedPorts } from '../helpers/capture-edges.ts';
import { isFirefox, isWebKit } from '../helpers/engine.ts';
import { hurried, openCapture } from '../helpers/open-capture.ts';

const real = navigator.mediaDevices;
const JABRA = 'Jabra Speak 510';

/**
 * A browser that asks for each microphone by itself, as Firefox does, with its real microphones
 * behind it: who has been allowed one is given it without a prompt, and a permission for one time
 * is called `granted` for ever after.
 */
function askingForEach() {
  const allowed = new Set<string>();
  /** The device asked for in each prompt: an id, or null for any. */
  const prompts: (string | null)[] = [];
  let answer = (_label: string | null): void => {};

  const nameOf = (label: string): string => (label === 'Fake Audio Input 2' ? JABRA : label);

  async function list(): Promise<MediaDeviceInfo[]> {
    const devices = await real.enumerateDevices();
    return devices.map(({ deviceId, groupId, kind, label }) => ({
      deviceId,
      groupId,
      kind,
      label: nameOf(label),
      toJSON: () => ({}),
    }));
  }

  const mediaDevices: MicrophoneEdge = {
    enumerateDevices: list,
    async getUserMedia(constraints) {
      const audio = constraints?.audio as MediaTrackConstraints;
      const exact = audio.deviceId as { readonly exact: string } | undefined;
      const [anyAllowed] = allowed;
      let id = exact ? exact.exact : (anyAllowed ?? null);
      if (id === null || !allowed.has(id)) {
        prompts.push(id);
        const label = await new Promise<string | null>((resolve) => {
          answer = resolve;
        });
        if (label === null) throw new DOMException('as a test wants it', 'NotAllowedError');
        id = (await list()).find((device) => device.label === label)!.deviceId;
        allowed.add(id);
      }
      const stream = await real.getUserMedia({ audio: { ...audio, deviceId: { exact: id } } });
      for (const track of stream.getTracks()) {
        Object.defineProperty(track, 'label', { value: nameOf(track.label) });
      }
      return stream;
    },
  };
  let remembered: string | null = null;
  const watched = watchedPorts({
    mediaDevices,
    asksForEach: true,
    remembered: {
      read: () => remembered,
      write(deviceId) {
        remembered = deviceId;
      },
    },
    queryPermission: async () => 'granted',
    clock: hurried(8_000),
  });
  return {
    watched,
    prompts,
    allow: (label: string) => answer(label),
    refuse: () => answer(null),
    untilAsked: (times: number) => expect.poll(() => prompts.length).toBe(times),
    async idOf(label: string) {
      return (await list()).find((device) => device.label === label)!.deviceId;
    },
  };
}

const request = () => ({
  framePort: new MessageChannel().port2,
  deviceId: null,
  onLost: () => {},
});

// Firefox names none before one has been on.
beforeAll(async () => {
  const stream = await real.getUserMedia({ audio: true });
  for (const track of stream.getTracks()) track.stop();
});

test('Firefox alone asks for each microphone by itself', () => {
  expect(watchedPorts().ports.asksForEach).toBe(isFirefox);
});

describe.skipIf(isWebKit)('each asked for by itself (WebKitGTK lists no other one)', () => {
  test('nothing gives up under an open prompt, though the permission is said to be given', async () => {
    const { watched, allow, untilAsked } = askingForEach();
    const opening = openBestMicrophone(watched.ports, null);
    let isOver = false;
    void opening
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    await untilAsked(1);
    // The 8 s that a microphone may take take 10 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([isOver, watched.logged]).toEqual([false, []]);
    allow('Fake Audio Input 1');
    expect((await opening).device.label).toBe('Fake Audio Input 1');
    stopAll(watched);
  });

  test('the one that was picked in the prompt stays, though it is not the first', async () => {
    const { watched, prompts, allow, untilAsked } = askingForEach();
    const opening = openBestMicrophone(watched.ports, null);
    await untilAsked(1);
    allow('Fake Audio Input 1');
    expect((await opening).device.label).toBe('Fake Audio Input 1');
    expect(prompts).toEqual([null]);
    expect(watched.asked).toHaveLength(1);
    stopAll(watched);
  });

  test('a preferred one is not asked for while one speaks, but first at the next press, once', async () => {
    const { watched, prompts, allow, untilAsked, idOf } = askingForEach();
    const jabra = await idOf(JABRA);
    const capture = createMicrophoneCapture(watched.ports);
    const opening = capture.open(request());
    await untilAsked(1);
    allow('Fake Audio Input 1');
    const first = await opening;
    await expect.poll(() => watched.listed()).toBeGreaterThan(0);
    await first.end();
    expect(first.device.label).toBe('Fake Audio Input 1');
    expect(prompts).toEqual([null]);
    // Another one was picked: loaded anew, the page does not ask for this one alone.
    expect(watched.ports.remembered.read()).toBeNull();

    const next = capture.open(request());
    await untilAsked(2);
    expect(prompts).toEqual([null, jabra]);
    allow(JABRA);
    expect((await next).device.deviceId).toBe(jabra);
    await (await next).end();

    const third = await capture.open(request());
    expect(third.device.deviceId).toBe(jabra);
    await third.end();
    expect(prompts).toHaveLength(2);

    // The page is loaded anew: its list has no names yet.
    const reloaded = createMicrophoneCapture(watched.ports);
    const fourth = await reloaded.open(request());
    expect(fourth.device.deviceId).toBe(jabra);
    await fourth.end();
    expect(prompts).toHaveLength(2);
    await expect.poll(() => isAllClosed(watched)).toBe(true);
  });

  test('who refuses the preferred one has the one that is allowed, and is not asked again', async () => {
    const { watched, prompts, allow, refuse, untilAsked } = askingForEach();
    const capture = createMicrophoneCapture(watched.ports);
    const opening = capture.open(request());
    await untilAsked(1);
    allow('Fake Audio Input 1');
    const first = await opening;
    await expect.poll(() => watched.listed()).toBeGreaterThan(0);
    await first.end();

    const next = capture.open(request());
    await untilAsked(2);
    refuse();
    expect((await next).device.label).toBe('Fake Audio Input 1');
    const lists = watched.listed();
    await expect.poll(() => watched.listed()).toBeGreaterThan(lists);
    await (await next).end();

    const third = await capture.open(request());
    expect(third.device.label).toBe('Fake Audio Input 1');
    await third.end();
    expect(prompts).toHaveLength(2);
    expect(watched.ports.remembered.read()).toBeNull();
    expect(watched.logged).toEqual([]);
  });

  test('who refuses the one that they pinned is told, and asked for no other', async () => {
    const { watched, prompts, refuse, untilAsked, idOf } = askingForEach();
    const pinned = await idOf('Fake Audio Input 1');
    const opening = openBestMicrophone(watched.ports, pinned);
    await untilAsked(1);
    refuse();
    await expect(opening).rejects.toMatchObject({ code: 'microphone-denied' });
    expect(prompts).toEqual([pinned]);
  });

  test('in a standstill the same one is opened anew, which asks nobody', async () => {
    const { watched: asking, prompts, allow, untilAsked, idOf } = askingForEach();
    const opening = openCapture(asking.ports);
    await untilAsked(1);
    allow('Fake Audio Input 1');
    const { watched, changes, handle, context } = await opening;
    context.resume = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    await context.suspend();
    await expect.poll(() => watched.streams.length).toBe(2);
    expect(watched.asked[1]?.deviceId).toEqual({ exact: await idOf('Fake Audio Input 1') });
    expect(prompts).toEqual([null]);
    await handle.end();
    expect(changes.map(({ kind }) => kind)).not.toContain('switched');
  });
});
