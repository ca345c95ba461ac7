import { sleep } from '../core/async.ts';
import {
  CAPTURE_PROCESSOR_NAME,
  type CaptureProcessorOptions,
} from '../core/audio/frame-protocol.ts';
import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';
import { withDeadline } from '../platform/deadline.ts';
import { createWorkletLink } from './worklet-link.ts';

/** How long the context and the worklet may take to run: both take milliseconds where they can. */
const START_DEADLINE_MS = 5_000;

/** How long the worklet may take for its last frames, and the context to close: dead ones hang. */
const END_DEADLINE_MS = 500;

/**
 * Microphone, and a tab if wanted -> capture worklet, in a context of its own: one clock for all.
 */
export type AudioGraph = ReturnType<typeof createAudioGraph>;

/**
 * A capture worklet that hears what is attached; its script must have been added to the context.
 * With `heardAtMs` (ms since 1970) it goes on with the recording of another one that is stuck since
 * then. Throws `audio-graph-failed`.
 */
export function createAudioGraph(
  context: AudioContext,
  clock: Clock,
  resamplerModule: WebAssembly.Module,
  heardAtMs: number | null = null,
) {
  const node = createNode(context, { resamplerModule, heardAtMs });
  const link = createWorkletLink(node);
  const bufferMs = context.baseLatency * 1_000;
  const sources = new Set<AudioNode>();

  /**
   * Chromium keeps a closed context, with all that hangs on it, for as long as the page lives if its
   * worklet still had something to hear.
   */
  function hearNothing(): void {
    for (const source of sources) source.disconnect();
    sources.clear();
  }

  return {
    link,
    /** How much later than the microphone the worklet hears, at most. */
    bufferMs,
    /** Mixes a stream in; the answer takes it out again. Throws `audio-graph-failed`. */
    attach(stream: MediaStream): () => void {
      const source = orGraphError(() => context.createMediaStreamSource(stream));
      source.connect(node);
      sources.add(source);
      return () => {
        source.disconnect();
        sources.delete(source);
      };
    },
    /**
     * Throws `audio-graph-failed` unless frames can flow: context and worklet run. Without a port,
     * one is given later.
     */
    async start(framePort: MessagePort | null): Promise<void> {
      const connected = framePort && link.connect(framePort);
      const started = Promise.all([connected, runContext(context)]);
      await withDeadline(clock, started, START_DEADLINE_MS, () => {
        throw new DikteraError('audio-graph-failed', `No sound: the context is ${context.state}`);
      });
    },
    /**
     * Waits until the worklet has heard what is said now and has sent its last frames, 500 ms at most;
     * then it hears nothing any more. Never rejects.
     */
    async flush(): Promise<void> {
      if (context.state === 'closed') return;
      if (context.state === 'running') await sleep(clock, bufferMs);
      await withDeadline(clock, link.end(), END_DEADLINE_MS, () => {});
      hearNothing();
    },
    /** Takes the graph apart and closes the context, in 500 ms at most. Never rejects. */
    async close(): Promise<void> {
      hearNothing();
      // The worklet has to be asked once more, to say that it is done.
      if (context.state === 'running') await sleep(clock, 2 * bufferMs);
      node.disconnect();
      link.close();
      await closeContext(context, clock);
    },
  };
}

function createNode(
  context: AudioContext,
  processorOptions: CaptureProcessorOptions<WebAssembly.Module>,
): AudioWorkletNode {
  return orGraphError(() => {
    const node = new AudioWorkletNode(context, CAPTURE_PROCESSOR_NAME, {
      numberOfInputs: 1,
      numberOfOutputs: 1,
      outputChannelCount: [1],
      processorOptions,
    });
    // The output is silence: it is there because a node that leads nowhere is not run everywhere.
    node.connect(context.destination);
    return node;
  });
}

function orGraphError<T>(build: () => T): T {
  try {
    return build();
  } catch (cause) {
    throw new DikteraError('audio-graph-failed', 'The audio graph could not be built', { cause });
  }
}

/** Waits until the context runs. Not resumed while interrupted: iOS then never runs it again. */
async function runContext(context: AudioContext): Promise<void> {
  if (context.state === 'suspended') await context.resume();
  if (context.state === 'running') return;
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (context.state !== 'running') return;
      context.removeEventListener('statechange', look);
      resolve();
    };
    context.addEventListener('statechange', look);
  });
}

/** Closes a context, closed or dead ones too. Never rejects, and never takes over 500 ms. */
export async function closeContext(context: AudioContext, clock: Clock): Promise<void> {
  if (context.state === 'closed') return;
  const closed = context.close().catch(() => {
    // Closed by somebody else in the meantime: what was wanted.
  });
  await withDeadline(clock, closed, END_DEADLINE_MS, () => {});
}
