import { afterEach, expect, test } from 'vitest';
import type { MicrophoneEdge } from '../../src/capture/capture-ports.ts';
import type { Clock } from '../../src/core/clock.ts';
import { isAllClosed, type WatchedPorts } from '../helpers/capture-edges.ts';
import { exceptWebKit } from '../helpers/engine.ts';
import { hurried, impatient, openCapture } from '../helpers/open-capture.ts';

const unhandled: unknown[] = [];
const note = (event: PromiseRejectionEvent): void => {
  event.preventDefault();
  unhandled.push(event.reason);
};
addEventListener('unhandledrejection', note);
afterEach(() => {
  expect(unhandled.splice(0)).toEqual([]);
});

/** The microphone goes away, as when it is pulled out. */
function pullOut({ streams }: WatchedPorts): void {
  const track = streams.at(-1)!.getAudioTracks()[0]!;
  track.stop();
  track.dispatchEvent(new Event('ended'));
}

/** A context that takes no more microphones, `times` of them. */
function refuseSources(context: AudioContext, times = Number.POSITIVE_INFINITY): void {
  const real = context.createMediaStreamSource.bind(context);
  let left = times;
  context.createMediaStreamSource = (stream) => {
    left -= 1;
    if (left >= 0) throw new DOMException('as a test wants it', 'InvalidStateError');
    return real(stream);
  };
}

const liveTracks = ({ streams }: WatchedPorts) =>
  streams.flatMap((stream) => stream.getTracks()).filter((track) => track.readyState === 'live');

test('a microphone that cannot be put into the graph is let go, and the next try has one', async () => {
  const { watched, lost, changes, handle, context } = await openCapture({ clock: impatient });
  refuseSources(context, 1);
  pullOut(watched);
  await expect.poll(() => changes.map(({ kind }) => kind)).toContain('switched');
  expect(liveTracks(watched)).toHaveLength(1);
  await handle.end();
  expect(lost).toEqual([]);
  expect(isAllClosed(watched)).toBe(true);
});

test('if none can be put into the graph, the loss is told, and none stays on', async () => {
  const { watched, lost, changes, handle, context } = await openCapture({ clock: impatient });
  refuseSources(context);
  pullOut(watched);
  await expect.poll(() => lost.map(({ code }) => code)).toEqual(['microphone-lost']);
  expect(liveTracks(watched)).toEqual([]);
  expect(changes.map(({ kind }) => kind)).not.toContain('switched');
  await handle.end();
  expect(isAllClosed(watched)).toBe(true);
});

test('a tab whose sound cannot be put into the graph: nothing opens, and nothing stays on', async () => {
  const tab = new AudioContext().createMediaStreamDestination().stream;
  const real = navigator.mediaDevices;
  let asked = 0;
  const mediaDevices: MicrophoneEdge = {
    enumerateDevices: () => real.enumerateDevices(),
    getUserMedia(constraints) {
      asked += 1;
      return real.getUserMedia(constraints);
    },
    getDisplayMedia: async () => tab,
  };
  const half = new Set<() => void>();
  const clock: Clock = {
    nowMs: () => Date.now(),
    after(delayMs, run) {
      if (delayMs === 500) half.add(run);
      const timer = setTimeout(run, delayMs);
      return () => {
        half.delete(run);
        clearTimeout(timer);
      };
    },
  };
  const contexts: AudioContext[] = [];
  const opening = openCapture(
    {
      mediaDevices,
      clock,
      createContext() {
        const context = new AudioContext();
        const attach = context.createMediaStreamSource.bind(context);
        context.createMediaStreamSource = (stream) => {
          if (stream === tab) throw new DOMException('as a test wants it', 'InvalidStateError');
          return attach(stream);
        };
        contexts.push(context);
        return context;
      },
    },
    { tabSound: true },
  );
  await expect(opening).rejects.toMatchObject({ code: 'audio-graph-failed' });
  expect(contexts[0]!.state).toBe('closed');
  expect(tab.getTracks().map((track) => track.readyState)).toEqual(['ended']);
  // A timer of half a second would ask for a microphone that nobody wants.
  expect(half.size).toBe(0);
  expect(asked).toBe(1);
});

test('while another microphone is waited for, as behind a prompt, that it went away is told', async () => {
  let isPrompting = false;
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const real = navigator.mediaDevices;
  const { watched, lost, changes, handle } = await openCapture({
    mediaDevices: {
      enumerateDevices: () => real.enumerateDevices(),
      async getUserMedia(constraints) {
        if (isPrompting) await answered;
        return real.getUserMedia(constraints);
      },
    },
    queryPermission: async () => 'prompt',
  });
  isPrompting = true;
  pullOut(watched);
  await expect.poll(() => changes).toEqual([{ kind: 'away', isAway: true }]);
  answer();
  await expect.poll(() => changes.map(({ kind }) => kind)).toEqual(['away', 'away', 'switched']);
  expect(changes[1]).toEqual({ kind: 'away', isAway: false });
  await handle.end();
  expect(lost).toEqual([]);
  expect(isAllClosed(watched)).toBe(true);
});

test('a recording that is ended while its microphone is away says so no longer, and opens none', async () => {
  const real = navigator.mediaDevices;
  let isPrompting = false;
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { watched, changes, handle } = await openCapture({
    mediaDevices: {
      enumerateDevices: () => real.enumerateDevices(),
      async getUserMedia(constraints) {
        if (isPrompting) await answered;
        return real.getUserMedia(constraints);
      },
    },
  });
  isPrompting = true;
  pullOut(watched);
  await handle.end();
  expect(changes).toEqual([
    { kind: 'away', isAway: true },
    { kind: 'away', isAway: false },
  ]);
  answer();
  await expect.poll(() => watched.streams.length).toBe(2);
  await expect.poll(() => isAllClosed(watched)).toBe(true);
});

test('a microphone that was muted when it went away: its successor is not', async () => {
  const { watched, changes, handle } = await openCapture();
  const track = watched.streams[0]!.getAudioTracks()[0]!;
  Object.defineProperty(track, 'muted', { get: () => true });
  track.dispatchEvent(new Event('mute'));
  await expect.poll(() => changes, { timeout: 3_000 }).toEqual([{ kind: 'muted', isMuted: true }]);
  pullOut(watched);
  await expect.poll(() => changes.map(({ kind }) => kind)).toContain('switched');
  expect(changes).toContainEqual({ kind: 'muted', isMuted: false });
  await handle.end();
});

exceptWebKit(
  'a microphone that is pulled out while the list says nothing: another one takes over (WebKitGTK: its next mock microphone gives nothing)',
  async () => {
    let isListing = true;
    const real = navigator.mediaDevices;
    const { watched, changes, lost, handle } = await openCapture({
      clock: {
        ...impatient,
        // Only for the list: a context that begins has all its time.
        after: (delayMs, run) => (isListing ? impatient : hurried(5_000)).after(delayMs, run),
      },
      mediaDevices: {
        getUserMedia: (constraints) => real.getUserMedia(constraints),
        enumerateDevices: () => (isListing ? real.enumerateDevices() : new Promise(() => {})),
      },
    });
    isListing = false;
    pullOut(watched);
    await expect.poll(() => changes.map(({ kind }) => kind)).toContain('switched');
    await handle.end();
    expect(lost).toEqual([]);
  },
);

test('a microphone that may be used and does not come: the next try is made, and the late one let go', async () => {
  const real = navigator.mediaDevices;
  let answer = (): void => {};
  /** The next one that is asked for does not come. */
  let isNextSlow = false;
  const { watched, changes, lost, handle } = await openCapture({
    asksForEach: false,
    clock: {
      ...impatient,
      // Only for the one that does not come: one that does has all its time.
      after(delayMs, run) {
        const isSlow = isNextSlow && delayMs === 8_000;
        if (isSlow) isNextSlow = false;
        return (isSlow ? hurried(8_000) : impatient).after(delayMs, run);
      },
    },
    mediaDevices: {
      enumerateDevices: () => real.enumerateDevices(),
      async getUserMedia(constraints) {
        if (isNextSlow) {
          await new Promise<void>((resolve) => {
            answer = resolve;
          });
        }
        return real.getUserMedia(constraints);
      },
    },
  });
  isNextSlow = true;
  pullOut(watched);
  await expect.poll(() => changes.map(({ kind }) => kind)).toContain('switched');
  answer();
  await expect.poll(() => watched.streams.length).toBe(3);
  await expect.poll(() => liveTracks(watched).length).toBe(1);
  await handle.end();
  expect(lost).toEqual([]);
  expect(isAllClosed(watched)).toBe(true);
});
