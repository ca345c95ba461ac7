import { beforeAll, describe, expect, test } from 'vitest';
import { browserCapturePorts, type MicrophoneEdge } from '../../src/capture/capture-ports.ts';
import {
  isMicrophoneGranted,
  listMicrophones,
  requestMicrophonePermission,
} from '../../src/capture/microphones.ts';
import { openBestMicrophone } from '../../src/capture/open-microphone.ts';
import { stopAll, watchedPorts } from '../helpers/capture-edges.ts';
import { isWebKit } from '../helpers/engine.ts';

const real = navigator.mediaDevices;
const { clock } = browserCapturePorts();

/** Chromium's fake microphones, some of them under another name. */
function renamed(labels: Readonly<Record<string, string>>): MicrophoneEdge {
  return {
    getUserMedia: (constraints) => real.getUserMedia(constraints),
    async enumerateDevices() {
      const devices = await real.enumerateDevices();
      return devices.map(({ deviceId, groupId, kind, label }) => {
        const name = labels[label] ?? label;
        return { deviceId, groupId, kind, label: name, toJSON: () => ({}) };
      });
    },
  };
}

const withJabra = renamed({ 'Fake Audio Input 2': 'Jabra SPEAK 510 USB' });

async function idOf(label: string): Promise<string> {
  const devices = await listMicrophones(real, clock);
  const device = devices.find((candidate) => candidate.label === label);
  if (device === undefined) throw new Error(`No '${label}' among ${JSON.stringify(devices)}`);
  return device.deviceId;
}

/** Opens with permission as given, and says which microphones were on the way. */
async function openWith(
  permission: PermissionState | Error,
  mediaDevices: MicrophoneEdge = real,
  deviceId: string | null = null,
  likelyId: string | null = null,
) {
  const watched = watchedPorts({
    mediaDevices,
    asksForEach: false,
    async queryPermission() {
      if (permission instanceof Error) throw permission;
      return permission;
    },
  });
  const { device, stream, track } = await openBestMicrophone(watched.ports, deviceId, likelyId);
  const states = watched.streams.map((opened) => opened.getAudioTracks()[0]?.readyState);
  const isOn = track.readyState === 'live' && watched.streams.includes(stream);
  stopAll(watched);
  return { device, isOn, states, asked: watched.asked, logged: watched.logged };
}

// Firefox names none before one has been on.
beforeAll(async () => {
  const stream = await real.getUserMedia({ audio: true });
  for (const track of stream.getTracks()) track.stop();
});

describe.skipIf(isWebKit)('with permission given (WebKitGTK lists no other one)', () => {
  test('the preferred microphone, known from a list before, is opened at once, and nothing else', async () => {
    const jabra = await idOf('Fake Audio Input 2');
    const opened = await openWith('granted', withJabra, null, jabra);
    expect(opened.device.deviceId).toBe(jabra);
    expect(opened.states).toEqual(['live']);
    expect(opened.isOn).toBe(true);
  });

  test("without a list before, the browser's own is changed for the preferred one", async () => {
    const opened = await openWith('granted', withJabra);
    expect(opened.device.deviceId).toBe(await idOf('Fake Audio Input 2'));
    expect(opened.states).toEqual(['ended', 'live']);
    expect(opened.isOn).toBe(true);
  });

  test('the one the list named before is no more the one to choose: it is changed', async () => {
    const before = await idOf('Fake Audio Input 1');
    const opened = await openWith('granted', withJabra, null, before);
    expect(opened.device.deviceId).toBe(await idOf('Fake Audio Input 2'));
    expect(opened.states).toEqual(['ended', 'live']);
  });

  test('without a preferred one, the first', async () => {
    const [first] = await listMicrophones(real, clock);
    const opened = await openWith('granted');
    expect(opened.device).toEqual(first);
    expect(opened.asked).toHaveLength(1);
  });

  test('the pinned one goes before the preferred one', async () => {
    const pinned = await idOf('Fake Audio Input 1');
    const opened = await openWith('granted', withJabra, pinned);
    expect(opened.device.deviceId).toBe(pinned);
  });

  test('a pinned one that is gone: as if none were pinned', async () => {
    const opened = await openWith('granted', withJabra, 'gone');
    expect(opened.device.deviceId).toBe(await idOf('Fake Audio Input 2'));
  });

  test('one that is unplugged between the list and the opening: the one that works stays', async () => {
    const stale: MicrophoneEdge = {
      getUserMedia: (constraints) => real.getUserMedia(constraints),
      async enumerateDevices() {
        const [first] = await real.enumerateDevices();
        return [
          { ...first!, kind: 'audioinput', deviceId: 'gone', label: 'Tonor', toJSON: () => '' },
        ];
      },
    };
    const opened = await openWith('granted', stale, null, 'gone');
    const gone = [{ exact: 'gone' }, undefined];
    expect(opened.asked.map(({ deviceId }) => deviceId)).toEqual([...gone, ...gone]);
    expect(opened.isOn).toBe(true);
  });
});

describe.skipIf(isWebKit)('without permission yet (WebKitGTK lists no other one)', () => {
  test("the browser's own is opened, and changed for the preferred one", async () => {
    const opened = await openWith('prompt', withJabra);
    expect(opened.device.deviceId).toBe(await idOf('Fake Audio Input 2'));
    expect(opened.states).toEqual(['ended', 'live']);
    expect(opened.isOn).toBe(true);
  });

  test('without a preferred one, what the person picked stays', async () => {
    const opened = await openWith('prompt');
    expect(opened.states).toEqual(['live']);
    expect(opened.asked[0]?.deviceId).toBeUndefined();
  });

  test('a browser that does not know the permission is asked in the same way', async () => {
    const opened = await openWith(new TypeError("'microphone' is not a permission"), withJabra);
    expect(opened.states).toEqual(['ended', 'live']);
  });

  test('the pinned one is asked for at once', async () => {
    const pinned = await idOf('Fake Audio Input 1');
    const opened = await openWith('prompt', withJabra, pinned);
    expect(opened.device.deviceId).toBe(pinned);
    expect(opened.states).toEqual(['live']);
  });

  test('a preferred one that cannot be opened: the one that works stays', async () => {
    const busy: MicrophoneEdge = {
      enumerateDevices: () => withJabra.enumerateDevices(),
      async getUserMedia(constraints) {
        if (JSON.stringify(constraints).includes('exact')) {
          throw new DOMException('in use', 'NotReadableError');
        }
        return real.getUserMedia(constraints);
      },
    };
    const opened = await openWith('prompt', busy);
    expect(opened.states).toEqual(['live']);
    expect(opened.isOn).toBe(true);
    expect(opened.logged).toEqual(['The preferred microphone could not be opened']);
  });
});

describe('permission', () => {
  test('is granted or not', async () => {
    expect(await isMicrophoneGranted(watchedPorts().ports)).toBe(true);
    const denied = watchedPorts({ queryPermission: async () => 'denied' });
    expect(await isMicrophoneGranted(denied.ports)).toBe(false);
    const asked = watchedPorts({ queryPermission: async () => 'prompt' });
    expect(await isMicrophoneGranted(asked.ports)).toBe(false);
    const unknown = watchedPorts({ queryPermission: () => Promise.reject(new TypeError('no')) });
    expect(await isMicrophoneGranted(unknown.ports)).toBe(false);
  });

  test('is asked for through a prompt, and the microphone let go', async () => {
    const watched = watchedPorts();
    expect(await requestMicrophonePermission(watched.ports)).toBe(true);
    expect(watched.streams.flatMap((stream) => stream.getTracks())).toMatchObject([
      { readyState: 'ended' },
    ]);
    expect(watched.logged).toEqual([]);
  });

  test('refused is logged and false', async () => {
    const watched = watchedPorts({
      mediaDevices: {
        enumerateDevices: () => real.enumerateDevices(),
        getUserMedia: () => Promise.reject(new DOMException('no', 'NotAllowedError')),
      },
    });
    expect(await requestMicrophonePermission(watched.ports)).toBe(false);
    expect(watched.logged).toEqual(['Microphone permission denied']);
  });
});
