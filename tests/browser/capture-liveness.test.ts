import { expect, test, vi } from 'vitest';
import type { MicrophoneEdge } from '../../src/capture/capture-ports.ts';
import type { ScreenPorts } from '../../src/capture/screen-hold.ts';
import type { CaptureChange } from '../../src/core/contracts/capture-port.ts';
import { blobUrl, isAllClosed, type WatchedPorts } from '../helpers/capture-edges.ts';
import { collectFrames } from '../helpers/collect-frames.ts';
import { exceptWebKit } from '../helpers/engine.ts';
import { joinFrames } from '../helpers/join-frames.ts';
import { hurried, openCapture, untilRendered } from '../helpers/open-capture.ts';

const kindsOf = (changes: readonly CaptureChange[]) => changes.map(({ kind }) => kind);

/** The browser lets the context run no more until `allow`. */
function forbidResuming(context: AudioContext) {
  const real = context.resume.bind(context);
  const resume = vi.fn<AudioContext['resume']>(() =>
    Promise.reject(new DOMException('no', 'NotAllowedError')),
  );
  context.resume = resume;
  return {
    resume,
    allow() {
      resume.mockImplementation(real);
    },
  };
}

/** Waits for an alarm; how long it took, in seconds. */
async function untilStalled(changes: readonly CaptureChange[]): Promise<number> {
  const fromMs = performance.now();
  await expect.poll(() => kindsOf(changes), { timeout: 8_000, interval: 10 }).toContain('stalled');
  const seconds = (performance.now() - fromMs) / 1_000;
  console.info(`${seconds.toFixed(2)} s from standstill to alarm`);
  return seconds;
}

/** After at most 3.25 s it is told, and this page and its audio thread may be late for a moment. */
const ALARM_WITHIN_S = 4;

test('a context that is suspended is resumed at once', async () => {
  const { changes, lost, handle, context } = await openCapture();
  await untilRendered(context, 0.3);
  await context.suspend();
  await expect.poll(() => context.state).toBe('running');
  await untilRendered(context, 0.5);
  await handle.end();
  expect([changes, lost]).toEqual([[], []]);
});

test('one that may not be resumed: the alarm, and when it runs again, for how long; a gap lies where it was', async () => {
  const { collector, changes, lost, handle, context } = await openCapture();
  await untilRendered(context, 0.5);
  const browser = forbidResuming(context);
  const fromMs = performance.now();
  await context.suspend();
  expect(await untilStalled(changes)).toBeLessThan(ALARM_WITHIN_S);
  browser.allow();
  await expect.poll(() => kindsOf(changes), { timeout: 5_000 }).toEqual(['stalled', 'flowing']);
  const lastedMs = performance.now() - fromMs;
  const [, flowing] = changes;
  const unheardMs = flowing?.kind === 'flowing' ? flowing.unheardMs : 0;
  expect(Math.abs(unheardMs - lastedMs)).toBeLessThan(500);
  await untilRendered(context, 0.5);
  await handle.end();
  expect(lost).toEqual([]);
  const messages = (await collector.ended).map(({ message }) => message);
  // Throws if a sample is missing or doubled.
  const audio = joinFrames(messages);
  // A busy machine may leave a gap of its own, of milliseconds.
  const gaps = messages.filter((message) => message.kind === 'gap');
  gaps.sort((one, other) => other.lostInputFrames - one.lostInputFrames);
  expect(gaps[0]!.lostInputFrames / context.sampleRate).toBeCloseTo(unheardMs / 1_000, 2);
  expect(gaps[0]!.atSample).toBeGreaterThan(0.4 * 16_000);
  expect(gaps[0]!.atSample).toBeLessThan(audio.length - 0.4 * 16_000);
});

/** A worklet that tells of its seconds, until the page pauses it: then it runs `body`. */
function strangeWorklet(body: string): string {
  const script = `registerProcessor('diktera-capture', class extends AudioWorkletProcessor {
    frames = 0;
    constructor() {
      super();
      this.port.onmessage = ({ data }) => {
        if (data.kind === 'connect') this.port.postMessage({ kind: 'running', contextRateHz: sampleRate });
        if (data.kind === 'pause') this.broken = true;
        if (data.kind === 'end') this.port.postMessage({ kind: 'ended' });
      };
    }
    process() {
      if (this.broken) { this.broken = false; ${body} }
      if (this.stopped) return true;
      this.frames += 128;
      if (this.frames % (128 * 375) === 0) this.port.postMessage({ kind: 'heard', unheardMs: 0 });
      return true;
    }
  });`;
  return blobUrl(script, 'text/javascript');
}

async function raisesTheAlarm(body: string): Promise<void> {
  const { changes, handle, context } = await openCapture({ workletUrl: strangeWorklet(body) });
  await untilRendered(context, 1.2);
  handle.pause();
  handle.resume();
  expect(await untilStalled(changes)).toBeLessThan(ALARM_WITHIN_S);
  expect(context.state).toBe('running');
  await handle.end();
  expect(kindsOf(changes).filter((kind) => kind !== 'switched')).toEqual(['stalled', 'flowing']);
}

exceptWebKit(
  'a context that says it runs, and whose time stands still: the alarm comes (WebKitGTK: may die of an audio thread that hangs)',
  () => raisesTheAlarm('const until = Date.now() + 6000; while (Date.now() < until);'),
);

test('a worklet that takes nothing in any more, though time goes on: the alarm comes', () =>
  raisesTheAlarm('this.stopped = true;'));

test('an interruption (iOS) raises the alarm, is not resumed, and no microphone is taken from the call', async () => {
  const { watched, changes, lost, handle, context } = await openCapture();
  const browser = forbidResuming(context);
  await context.suspend();
  browser.resume.mockClear();
  Object.defineProperty(context, 'state', { value: 'interrupted', configurable: true });
  await untilStalled(changes);
  expect(browser.resume).not.toHaveBeenCalled();
  expect(watched.streams).toHaveLength(1);
  Reflect.deleteProperty(context, 'state');
  browser.allow();
  await expect.poll(() => kindsOf(changes), { timeout: 5_000 }).toEqual(['stalled', 'flowing']);
  await handle.end();
  expect(lost).toEqual([]);
});

/** A telephone call, as iOS tells of one. */
function call(context: AudioContext) {
  const tell = () => context.dispatchEvent(new Event('statechange'));
  Object.defineProperty(context, 'state', { value: 'interrupted', configurable: true });
  tell();
  return {
    end() {
      Reflect.deleteProperty(context, 'state');
      tell();
    },
  };
}

const statesOf = ({ streams }: WatchedPorts) =>
  streams.map((stream) => stream.getAudioTracks()[0]!.readyState);

/** A microphone without a sound at first: live, and all zeros. */
function deafAtFirst(): MicrophoneEdge {
  let isFirst = true;
  return {
    enumerateDevices: () => navigator.mediaDevices.enumerateDevices(),
    async getUserMedia(constraints) {
      const stream = await navigator.mediaDevices.getUserMedia(constraints);
      for (const track of stream.getTracks()) track.enabled = !isFirst;
      isFirst = false;
      return stream;
    },
  };
}

test('a microphone that stays muted after a call (iOS) is opened anew, once', async () => {
  const { watched, lost, handle, context } = await openCapture();
  const over = call(context);
  Object.defineProperty(watched.streams[0]!.getAudioTracks()[0], 'muted', { value: true });
  over.end();
  await expect.poll(() => statesOf(watched)).toEqual(['ended', 'live']);
  await untilRendered(context, 3);
  expect(watched.streams).toHaveLength(2);
  await handle.end();
  expect(lost).toEqual([]);
  expect(isAllClosed(watched)).toBe(true);
});

test('a microphone that gives nothing but zeros after a call (iOS) is opened anew, once, and heard', async () => {
  const { watched, collector, handle, context } = await openCapture({
    mediaDevices: deafAtFirst(),
  });
  call(context).end();
  await expect.poll(() => statesOf(watched)).toEqual(['ended', 'live']);
  await untilRendered(context, 3);
  expect(watched.streams).toHaveLength(2);
  await handle.end();
  const audio = joinFrames((await collector.ended).map(({ message }) => message));
  expect(audio.subarray(-32_000).some((sample) => sample !== 0)).toBe(true);
});

test('a page that is shown again (iOS) with a microphone that stays muted: it is opened anew', async () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const { watched, handle } = await openCapture({
    screen: { wakeLock: undefined, page: page as unknown as ScreenPorts['page'] },
  });
  Object.defineProperty(watched.streams[0]!.getAudioTracks()[0], 'muted', { value: true });
  page.dispatchEvent(new Event('visibilitychange'));
  await expect.poll(() => statesOf(watched)).toEqual(['ended', 'live']);
  await handle.end();
});

test('a new one that is muted as well does not take over', async () => {
  const { watched, handle, context } = await openCapture({
    mediaDevices: {
      enumerateDevices: () => navigator.mediaDevices.enumerateDevices(),
      async getUserMedia(constraints) {
        const stream = await navigator.mediaDevices.getUserMedia(constraints);
        Object.defineProperty(stream.getAudioTracks()[0], 'muted', { value: true });
        return stream;
      },
    },
  });
  call(context).end();
  await expect.poll(() => statesOf(watched)).toEqual(['live', 'ended']);
  await handle.end();
});

test('a quiet room, what the system mutes, and a call after which all is well: nothing is opened anew', async () => {
  const quiet = await openCapture({ mediaDevices: deafAtFirst() });
  const muted = await openCapture();
  Object.defineProperty(muted.watched.streams[0]!.getAudioTracks()[0], 'muted', { value: true });
  const called = await openCapture();
  call(called.context).end();
  // Four of the worklet's seconds at least: two of them, and none that began before.
  for (let second = 0; second < 4; second += 1) await untilRendered(called.context, 1.1);
  for (const { watched, handle } of [quiet, muted, called]) {
    expect(watched.streams).toHaveLength(1);
    await handle.end();
  }
});

test('in a standstill the microphone is opened anew, once, and the one before let go', async () => {
  const { watched, changes, handle, context } = await openCapture();
  const browser = forbidResuming(context);
  await context.suspend();
  await untilStalled(changes);
  await expect.poll(() => watched.streams.length).toBe(2);
  const states = () => watched.streams.map((stream) => stream.getAudioTracks()[0]?.readyState);
  await expect.poll(states).toEqual(['ended', 'live']);
  // Two more tries to mend, and no other microphone.
  browser.resume.mockClear();
  await expect.poll(() => browser.resume.mock.calls.length, { timeout: 6_000 }).toBe(2);
  expect(watched.streams).toHaveLength(2);
  await handle.end();
  await expect.poll(() => isAllClosed(watched)).toBe(true);
  expect(kindsOf(changes)).toEqual(['stalled', 'flowing']);
});

test('one that stays suspended: another context goes on, at the sample where the worker is, with a gap', async () => {
  const { watched, collector, changes, lost, rebuilt, handle, context } = await openCapture();
  await untilRendered(context, 0.5);
  forbidResuming(context);
  await context.suspend();
  await expect.poll(() => rebuilt, { timeout: 12_000 }).toEqual([1]);
  const frames = collector.got.filter((message) => message.kind === 'frame');
  const atSample = frames.reduce((sum, { pcm }) => sum + pcm.length, 0);
  const next = collectFrames(atSample);
  handle.reconnect(next.framePort);
  await expect.poll(() => kindsOf(changes), { timeout: 4_000 }).toEqual(['stalled', 'flowing']);
  const [, flowing] = changes;
  const unheardMs = flowing?.kind === 'flowing' ? flowing.unheardMs : 0;
  await untilRendered(watched.contexts[1]!, 0.5);
  expect(context.state).toBe('closed');
  handle.pause();
  handle.resume();
  await handle.end();
  expect(lost).toEqual([]);
  const messages = (await next.ended).map(({ message }) => message);
  const [gap] = messages.filter((message) => message.kind === 'gap');
  expect(gap!.atSample - atSample).toBeLessThan(0.2 * 16_000);
  expect(gap!.lostInputFrames / context.sampleRate).toBeCloseTo(unheardMs / 1_000, 2);
  const first = messages.find((message) => message.kind === 'frame');
  expect(first?.startSample).toBe(atSample);
  expect(messages.map(({ kind }) => kind)).toContain('resumed');
  const heard = messages.flatMap((message) => (message.kind === 'frame' ? [message.pcm] : []));
  expect(heard.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(0.4 * 16_000);
  expect(isAllClosed(watched)).toBe(true);
}, 30_000);

exceptWebKit(
  'no other context runs either: it is let go, and the recording waits on (WebKitGTK: no sound after a second one)',
  async () => {
    let made = 0;
    let isOpen = false;
    const [real, hasty] = [hurried(), hurried(5_000)];
    const { watched, changes, rebuilt, handle, context } = await openCapture({
      // The first context has its whole time to start.
      clock: { ...real, after: (...wait) => (isOpen ? hasty : real).after(...wait) },
      createContext: () => {
        const created = new AudioContext();
        if (made > 0) {
          forbidResuming(created);
          void created.suspend();
        }
        made += 1;
        return created;
      },
    });
    isOpen = true;
    forbidResuming(context);
    await context.suspend();
    await expect.poll(() => watched.contexts[1]?.state, { timeout: 12_000 }).toBe('closed');
    expect(rebuilt).toEqual([]);
    expect(kindsOf(changes)).toEqual(['stalled']);
    await handle.end();
    await expect.poll(() => isAllClosed(watched)).toBe(true);
  },
  30_000,
);

test('a press anywhere lets the context run again, where only a press may', async () => {
  const { changes, handle, context } = await openCapture();
  const browser = forbidResuming(context);
  await context.suspend();
  await untilStalled(changes);
  browser.allow();
  browser.resume.mockClear();
  window.dispatchEvent(new Event('pointerup'));
  expect(browser.resume).toHaveBeenCalledTimes(1);
  await expect.poll(() => context.state).toBe('running');
  await handle.end();
});

test('while paused there is no alarm, and resuming finds the context running', async () => {
  const { changes, handle, context } = await openCapture();
  await untilRendered(context, 0.2);
  handle.pause();
  const browser = forbidResuming(context);
  await context.suspend();
  await new Promise((resolve) => setTimeout(resolve, 4_500));
  expect(changes).toEqual([]);
  browser.allow();
  handle.resume();
  await expect.poll(() => context.state).toBe('running');
  await untilRendered(context, 0.3);
  await handle.end();
  expect(kindsOf(changes)).not.toContain('stalled');
});

exceptWebKit(
  'a page that stands still for 5 s raises no alarm, and hears all (WebKitGTK: a worklet speaks by way of the page)',
  async () => {
    const { collector, changes, handle, context } = await openCapture();
    // The context may have run for long before the worklet heard anything.
    const openedS = context.currentTime;
    await untilRendered(context, 0.3);
    const untilMs = performance.now() + 5_000;
    while (performance.now() < untilMs);
    await untilRendered(context, 1.5);
    // Firefox tells a page that stands still what time it is in the context only afterwards.
    const renderedS = context.currentTime - openedS;
    await handle.end();
    expect(changes).toEqual([]);
    const messages = (await collector.ended).map(({ message }) => message);
    expect(messages.filter(({ kind }) => kind === 'gap')).toEqual([]);
    expect(renderedS).toBeGreaterThan(4);
    expect(joinFrames(messages).length).toBeGreaterThan((renderedS - 0.2) * 16_000);
  },
);
