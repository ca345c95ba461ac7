import { assertNever } from '../src/core/assert-never.ts';
import type {
  FrameRequest,
  WorkletCommand,
  WorkletReport,
} from '../src/core/audio/frame-protocol.ts';
import { downMix } from '../src/core/audio/samples.ts';
import {
  type CapturePipeline,
  createCapturePipeline,
  createStandstillWatch,
} from './capture-pipeline.ts';
import {
  createFrameStream,
  type FramePool,
  type FrameStream,
  type PostFrame,
} from './frame-stream.ts';
import { createResampler, loadSpeex, type Resampler } from './resampler.ts';

type CaptureHostSetup = {
  /** The rate of the blocks, in Hz. */
  readonly contextRateHz: number;
  /** The compiled resampler; anything else is reported as `failed`. */
  readonly resamplerModule: unknown;
  /** Memory for frames; what the worker gives back goes in again. */
  readonly pool: FramePool;
  /** The node's own port: commands in, reports out. */
  readonly pagePort: MessagePort;
  /**
   * When another context's worklet, which is stuck, was last heard: this one goes on with its
   * recording, at the sample that the worker asks for first. Ms since 1970.
   * @default it begins a recording
   */
  readonly heardAtMs?: number | null;
  /** Ms since 1970. @default the computer's clock: an audio thread has no other */
  readonly nowMs?: () => number;
};

/** The processor without its class: takes blocks, obeys the page, feeds the worker. */
export type CaptureHost = ReturnType<typeof createCaptureHost>;

/** The render quantum: what a block without channels is taken to be long. */
const BLOCK_FRAMES = 128;

type HeldBlock = { readonly channels: readonly Float32Array[]; readonly blockFrame: number };

/**
 * Audio that comes before the resampler is awake is held back and goes first, so that the page may
 * connect the microphone at once: that is milliseconds, and needs no limit. Once recording is over,
 * the frames' port can still be replaced, for as long as the context lives.
 */
export function createCaptureHost(setup: CaptureHostSetup) {
  const { contextRateHz, pool, pagePort, nowMs = Date.now, heardAtMs = null } = setup;
  const standstill = createStandstillWatch(contextRateHz, nowMs, heardAtMs);
  let stream: FrameStream | null = null;
  let pipeline: CapturePipeline | null = null;
  /** The standstill before the pipeline was there, in input frames. */
  let gapBefore = 0;
  let connected: MessagePort | null = null;
  let held: HeldBlock[] = [];
  let isOver = false;
  let untoldFrames = 0;
  let isUntoldSilent = true;

  function report(message: WorkletReport): void {
    pagePort.postMessage(message);
  }

  /**
   * Tells the page once a second that audio comes, and at once if none did. Before the block
   * itself.
   */
  function tellHeard(channels: readonly Float32Array[]): void {
    const frames = channels[0]?.length ?? BLOCK_FRAMES;
    const unheardMs = standstill.advance(frames);
    isUntoldSilent = isUntoldSilent && isSilence(channels);
    untoldFrames += frames;
    if (unheardMs > 0) {
      untoldFrames = 0;
      const lostInputFrames = Math.round((unheardMs * contextRateHz) / 1_000);
      if (pipeline) pipeline.standStill(lostInputFrames);
      else gapBefore += lostInputFrames;
    } else if (untoldFrames >= contextRateHz) untoldFrames -= contextRateHz;
    else return;
    report({ kind: 'heard', unheardMs, isSilent: isUntoldSilent });
    isUntoldSilent = true;
  }

  /**
   * Sends the worker what there is, and tells the page; the first failure is the one that counts.
   */
  function fail(thrown: unknown): void {
    if (isOver) return;
    isOver = true;
    report({ kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) });
    try {
      pipeline?.end();
    } catch {
      // A consequence of the failure that has been reported; the worker has its mark all the same.
    }
  }

  /** Gives the stream; begins it, if it has not begun. */
  function streamFrom(startSample: number, resampler: Resampler): FrameStream {
    if (stream) return stream;
    const created = createFrameStream(pool, undefined, startSample);
    const begun = createCapturePipeline({ resampler, stream: created, startSample });
    stream = created;
    pipeline = begun;
    if (gapBefore > 0) begun.standStill(gapBefore);
    for (const { channels, blockFrame } of held) begun.push(channels, blockFrame);
    held = [];
    tellBegun();
    return created;
  }

  function connect(framePort: MessagePort, resampler: Resampler): void {
    const isFirst = connected === null && heardAtMs === null;
    connected?.close();
    connected = framePort;
    stream?.halt();
    const post: PostFrame = (message, transfer) => framePort.postMessage(message, transfer);
    framePort.onmessage = ({ data }: MessageEvent<FrameRequest>) => {
      if (data.kind === 'recycle') {
        for (const buffer of data.buffers) pool.give(buffer);
        // A context that is suspended has no blocks to go on with.
        stream?.pump();
        return;
      }
      const asked = streamFrom(data.fromSample, resampler);
      asked.sendFrom(data.fromSample, post);
      if (isOver) asked.flush();
    };
    if (!isFirst) return;
    streamFrom(0, resampler).sendFrom(0, post);
    report({ kind: 'running', contextRateHz });
  }

  function obey(command: Exclude<WorkletCommand<MessagePort>, { kind: 'connect' }>): void {
    switch (command.kind) {
      case 'pause':
        pipeline?.pause();
        break;
      case 'resume':
        pipeline?.resume();
        break;
      case 'end':
        pipeline?.end();
        isOver = true;
        report({ kind: 'ended' });
        break;
      default:
        assertNever(command);
    }
  }

  let tellBegun = (): void => {};
  const begun = new Promise<void>((resolve) => {
    tellBegun = resolve;
  });
  const ready = prepare(setup.resamplerModule, contextRateHz).then((resampler) => {
    if (heardAtMs === null) streamFrom(0, resampler);
    return resampler;
  });
  ready.catch(fail);
  pagePort.onmessage = ({ data }: MessageEvent<WorkletCommand<MessagePort>>) => {
    // Callbacks of one promise run in the order in which they were added: so do commands.
    const done =
      data.kind === 'connect'
        ? ready.then((resampler) => connect(data.framePort, resampler))
        : ready.then(() => begun).then(() => obey(data));
    done.catch(fail);
  };

  return {
    /** Takes a block (see `CapturePipeline.push`). False once nothing more will ever be sent. */
    process(channels: readonly Float32Array[], blockFrame: number): boolean {
      if (isOver) return false;
      try {
        tellHeard(channels);
        if (pipeline !== null) pipeline.push(channels, blockFrame);
        else if (channels.length > 0) held.push({ channels: [mixed(channels)], blockFrame });
      } catch (error) {
        fail(error);
      }
      return !isOver;
    },
  };
}

async function prepare(module: unknown, rateHz: number): Promise<Resampler> {
  if (!(module instanceof WebAssembly.Module)) {
    throw new TypeError('processorOptions.resamplerModule is not a WebAssembly.Module');
  }
  return createResampler(await loadSpeex(module), rateHz);
}

/** Nothing but zeros: any sound, and any noise, says no at its first samples. */
function isSilence(channels: readonly Float32Array[]): boolean {
  // By index: an iterator over samples makes garbage.
  for (let channel = 0; channel < channels.length; channel++) {
    const samples = channels[channel];
    for (let i = 0; samples && i < samples.length; i++) if (samples[i] !== 0) return false;
  }
  return true;
}

/** A copy: the browser uses a block's memory again. */
function mixed(channels: readonly Float32Array[]): Float32Array {
  const frames = channels[0]?.length ?? 0;
  const mono = new Float32Array(frames);
  downMix(channels, 0, frames, mono);
  return mono;
}
