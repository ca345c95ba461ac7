import { describe, expect, test } from 'vitest';
import { createMicrophoneCapture } from '../../src/capture/capture.ts';
import type { MicrophoneEdge } from '../../src/capture/capture-ports.ts';
import { canRecordTabSound } from '../../src/capture/tab-sound.ts';
import type { CaptureChange } from '../../src/core/contracts/capture-port.ts';
import { isAllClosed, letTestsTell, watchedPorts } from '../helpers/capture-edges.ts';
import { collectFrames } from '../helpers/collect-frames.ts';
import { exceptWebKit, isChromium } from '../helpers/engine.ts';
import { joinFrames } from '../helpers/join-frames.ts';

const real = navigator.mediaDevices;

/** A shared tab that plays a steady tone, with a picture as tabs have one. */
function tabWithTone(): { stream: MediaStream; context: AudioContext } {
  const context = new AudioContext();
  const tone = context.createOscillator();
  tone.frequency.value = 1_000;
  const destination = context.createMediaStreamDestination();
  tone.connect(destination);
  tone.start();
  const canvas = document.createElement('canvas');
  canvas.getContext('2d');
  for (const track of canvas.captureStream().getVideoTracks()) destination.stream.addTrack(track);
  for (const track of destination.stream.getTracks()) letTestsTell(track);
  return { stream: destination.stream, context };
}

/** A silent microphone beside what is shared. */
function edge(share: () => Promise<MediaStream>): MicrophoneEdge {
  const silent = new AudioContext().createMediaStreamDestination();
  return {
    enumerateDevices: () => real.enumerateDevices(),
    getUserMedia: async () => silent.stream.clone(),
    getDisplayMedia: share,
    getSupportedConstraints: () => real.getSupportedConstraints(),
  };
}

function open(mediaDevices: MicrophoneEdge) {
  const watched = watchedPorts();
  const collector = collectFrames();
  const changes: CaptureChange[] = [];
  const opening = createMicrophoneCapture({ ...watched.ports, mediaDevices }).open({
    framePort: collector.framePort,
    deviceId: null,
    tabSound: true,
    onLost: () => {},
    onChange: (change) => changes.push(change),
  });
  return { watched, collector, changes, opening };
}

const loudness = (audio: Float32Array) =>
  Math.sqrt(audio.reduce((sum, value) => sum + value * value, 0) / audio.length);

async function untilRendered(context: AudioContext, seconds: number): Promise<void> {
  const goal = context.currentTime + seconds;
  await expect.poll(() => context.currentTime, { timeout: 5_000 }).toBeGreaterThan(goal);
}

exceptWebKit(
  'the sound of a tab is recorded with the microphone, its picture is not (WebKitGTK: tab sound is not offered)',
  async () => {
    const tab = tabWithTone();
    const { watched, collector, opening } = open(edge(async () => tab.stream));
    const handle = await opening;
    expect(tab.stream.getVideoTracks().map((track) => track.readyState)).toEqual(['ended']);
    await untilRendered(watched.contexts[0]!, 0.8);
    await handle.end();
    const audio = joinFrames((await collector.ended).map(({ message }) => message));
    expect(loudness(audio.subarray(8_000))).toBeGreaterThan(0.3);
    expect(tab.stream.getTracks().every((track) => track.readyState === 'ended')).toBe(true);
    expect(isAllClosed(watched)).toBe(true);
    await tab.context.close();
  },
);

exceptWebKit(
  'no longer shared, the recording goes on with the microphone and says so (WebKitGTK: tab sound is not offered)',
  async () => {
    const tab = tabWithTone();
    const { watched, changes, opening } = open(edge(async () => tab.stream));
    const handle = await opening;
    tab.stream.getAudioTracks()[0]!.dispatchEvent(new Event('ended'));
    expect(changes).toEqual([{ kind: 'tab-sound-ended' }]);
    await untilRendered(watched.contexts[0]!, 0.2);
    await handle.end();
    await tab.context.close();
  },
);

describe('refused', () => {
  test.each([
    ['by the user', () => Promise.reject(new DOMException('no', 'NotAllowedError'))],
    ['a tab without its sound', async () => new MediaStream()],
  ])('%s: logged, and nothing is open', async (_name, share) => {
    const { watched, opening } = open(edge(share));
    await expect(opening).rejects.toMatchObject({ code: 'tab-sound-refused' });
    expect(watched.logged).toEqual(['Tab capture refused']);
    await expect.poll(() => isAllClosed(watched)).toBe(true);
  });
});

test('offered only where tabs can be shared with their sound: not in Firefox, nor in WebKit', () => {
  expect(canRecordTabSound(real)).toBe(isChromium);
  expect(canRecordTabSound(undefined)).toBe(false);
  expect(canRecordTabSound({})).toBe(false);
  const firefox = { getDisplayMedia: real.getDisplayMedia, getSupportedConstraints: () => ({}) };
  expect(canRecordTabSound(firefox)).toBe(false);
});
