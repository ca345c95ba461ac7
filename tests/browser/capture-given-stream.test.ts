import { expect, onTestFinished, test, vi } from 'vitest';
import { createMicrophoneCapture } from '../../src/capture/capture.ts';
import type { DikteraError } from '../../src/core/errors.ts';
import { createDictation } from '../../src/create-dictation.ts';
import { letTestsTell, watchedPorts } from '../helpers/capture-edges.ts';
import { collectFrames } from '../helpers/collect-frames.ts';
import { exceptWebKit } from '../helpers/engine.ts';
import { joinFrames } from '../helpers/join-frames.ts';

// A stream of the page's own in place of a microphone: `start({ stream })`.

/** A page's own sound, a steady tone. */
function ownSound(): { stream: MediaStream; track: MediaStreamTrack } {
  const context = new AudioContext();
  onTestFinished(() => context.close());
  const tone = context.createOscillator();
  const destination = context.createMediaStreamDestination();
  tone.connect(destination);
  tone.start();
  const { stream } = destination;
  return { stream, track: stream.getAudioTracks()[0]! };
}

function open(stream: MediaStream) {
  const { ports, contexts } = watchedPorts();
  const collector = collectFrames();
  const asked: string[] = [];
  const lost: string[] = [];
  const real = navigator.mediaDevices;
  const opening = createMicrophoneCapture({
    ...ports,
    mediaDevices: {
      async getUserMedia(constraints) {
        asked.push('microphone');
        return real.getUserMedia(constraints);
      },
      async enumerateDevices() {
        asked.push('list');
        return real.enumerateDevices();
      },
    },
  }).open({
    framePort: collector.framePort,
    deviceId: null,
    stream,
    onLost: ({ code }: DikteraError) => lost.push(code),
  });
  return { opening, collector, contexts, asked, lost };
}

exceptWebKit(
  'is heard, no microphone is asked for, and its own track goes on after the end (WebKitGTK: with no microphone on, a context runs from a press alone)',
  async () => {
    const { stream, track } = ownSound();
    const { opening, collector, contexts, asked, lost } = open(stream);
    const handle = await opening;
    const goal = contexts[0]!.currentTime + 1;
    await expect.poll(() => contexts[0]!.currentTime).toBeGreaterThan(goal);
    await handle.end();
    const audio = joinFrames((await collector.ended).map(({ message }) => message));
    expect(audio.length).toBeGreaterThan(8_000);
    expect(Math.max(...audio.slice(4_000))).toBeGreaterThan(0.3);
    expect(track.readyState).toBe('live');
    expect({ asked, lost }).toEqual({ asked: [], lost: [] });
  },
);

exceptWebKit(
  'ends the recording when it ends: no microphone takes its place (WebKitGTK: with no microphone on, a context runs from a press alone)',
  async () => {
    const { stream, track } = ownSound();
    const cloned: MediaStreamTrack[] = [];
    const { clone } = track;
    track.clone = () => {
      const copy = clone.call(track);
      letTestsTell(copy);
      cloned.push(copy);
      return copy;
    };
    const { opening, asked, lost } = open(stream);
    const handle = await opening;
    cloned[0]!.dispatchEvent(new Event('ended'));
    await expect.poll(() => lost).toEqual(['microphone-lost']);
    await handle.end();
    expect(asked).toEqual([]);
  },
);

exceptWebKit(
  'ends the recording when the page stops its track, which no event tells (WebKitGTK: with no microphone on, a context runs from a press alone)',
  async () => {
    const { stream, track } = ownSound();
    const { opening, asked, lost } = open(stream);
    const handle = await opening;
    track.stop();
    await expect.poll(() => lost).toEqual(['microphone-lost']);
    await handle.end();
    expect(asked).toEqual([]);
  },
);

test.each(['without sound', 'that was stopped before'])('%s is refused', async (kind) => {
  const { stream, track } = ownSound();
  track.stop();
  const { opening } = open(kind === 'without sound' ? new MediaStream() : stream);
  await expect(opening).rejects.toMatchObject({ code: 'microphone-missing' });
});

exceptWebKit(
  'is what a dictation records that is started with it (WebKitGTK: with no microphone on, a context runs from a press alone)',
  async () => {
    const listen = vi.spyOn(navigator.mediaDevices, 'getUserMedia');
    onTestFinished(() => listen.mockRestore());
    const dictation = createDictation();
    onTestFinished(() => dictation.dispose());
    expect(await dictation.start({ stream: ownSound().stream })).toEqual({ ok: true });
    await expect.poll(() => dictation.getSnapshot().ledger.capturedSamples).toBeGreaterThan(8_000);
    dictation.cancel();
    expect(listen).not.toHaveBeenCalled();
  },
);
