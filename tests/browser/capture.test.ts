import { expect, test, vi } from 'vitest';
import { createMicrophoneCapture } from '../../src/capture/capture.ts';
import type { MicrophoneEdge } from '../../src/capture/capture-ports.ts';
import type { Clock } from '../../src/core/clock.ts';
import { blobUrl, isAllClosed, watchedPorts } from '../helpers/capture-edges.ts';
import { collectFrames } from '../helpers/collect-frames.ts';
import { exceptWebKit, isWebKit } from '../helpers/engine.ts';
import { joinFrames } from '../helpers/join-frames.ts';
import { impatient, openCapture, untilRendered } from '../helpers/open-capture.ts';

test('sound flows from the microphone to the worker, and the end leaves nothing on', async () => {
  const { watched, collector, lost, handle, context } = await openCapture();
  expect(handle.device.label).toMatch(/Fake|Mock/);
  await untilRendered(context, 1.6); // The fake device beeps about once a second.
  const renderedSeconds = context.currentTime;
  await handle.end();
  expect(isAllClosed(watched)).toBe(true);

  const messages = (await collector.ended).map(({ message }) => message);
  const audio = joinFrames(messages);
  expect(audio.length).toBeGreaterThan(0.4 * 16_000);
  expect(audio.some((value) => Math.abs(value) > 0.01)).toBe(true);
  const last = messages.at(-1);
  expect(last?.kind).toBe('ended');
  const inputFrames = last?.kind === 'ended' ? last.inputFrames : 0;
  expect(audio.length).toBe(Math.round((inputFrames * 16_000) / context.sampleRate));
  expect(inputFrames / context.sampleRate).toBeLessThan(renderedSeconds + 1);
  expect(messages.filter((message) => message.kind === 'gap')).toEqual([]);
  expect(lost).toEqual([]);
  expect(watched.asked).toHaveLength(1);
  expect(watched.asked[0]).toMatchObject({
    echoCancellation: true,
    noiseSuppression: false,
    autoGainControl: false,
    channelCount: { ideal: 1 },
  });
});

test.runIf('userAgentData' in navigator)(
  'Chromium gives 48 kHz, as its echo canceller does, whatever the loudspeakers have',
  async () => {
    const { handle, context } = await openCapture();
    expect(context.sampleRate).toBe(48_000);
    await handle.end();
  },
);

/** Records while the page is blocked for 2 s; gives the frames and the time of the block. */
async function recordBlocked() {
  const { collector, handle, context } = await openCapture();
  await untilRendered(context, 0.2);
  const startedAtMs = performance.timeOrigin + performance.now();
  while (performance.timeOrigin + performance.now() < startedAtMs + 2_000);
  await handle.end();
  return { collected: await collector.ended, startedAtMs, endedAtMs: startedAtMs + 2_000 };
}

test('a main thread that is blocked for 2 s costs no sample', async () => {
  const { collected } = await recordBlocked();
  const messages = collected.map(({ message }) => message);
  // Throws if a sample is missing between two frames.
  joinFrames(messages);
  expect(messages.filter((message) => message.kind === 'gap')).toEqual([]);
});

exceptWebKit(
  'a main thread that is blocked for 2 s delays no frame (WebKitGTK: a worklet speaks by way of the page)',
  async () => {
    const { collected, startedAtMs, endedAtMs } = await recordBlocked();
    const meanwhile = collected.filter(
      ({ message, arrivedAtMs }) =>
        message.kind === 'frame' && arrivedAtMs > startedAtMs && arrivedAtMs < endedAtMs,
    );
    // 2 s are 20.8 frames; a busy machine's microphone is late by some, a page's would be by all.
    expect(meanwhile.length).toBeGreaterThanOrEqual(14);
    const arrivals = [startedAtMs, ...meanwhile.map(({ arrivedAtMs }) => arrivedAtMs), endedAtMs];
    const waits = arrivals.slice(1).map((at, i) => at - arrivals[i]!);
    expect(Math.max(...waits)).toBeLessThan(500);
  },
);

test('pause and resume are marked, and nothing in between is sent', async () => {
  const { collector, handle, context } = await openCapture();
  await untilRendered(context, 0.3);
  handle.pause();
  handle.pause();
  await collector.marked('paused');
  await untilRendered(context, 0.5);
  handle.resume();
  handle.resume();
  await collector.marked('resumed');
  await untilRendered(context, 0.3);
  await handle.end();
  const messages = (await collector.ended).map(({ message }) => message);
  const kinds = messages.map((message) => message.kind).join(' ');
  expect(kinds).toMatch(/^(frame )+paused resumed (frame )+ended$/);
  joinFrames(messages);
});

test('ending twice, and pausing after the end, is harmless', async () => {
  const { collector, handle } = await openCapture();
  const first = handle.end();
  expect(handle.end()).toBe(first);
  await first;
  handle.pause();
  handle.resume();
  const kinds = (await collector.ended).map(({ message }) => message.kind);
  expect(kinds.filter((kind) => kind !== 'frame')).toEqual(['ended']);
});

test('what the context holds in its buffer when pause or stop is pressed is heard', async () => {
  const { collector, handle, context } = await openCapture();
  const bufferMs = context.baseLatency * 1_000;
  const now = () => performance.timeOrigin + performance.now();
  await untilRendered(context, 0.3);
  const pausedAtMs = now();
  handle.pause();
  await collector.marked('paused');
  handle.resume();
  await collector.marked('resumed');
  const stoppedAtMs = now();
  await handle.end();
  const collected = await collector.ended;
  const cameAtMs = (kind: string) =>
    collected.find(({ message }) => message.kind === kind)?.arrivedAtMs ?? 0;
  // Clocks of two threads, and timers: rounded to a millisecond.
  expect(cameAtMs('paused') - pausedAtMs).toBeGreaterThan(bufferMs - 2);
  expect(cameAtMs('ended') - stoppedAtMs).toBeGreaterThan(bufferMs - 2);
});

test('ending while paused still marks the end', async () => {
  const { collector, handle, context } = await openCapture();
  await untilRendered(context, 0.2);
  handle.pause();
  await handle.end();
  const kinds = (await collector.ended).map(({ message }) => message.kind).join(' ');
  expect(kinds).toMatch(/^(frame )+paused ended$/);
});

test('one capture opens again and again, two at once', async () => {
  const capture = createMicrophoneCapture(watchedPorts().ports);
  await capture.preload();
  const collectors = [collectFrames(), collectFrames()];
  const handles = await Promise.all(
    collectors.map(({ framePort }) =>
      capture.open({ framePort, deviceId: null, onLost: () => {} }),
    ),
  );
  await Promise.all(handles.map((handle) => handle.end()));
  for (const { ended } of collectors) joinFrames((await ended).map(({ message }) => message));
});

test('a suspended context still flushes: what was heard is sent', async () => {
  const { watched, collector, handle, context } = await openCapture();
  await untilRendered(context, 0.3);
  await context.suspend();
  await handle.end();
  const messages = (await collector.ended).map(({ message }) => message);
  const audio = joinFrames(messages);
  expect(audio.length).toBeGreaterThan(0.2 * 16_000);
  const last = messages.at(-1);
  const inputFrames = last?.kind === 'ended' ? last.inputFrames : 0;
  expect(audio.length).toBe(Math.round((inputFrames * 16_000) / context.sampleRate));
  expect(isAllClosed(watched)).toBe(true);
});

/**
 * Chromium's fake microphones; the list, which comes late, calls the second one a Jabra, or is
 * empty.
 */
function listing(hasNone = false): MicrophoneEdge {
  const real = navigator.mediaDevices;
  return {
    getUserMedia: (constraints) => real.getUserMedia(constraints),
    async enumerateDevices() {
      const devices = hasNone ? [] : await real.enumerateDevices();
      return devices.map(({ deviceId, groupId, kind, label }) => {
        const name = label === 'Fake Audio Input 2' ? 'Jabra Speak 510' : label;
        return { deviceId, groupId, kind, label: name, toJSON: () => ({}) };
      });
    },
  };
}

exceptWebKit(
  'a list that comes after the microphone and names another one: that one takes over, and nothing is missed (WebKitGTK: its mock microphones have other names)',
  async () => {
    const { watched, collector, lost, changes, handle } = await openCapture({
      mediaDevices: listing(),
      asksForEach: false,
    });
    expect(handle.device.label).not.toContain('Input 2');
    await expect.poll(() => changes).toMatchObject([{ kind: 'chosen' }]);
    expect(handle.device.label).toBe('Fake Audio Input 2');
    const states = watched.streams.map((stream) => stream.getAudioTracks()[0]?.readyState);
    expect(states).toEqual(['ended', 'live']);
    await untilRendered(watched.contexts[0]!, 0.3);
    await handle.end();
    expect(isAllClosed(watched)).toBe(true);
    const messages = (await collector.ended).map(({ message }) => message);
    expect(messages.filter(({ kind }) => kind === 'gap')).toEqual([]);
    const last = messages.at(-1);
    const inputFrames = last?.kind === 'ended' ? last.inputFrames : 0;
    const rateHz = watched.contexts[0]!.sampleRate;
    expect(joinFrames(messages).length).toBe(Math.round((inputFrames * 16_000) / rateHz));
    expect(lost).toEqual([]);
  },
);

test.skipIf(isWebKit).each(['between two recordings', 'in the first recording'])(
  'what a list says %s is where the second one begins (WebKitGTK: its mock microphones have other names)',
  async (when) => {
    const watched = watchedPorts({ mediaDevices: listing(), asksForEach: false });
    const capture = createMicrophoneCapture(watched.ports);
    const onChange = vi.fn();
    const open = () => {
      const { port1: framePort } = new MessageChannel();
      return capture.open({ framePort, deviceId: null, onLost: () => {}, onChange });
    };
    const first = await open();
    expect(first.device.label).not.toBe('Fake Audio Input 2');
    if (when === 'in the first recording') await expect.poll(() => onChange).toHaveBeenCalled();
    await first.end();
    if (when === 'between two recordings') await capture.preload();
    const second = await open();
    expect(second.device.label).toBe('Fake Audio Input 2');
    await second.end();
  },
);

test('a list that comes after the microphone and names none ends the recording', async () => {
  const { lost, handle } = await openCapture({
    mediaDevices: listing(true),
    queryPermission: async () => 'granted',
  });
  await expect.poll(() => lost).toMatchObject([{ code: 'microphone-missing' }]);
  await handle.end();
});

test('a recording that is over before the list comes opens nothing more', async () => {
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
  const { handle } = await openCapture({ mediaDevices: listing(), clock });
  const [asking] = half;
  await handle.end();
  expect(asking).toBeDefined();
  expect(half).not.toContain(asking);
});

/** A computer whose only microphone is gone, once it has been opened. */
function onlyMicrophone(): MicrophoneEdge {
  let isGone = false;
  return {
    enumerateDevices: () => navigator.mediaDevices.enumerateDevices(),
    async getUserMedia(constraints) {
      if (isGone) throw new DOMException('none left', 'NotFoundError');
      isGone = true;
      return navigator.mediaDevices.getUserMedia(constraints);
    },
  };
}

test('the last microphone that goes away is told once, and not after the end', async () => {
  const { watched, lost, handle } = await openCapture({
    mediaDevices: onlyMicrophone(),
    clock: impatient,
  });
  const [track] = watched.streams[0]!.getAudioTracks();
  track!.dispatchEvent(new Event('ended'));
  track!.dispatchEvent(new Event('ended'));
  await expect.poll(() => lost).toHaveLength(1);
  await handle.end();
  track!.dispatchEvent(new Event('ended'));
  expect(lost.map((error) => error.code)).toEqual(['microphone-lost']);
});

test('another microphone takes over, on the same clock, and the gap is told', async () => {
  const { watched, collector, lost, changes, handle, context } = await openCapture();
  await untilRendered(context, 0.3);
  const [track] = watched.streams[0]!.getAudioTracks();
  track!.stop();
  track!.dispatchEvent(new Event('ended'));
  await expect.poll(() => changes.map(({ kind }) => kind)).toEqual(['away', 'away', 'switched']);
  await untilRendered(context, 0.5);
  await handle.end();
  expect(lost).toEqual([]);
  expect(isAllClosed(watched)).toBe(true);
  const messages = (await collector.ended).map(({ message }) => message);
  const audio = joinFrames(messages);
  // Nothing is misplaced: as many samples as the context rendered, and sound at the end again.
  const last = messages.at(-1);
  const inputFrames = last?.kind === 'ended' ? last.inputFrames : 0;
  expect(audio.length).toBe(Math.round((inputFrames * 16_000) / context.sampleRate));
  expect(audio.length).toBeGreaterThan(0.7 * 16_000);
  expect(messages.filter((message) => message.kind === 'gap')).toEqual([]);
});

test('ended while another microphone is being opened: nothing stays on', async () => {
  const { watched, changes, lost, handle } = await openCapture();
  watched.streams[0]!.getAudioTracks()[0]!.dispatchEvent(new Event('ended'));
  expect(changes).toEqual([{ kind: 'away', isAway: true }]);
  await handle.end();
  await expect.poll(() => isAllClosed(watched)).toBe(true);
  expect(lost).toEqual([]);
});

test('a microphone that the system mutes for more than a moment is told, and when it is back', async () => {
  const { watched, changes, handle } = await openCapture();
  const track = watched.streams[0]!.getAudioTracks()[0]!;
  let isMuted = true;
  Object.defineProperty(track, 'muted', { get: () => isMuted });
  track.dispatchEvent(new Event('mute'));
  await expect.poll(() => changes, { timeout: 3_000 }).toEqual([{ kind: 'muted', isMuted: true }]);
  isMuted = false;
  track.dispatchEvent(new Event('unmute'));
  expect(changes.at(-1)).toEqual({ kind: 'muted', isMuted: false });
  await handle.end();
});

exceptWebKit(
  'a microphone that went away while it was being opened is told afterwards (WebKitGTK: without a press a context may stay suspended)',
  async () => {
    const { lost, handle } = await openCapture({
      clock: impatient,
      mediaDevices: {
        enumerateDevices: () => navigator.mediaDevices.enumerateDevices(),
        async getUserMedia(constraints) {
          const stream = await navigator.mediaDevices.getUserMedia(constraints);
          for (const track of stream.getTracks()) track.stop();
          return stream;
        },
      },
    });
    await expect.poll(() => lost.map((error) => error.code)).toEqual(['microphone-lost']);
    await handle.end();
  },
);

test('a context that others close is a loss; ending afterwards does not hang', async () => {
  const { watched, lost, handle, context } = await openCapture();
  await context.close();
  await expect.poll(() => lost.map((error) => error.code)).toEqual(['audio-context-closed']);
  await handle.end();
  expect(isAllClosed(watched)).toBe(true);
});

test('our own end is no loss', async () => {
  const { lost, handle, context } = await openCapture();
  await handle.end();
  expect(context.state).toBe('closed');
  expect(lost).toEqual([]);
});

test('an interruption (iOS) is neither a loss nor resumed', async () => {
  const { lost, handle, context } = await openCapture();
  const resume = vi.spyOn(context, 'resume');
  Object.defineProperty(context, 'state', { value: 'interrupted', configurable: true });
  context.dispatchEvent(new Event('statechange'));
  Reflect.deleteProperty(context, 'state');
  await handle.end();
  expect(lost).toEqual([]);
  expect(resume).not.toHaveBeenCalled();
});

/** A worklet that says it runs; `body` is the rest of it. */
function strangeWorklet(body: string): string {
  const script = `registerProcessor('diktera-capture', class extends AudioWorkletProcessor {
    constructor() {
      super();
      this.port.onmessage = ({ data }) => {
        if (data.kind === 'connect') this.port.postMessage({ kind: 'running', contextRateHz: 1 });
        if (data.kind === 'pause') this.broken = true;
      };
    }
    process() { ${body} }
  });`;
  return blobUrl(script, 'text/javascript');
}

test('a worklet that does not answer the end delays it by half a second at most', async () => {
  const { watched, handle } = await openCapture({ workletUrl: strangeWorklet('return true;') });
  const startedAtMs = performance.now();
  await handle.end();
  expect(performance.now() - startedAtMs).toBeLessThan(1_500);
  expect(isAllClosed(watched)).toBe(true);
});

test('a worklet that throws is a loss', async () => {
  const { lost, handle } = await openCapture({
    workletUrl: strangeWorklet(`if (this.broken) throw new Error('broken'); return true;`),
  });
  handle.pause();
  await expect.poll(() => lost.map((error) => error.code)).toEqual(['audio-graph-failed']);
  await handle.end();
});
