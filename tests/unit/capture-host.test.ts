import { afterEach, describe, expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type {
  FrameMessage,
  FrameRequest,
  WorkletCommand,
  WorkletReport,
} from '../../src/core/audio/frame-protocol.ts';
import { type CaptureHost, createCaptureHost } from '../../worklets/capture-host.ts';
import { createFramePool } from '../../worklets/frame-stream.ts';
import { joinFrames } from '../helpers/join-frames.ts';
import { RESAMPLER_MODULE } from '../helpers/speex.ts';
import { tone } from '../helpers/tones.ts';

/** Messages of a port, to be waited for. */
function inbox<T>(port: MessagePort): { messages: T[]; until(kind: string): Promise<void> } {
  const messages: T[] = [];
  let check = () => {};
  port.onmessage = ({ data }) => {
    messages.push(data);
    check();
  };
  return {
    messages,
    until: (kind) =>
      new Promise((resolve) => {
        check = () => {
          if (messages.some((message) => (message as { kind: string }).kind === kind)) resolve();
        };
        check();
      }),
  };
}

const open: MessagePort[] = [];
afterEach(() => {
  for (const port of open.splice(0)) port.close();
});

function newHost(resamplerModule: unknown = RESAMPLER_MODULE, nowMs: () => number = () => 0) {
  const page = new MessageChannel();
  const worker = new MessageChannel();
  open.push(page.port1, page.port2, worker.port1, worker.port2);
  const pool = createFramePool(16);
  const host = createCaptureHost({
    contextRateHz: 48_000,
    resamplerModule,
    pool,
    pagePort: page.port2,
    nowMs,
  });
  return {
    host,
    pool,
    reports: inbox<WorkletReport>(page.port1),
    frames: inbox<FrameMessage>(worker.port1),
    workerPort: worker.port1,
    pagePort: page.port1,
    send(command: Exclude<WorkletCommand<MessagePort>, { kind: 'connect' }>) {
      page.port1.postMessage(command);
    },
    connect() {
      const command: WorkletCommand<MessagePort> = { kind: 'connect', framePort: worker.port2 };
      page.port1.postMessage(command, [worker.port2]);
    },
  };
}

/** Feeds `input` in blocks of 128, the clock going on from `fromFrame`. */
function play(host: CaptureHost, input: Float32Array, fromFrame = 0): void {
  for (let at = 0; at < input.length; at += 128) {
    host.process([input.slice(at, at + 128)], fromFrame + at);
  }
}

test('audio from before the port is there is sent first, and none is lost', async () => {
  const { host, reports, frames, send, connect } = newHost();
  const input = tone(200, 48_000, 9_600);
  play(host, input.subarray(0, 4_864));
  connect();
  await reports.until('running');
  play(host, input.subarray(4_864), 4_864);
  send({ kind: 'end' });
  await reports.until('ended');
  await frames.until('ended');
  expect(reports.messages).toEqual([{ kind: 'running', contextRateHz: 48_000 }, { kind: 'ended' }]);
  const audio = joinFrames(frames.messages);
  const expected = tone(200, 16_000, 3_200);
  expect(audio).toHaveLength(3_200);
  // Where the filter sees the tone on both sides.
  const middle = [...audio.subarray(100, 3_100)];
  expect(middle.every((value, i) => Math.abs(value - expected[100 + i]!) < 0.001)).toBe(true);
});

describe('the page is told', () => {
  test('of each second of audio, recorded or not, with a microphone or without', async () => {
    const { host, reports, send, connect } = newHost();
    connect();
    await reports.until('running');
    play(host, new Float32Array(48_000).fill(0, 0, 47_000).fill(0.001, 47_000));
    send({ kind: 'pause' });
    for (let block = 0; block < 375; block += 1) host.process([], 48_000 + block * 128);
    for (const level of [0, 0.001, 0]) play(host, new Float32Array(48_000).fill(level), 96_000);
    send({ kind: 'end' });
    await reports.until('ended');
    const heard = reports.messages.filter((report) => report.kind === 'heard');
    expect(heard.map(({ isSilent }) => isSilent)).toEqual([false, true, true, false, true]);
    expect(heard.map(({ unheardMs }) => unheardMs)).toEqual([0, 0, 0, 0, 0]);
  });

  test('at once of a standstill, whose gap is marked where it was, and not in a pause', async () => {
    let nowMs = 0;
    const { host, reports, frames, send, connect } = newHost(RESAMPLER_MODULE, () => nowMs);
    const playOn = (frameCount: number, fromFrame: number) => {
      for (let at = 0; at < frameCount; at += 128) {
        host.process([new Float32Array(128)], fromFrame + at);
        nowMs += 128 / 48;
      }
    };
    connect();
    await reports.until('running');
    playOn(24_960, 0);
    nowMs += 12_000;
    // The context's own clock stood still with it.
    playOn(9_600, 24_960);
    await reports.until('heard');
    send({ kind: 'pause' });
    await frames.until('paused');
    nowMs += 5_000;
    playOn(9_600, 34_560);
    send({ kind: 'end' });
    await frames.until('ended');
    const heard = reports.messages.filter((report) => report.kind === 'heard');
    expect(heard.map(({ unheardMs }) => Math.round(unheardMs / 100))).toEqual([120, 50]);
    const gaps = frames.messages.filter((message) => message.kind === 'gap');
    expect(gaps).toHaveLength(1);
    expect(gaps[0]!.lostInputFrames).toBe(Math.round(heard[0]!.unheardMs * 48));
    expect(gaps[0]!.atSample).toBeGreaterThanOrEqual(8_320);
    expect(gaps[0]!.atSample).toBeLessThanOrEqual(8_320 + 1_600);
    expect(joinFrames(frames.messages)).toHaveLength(11_520);
  });
});

test('commands are obeyed in order, even those sent before the resampler is ready', async () => {
  const { host, frames, send, connect } = newHost();
  connect();
  send({ kind: 'pause' });
  send({ kind: 'resume' });
  send({ kind: 'end' });
  await frames.until('ended');
  expect(frames.messages.map((message) => message.kind)).toEqual(['paused', 'resumed', 'ended']);
  expect(host.process([new Float32Array(128)], 0)).toBe(false);
});

test('memory that the worker gives back goes into the pool', async () => {
  const { host, pool, reports, frames, connect, workerPort } = newHost();
  connect();
  await reports.until('running');
  play(host, new Float32Array(FRAME_SAMPLES * 3 * 4));
  await frames.until('frame');
  // The fourth is not full: the filter holds its end back.
  expect(pool.freeFrames).toBe(13);
  const [first] = frames.messages;
  const { buffer } = first?.kind === 'frame' ? first.pcm : new Int16Array(0);
  // A buffer that is no frame's is refused.
  const short = new ArrayBuffer(40);
  workerPort.postMessage({ kind: 'recycle', buffers: [buffer, short] }, [buffer as ArrayBuffer]);
  await expect.poll(() => pool.freeFrames).toBe(14);
  expect(pool.take()).toHaveLength(FRAME_SAMPLES);
});

test('what is no resampler is reported, not silent', async () => {
  const { host, reports, send, connect } = newHost('not a module');
  connect();
  await reports.until('failed');
  expect(host.process([new Float32Array(128)], 0)).toBe(false);
  send({ kind: 'end' });
  expect(reports.messages).toHaveLength(1);
});

test('a WASM module of another kind is reported', async () => {
  const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  const { reports } = newHost(empty);
  await reports.until('failed');
  expect(reports.messages[0]?.kind).toBe('failed');
});

test('an exception inside a block is reported, and what was heard is sent and ended', async () => {
  const { host, reports, frames, connect } = newHost();
  connect();
  await reports.until('running');
  play(host, new Float32Array(4_800));
  const broken = new Proxy([new Float32Array(128)], {
    get(target, key) {
      if (key === '0') throw new Error('a broken block');
      return Reflect.get(target, key);
    },
  });
  expect(host.process(broken, 4_800)).toBe(false);
  await reports.until('failed');
  await frames.until('ended');
  expect(reports.messages.at(-1)).toEqual({ kind: 'failed', message: 'a broken block' });
  expect(joinFrames(frames.messages)).toHaveLength(1_600);
});

test('a second end marks nothing', async () => {
  const { reports, frames, send, connect } = newHost();
  connect();
  send({ kind: 'end' });
  send({ kind: 'end' });
  await frames.until('ended');
  await expect.poll(() => reports.messages).toHaveLength(3);
  expect(reports.messages.map((report) => report.kind)).toEqual(['running', 'ended', 'ended']);
  expect(frames.messages).toHaveLength(1);
});

/** Another worker's port, which takes the place of the one before. */
function replace(pagePort: MessagePort) {
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  const frames = inbox<FrameMessage>(port1);
  const command: WorkletCommand<MessagePort> = { kind: 'connect', framePort: port2 };
  pagePort.postMessage(command, [port2]);
  return {
    frames,
    replay(fromSample: number) {
      const request: FrameRequest = { kind: 'replay', fromSample };
      port1.postMessage(request);
    },
  };
}

const FRAME_AT_48_KHZ = FRAME_SAMPLES * 3;

test('another port gets nothing until it asks, then all from there on, live and after the end', async () => {
  const { host, reports, frames, send, connect, pagePort } = newHost();
  connect();
  await reports.until('running');
  const input = tone(200, 48_000, FRAME_AT_48_KHZ * 6);
  play(host, input.subarray(0, FRAME_AT_48_KHZ * 3));
  await expect.poll(() => frames.messages).toHaveLength(2);
  const second = replace(pagePort);
  send({ kind: 'pause' });
  send({ kind: 'resume' });
  await new Promise((resolve) => setTimeout(resolve, 0));
  second.replay(FRAME_SAMPLES);
  await second.frames.until('resumed');
  play(host, input.subarray(FRAME_AT_48_KHZ * 3), FRAME_AT_48_KHZ * 3);
  send({ kind: 'end' });
  await second.frames.until('ended');
  expect(frames.messages, 'the first port gets no more').toHaveLength(2);
  expect(host.process([new Float32Array(128)], 0)).toBe(false);

  const third = replace(pagePort);
  third.replay(0);
  await third.frames.until('ended');
  const whole = joinFrames(third.frames.messages);
  expect(whole).toHaveLength(FRAME_SAMPLES * 6);
  const fromSecond = second.frames.messages;
  expect(fromSecond.map(({ kind }) => kind).join(' ')).toBe(
    'frame frame paused resumed frame frame frame ended',
  );
  expect(third.frames.messages.slice(1)).toEqual(fromSecond);
  expect(third.frames.messages[0]).toEqual(frames.messages[0]);
});
