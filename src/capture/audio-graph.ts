import { assertNever } from '../core/assert-never.ts';
import { createDeferred, sleep } from '../core/async.ts';
import {
  CAPTURE_PROCESSOR_NAME,
  type CaptureProcessorOptions,
  type WorkletCommand,
  type WorkletReport,
} from '../core/audio/frame-protocol.ts';
import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';
import { withDeadline } from '../platform/deadline.ts';
import { addWorkletModule } from './capture-assets.ts';
import type { CapturePorts } from './capture-ports.ts';

/** The context and the worklet must run by then: both take milliseconds where they can. */
const START_DEADLINE_MS = 5_000;

/** The longest wait for the last frames, and for the context to close: dead ones hang. */
const END_DEADLINE_MS = 500;

export type AudioGraph = ReturnType<typeof createAudioGraph>;

/** A graph, and the context that it runs in. */
export type GraphInContext = { readonly context: AudioContext; readonly graph: AudioGraph };

/**
 * A capture worklet, fed by the streams that are attached: microphone and tab in one context, so on
 * one clock. Its script must have been added to the context. With `heardAtMs` (ms since 1970) it
 * goes on with the recording of another one that is stuck since then. Throws `audio-graph-failed`.
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
    /** The worklet hears at most so much later than the microphone. */
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
    // The output is silence; but not every browser runs a node that leads nowhere.
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
    const check = (): void => {
      if (context.state !== 'running') return;
      context.removeEventListener('statechange', check);
      resolve();
    };
    context.addEventListener('statechange', check);
  });
}

/** Closes a context, closed or dead ones too. Never rejects, and never takes over 500 ms. */
export async function closeContext(context: AudioContext, clock: Clock): Promise<void> {
  if (context.state === 'closed') return;
  const closed = context.close().catch(() => {
    // Somebody else has closed it in the meantime.
  });
  await withDeadline(clock, closed, END_DEADLINE_MS, () => {});
}

/**
 * A graph in a context of its own that runs, for a recording whose context is stuck since
 * `heardAtMs` (ms since 1970). Null if there can't be one now, which is logged; then nothing stays
 * open. Never rejects.
 */
export async function rebuildGraph(
  ports: CapturePorts,
  resamplerModule: WebAssembly.Module,
  heardAtMs: number,
): Promise<GraphInContext | null> {
  const { clock, log, workletUrl } = ports;
  let context: AudioContext | null = null;
  try {
    context = ports.createContext();
    await addWorkletModule(context, workletUrl, clock);
    const graph = createAudioGraph(context, clock, resamplerModule, heardAtMs);
    await graph.start(null);
    return { context, graph };
  } catch (error) {
    log.warn('The audio graph could not be built anew', error);
    if (context) await closeContext(context, clock);
    return null;
  }
}

export type WorkletLink = ReturnType<typeof createWorkletLink>;

/** The page's end of the capture worklet; `node` must be a capture processor. */
export function createWorkletLink(node: AudioWorkletNode) {
  const running = createDeferred();
  const ended = createDeferred();
  const failed = createDeferred<DikteraError>();
  let heard: (unheardMs: number, isSilent: boolean) => void = () => {};
  // Nobody need be waiting when it fails.
  running.promise.catch(() => {});

  function fail(message: string): void {
    const error = new DikteraError('audio-graph-failed', message);
    running.reject(error);
    failed.resolve(error);
    ended.resolve();
  }

  // By attribute, since Chromium names the event 'error' and not 'processorerror'.
  node.onprocessorerror = (event) => {
    fail(`The capture worklet threw: ${event.message ?? event.type}`);
  };
  node.port.onmessage = ({ data }: MessageEvent<WorkletReport>) => {
    switch (data.kind) {
      case 'running':
        running.resolve();
        break;
      case 'heard':
        heard(data.unheardMs, data.isSilent);
        break;
      case 'ended':
        ended.resolve();
        break;
      case 'failed':
        fail(`The capture worklet failed: ${data.message}`);
        break;
      default:
        assertNever(data);
    }
  };

  function send(command: WorkletCommand<MessagePort>, transfer: Transferable[] = []): void {
    node.port.postMessage(command, transfer);
  }

  return {
    /**
     * Hands the frames' port over for good; fulfilled when the worklet runs, rejected if it fails.
     */
    connect(framePort: MessagePort): Promise<void> {
      send({ kind: 'connect', framePort }, [framePort]);
      return running.promise;
    },
    /** Hands another worker's port over; that worker asks for what it wants to have again. */
    reconnect: (framePort: MessagePort) => send({ kind: 'connect', framePort }, [framePort]),
    pause: () => send({ kind: 'pause' }),
    resume: () => send({ kind: 'resume' }),
    /** Flushes and ends; fulfilled when all frames are on their way, or the worklet has failed. */
    end(): Promise<void> {
      send({ kind: 'end' });
      return ended.promise;
    },
    /**
     * Sets the listener for each second of audio: for how long none came before it, and if it was
     * nothing but zeros.
     */
    onHeard(listener: (unheardMs: number, isSilent: boolean) => void) {
      heard = listener;
    },
    /** Nothing more is said or heard. */
    close() {
      node.onprocessorerror = null;
      node.port.onmessage = null;
      node.port.close();
    },
    /** Fulfilled if the worklet ever fails. */
    failed: failed.promise,
  };
}
