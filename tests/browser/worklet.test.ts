import { describe, expect, test } from 'vitest';
import { addWorkletModule, fetchWasm } from '../../src/capture/capture-assets.ts';
import { browserCapturePorts } from '../../src/capture/capture-ports.ts';
import {
  CAPTURE_PROCESSOR_NAME,
  type FrameMessage,
  type WorkletCommand,
  type WorkletReport,
} from '../../src/core/audio/frame-protocol.ts';
import { collectFrames, type FrameCollector } from '../helpers/collect-frames.ts';
import { exceptFirefox, isFirefox } from '../helpers/engine.ts';
import { joinFrames } from '../helpers/join-frames.ts';
import { measureTone, toDb, tone } from '../helpers/tones.ts';

const RATES_HZ = [8_000, 16_000, 44_100, 48_000, 96_000];
const { workletUrl, resamplerUrl, clock } = browserCapturePorts();

/** A worklet of the real script in an offline context, which plays `channels` to it. */
async function newOffline(
  rateHz: number,
  channels: readonly Float32Array[],
  { repetitions = 1 } = {},
) {
  const frames = channels[0]!.length;
  const context = new OfflineAudioContext(1, frames * repetitions, rateHz);
  await addWorkletModule(context, workletUrl, clock);
  const node = new AudioWorkletNode(context, CAPTURE_PROCESSOR_NAME, {
    processorOptions: { resamplerModule: await fetchWasm(resamplerUrl) },
  });
  const buffer = new AudioBuffer({
    numberOfChannels: channels.length,
    length: frames,
    sampleRate: rateHz,
  });
  channels.forEach((channel, i) => {
    buffer.copyToChannel(Float32Array.from(channel), i);
  });
  const source = new AudioBufferSourceNode(context, { buffer, loop: repetitions > 1 });
  source.connect(node).connect(context.destination);
  source.start();

  const reports: WorkletReport[] = [];
  node.port.onmessage = ({ data }: MessageEvent<WorkletReport>) => reports.push(data);
  const collector = collectFrames();
  const { framePort, marked, ended } = collector;
  function send(command: WorkletCommand<MessagePort>, transfer: Transferable[] = []): void {
    node.port.postMessage(command, transfer);
  }
  send({ kind: 'connect', framePort }, [framePort]);
  function replace(replayFrom: number): FrameCollector {
    const next = collectFrames(replayFrom);
    send({ kind: 'connect', framePort: next.framePort }, [next.framePort]);
    return next;
  }

  return {
    context,
    collector,
    replace,
    reports,
    marked,
    send,
    /** Ends the worklet and gives what the worker got. */
    async finish(): Promise<FrameMessage[]> {
      send({ kind: 'end' });
      return (await ended).map(({ message }) => message);
    },
  };
}

describe.each(RATES_HZ)('in a context at %i Hz', (rateHz) => {
  test('stereo becomes 16 kHz mono frames in a worker, complete to the last sample', async () => {
    const left = tone(1_000, rateHz, rateHz * 2);
    const right = new Float32Array(left.length);
    const { context, reports, finish } = await newOffline(rateHz, [left, right]);
    await context.startRendering();
    const messages = await finish();

    // Rendering is in whole blocks of 128: what lies behind the end is silence.
    const blocks = Math.ceil(left.length / 128) * 128;
    const expected = Math.round((blocks * 16_000) / rateHz);
    expect(messages.at(-1)).toEqual({ kind: 'ended', atSample: expected, inputFrames: blocks });
    expect(messages.some((message) => message.kind === 'gap')).toBe(false);
    const audio = joinFrames(messages);
    expect(audio).toHaveLength(expected);
    const { amplitude, phaseSamples } = measureTone(audio.subarray(1_600, 30_400), 1_000, 16_000);
    expect(Math.abs(toDb(amplitude / 0.5))).toBeLessThan(0.1);
    expect(Math.abs(phaseSamples)).toBeLessThan(0.001);
    const told = (...kinds: readonly string[]) =>
      reports.filter(({ kind }) => kinds.includes(kind));
    await expect
      .poll(() => told('running', 'ended'))
      .toEqual([{ kind: 'running', contextRateHz: rateHz }, { kind: 'ended' }]);
    // One for each second.
    expect(told('heard')).toEqual(Array(2).fill({ kind: 'heard', unheardMs: 0, isSilent: false }));
    expect(reports).toHaveLength(4);
  });
});

test.each([44_100, 48_000])(
  'ten minutes at %i Hz have not moved by a thousandth of a sample',
  async (rateHz) => {
    const minutes = 10;
    const second = [tone(1_000, rateHz, rateHz)];
    const { context, collector, finish } = await newOffline(rateHz, second, {
      repetitions: minutes * 60,
    });
    // Else it would hear only at the end who takes the frames. Firefox hears at once.
    const connected = isFirefox ? Promise.resolve() : context.suspend(1);
    const rendered = context.startRendering();
    await connected;
    await expect.poll(() => collector.got.length).toBeGreaterThan(0);
    if (!isFirefox) await context.resume();
    await rendered;
    const messages = await finish();
    expect(messages.some((message) => message.kind === 'gap')).toBe(false);
    const audio = joinFrames(messages);
    const blocks = Math.ceil((minutes * 60 * rateHz) / 128) * 128;
    expect(audio).toHaveLength(Math.round((blocks * 16_000) / rateHz));
    for (let second = 1; second < minutes * 60 - 1; second += 1) {
      const { phaseSamples } = measureTone(
        audio.subarray(second * 16_000, (second + 1) * 16_000),
        1_000,
        16_000,
      );
      expect(Math.abs(phaseSamples), `second ${second}`).toBeLessThan(0.001);
    }
  },
  60_000,
);

exceptFirefox(
  'pause and resume in the middle leave out exactly what was played between (Firefox: an offline context cannot be suspended)',
  async () => {
    const rateHz = 48_000;
    const { context, marked, send, finish } = await newOffline(rateHz, [
      new Float32Array(rateHz * 3).fill(0.5),
    ]);
    // A suspended context hears commands, and stands exactly where it was told to.
    const commandAt = async (seconds: number, kind: 'pause' | 'resume') => {
      await context.suspend(seconds);
      send({ kind });
      await marked(`${kind}d`);
      await context.resume();
    };
    const commands = [commandAt(1.2, 'pause'), commandAt(2, 'resume')];
    await Promise.all([context.startRendering(), ...commands]);
    const messages = await finish();

    const marks = messages.filter((message) => message.kind !== 'frame');
    expect(marks).toEqual([
      { kind: 'paused', atSample: 19_200 },
      { kind: 'resumed', atSample: 19_200 },
      { kind: 'ended', atSample: 35_200, inputFrames: 105_600 },
    ]);
    expect(joinFrames(messages)).toHaveLength(35_200);
  },
);

/** Audio that says where it is: a slow rise, which any filter follows. */
function ramp(frames: number): Float32Array {
  return Float32Array.from({ length: frames }, (_, i) => i / frames);
}

exceptFirefox(
  'a worker that is killed is replaced: put together, not a sample is missing or doubled (Firefox: an offline context cannot be suspended)',
  async () => {
    const rateHz = 48_000;
    const input = [ramp(rateHz * 4)];
    const undisturbed = await newOffline(rateHz, input);
    await undisturbed.context.startRendering();
    const expected = joinFrames(await undisturbed.finish());

    const { context, collector, replace, send } = await newOffline(rateHz, input);
    // Paused and killed at 1 s, replaced at 2.5 s.
    const done = [1, 2.5].map((seconds) => context.suspend(seconds));
    const rendered = context.startRendering();
    await done[0];
    send({ kind: 'pause' });
    send({ kind: 'resume' });
    await collector.marked('resumed');
    collector.kill();
    await context.resume();
    await done[1];
    // The last two frames of the first, and what followed them, were not written down.
    const frames = collector.got.filter(({ kind }) => kind === 'frame');
    const written = frames.slice(0, -2);
    const end = written.reduce(
      (sum, message) => sum + (message.kind === 'frame' ? message.pcm.length : 0),
      0,
    );
    const second = replace(end);
    // Suspended, it hears all there is; then it goes on live.
    await expect.poll(() => joinFrames([...written, ...second.got]).length).toBeGreaterThan(37_000);
    await context.resume();
    await rendered;
    send({ kind: 'end' });
    await second.marked('ended');
    const messages = [...written, ...second.got];
    const audio = joinFrames(messages);
    expect(audio).toHaveLength(expected.length);
    // A pause ends what the filter has under way; away from it the audio is the same to the bit.
    const pausedAt = messages.find(({ kind }) => kind === 'paused');
    const at = pausedAt?.kind === 'paused' ? pausedAt.atSample : 0;
    expect(at).toBe(16_000);
    expect(audio.slice(0, at - 100)).toEqual(expected.slice(0, at - 100));

    // It is over, and yet a third one can have it all.
    const third = replace(0);
    await third.marked('ended');
    expect(joinFrames(third.got)).toEqual(audio);
    third.kill();
  },
);
