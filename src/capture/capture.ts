import { sleep } from '../core/async.ts';
import type { CaptureHandle, CapturePort, CaptureRequest } from '../core/contracts/capture-port.ts';
import { DikteraError } from '../core/errors.ts';
import { chooseMicrophone, isPreferredMicrophone } from '../core/session/microphone-choice.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import {
  closeContext,
  createAudioGraph,
  type GraphInContext,
  rebuildGraph,
} from './audio-graph.ts';
import { addWorkletModule, fetchWasm, warmCache } from './capture-assets.ts';
import { browserCapturePorts, type CapturePorts } from './capture-ports.ts';
import { watchLiveness } from './liveness.ts';
import {
  createMicrophoneManager,
  type ManagerRequest,
  type MicrophoneInGraph,
} from './microphone-manager.ts';
import { listMicrophones, stopStream } from './microphones.ts';
import { openBestMicrophone, openMicrophone } from './open-microphone.ts';
import { holdScreen } from './screen-hold.ts';
import { type MixedTab, mixIn, openTabSound } from './tab-sound.ts';

/** The list comes after the microphone of an early press, as it costs Chromium a process. */
const LIST_AFTER_MS = 50;

/** The browser's list of microphones, read before one is asked for. */
type Known = {
  /** The microphone to open first; null for the browser's own. */
  readonly likelyId: string | null;
  /** The list was empty: the browser is asked again before one is heard. */
  readonly isNone: boolean;
};

/** Opens microphones with the browser's own means, or with those given. */
export function createMicrophoneCapture(
  ports: CapturePorts = browserCapturePorts(),
): CapturePort<MessagePort> {
  let compiling: Promise<WebAssembly.Module> | null = null;

  /** The compiled resampler, fetched once; a failure is not kept, so the next call tries again. */
  function resamplerModule(): Promise<WebAssembly.Module> {
    compiling ??= fetchWasm(ports.resamplerUrl).catch((error) => {
      compiling = null;
      throw error;
    });
    return compiling;
  }

  let known: Known = {
    likelyId: ports.asksForEach ? ports.remembered.read() : null,
    isNone: false,
  };
  let isOpening = false;
  /** This one was asked for by id and another came: the person, or the computer, wants another. */
  let passedOverId: string | null = null;

  /** The id to open first; none where it would be asked for, though another one may be allowed. */
  function likelyOf(device: MicrophoneDevice | null): string | null {
    if (device === null || device.deviceId === passedOverId) return null;
    const isWorthAsking = !ports.asksForEach || isPreferredMicrophone(device);
    // Nameless before permission: an empty id says nothing.
    return (isWorthAsking && device.deviceId) || null;
  }

  async function readMicrophones(): Promise<void> {
    await sleep(ports.clock, LIST_AFTER_MS);
    if (!ports.mediaDevices || isOpening) return;
    const list = await listMicrophones(ports.mediaDevices, ports.clock).catch(() => null);
    if (list === null) return;
    // Where each is asked for by itself, a list without names says nothing against the remembered.
    const before = ports.asksForEach ? known.likelyId : null;
    known = { likelyId: likelyOf(chooseMicrophone(list)) ?? before, isNone: list.length === 0 };
  }

  /** Only one that was allowed is remembered: to ask for it alone is to ask for what was picked. */
  function heard(device: MicrophoneDevice, askedId: string | null): void {
    ports.remembered.write(isPreferredMicrophone(device) ? device.deviceId : null);
    if (askedId === null || device.deviceId === askedId) return;
    passedOverId = askedId;
    known = { ...known, likelyId: null };
  }

  return {
    async preload() {
      await Promise.allSettled([
        resamplerModule(),
        warmCache(ports.workletUrl),
        // Asks nobody for anything, and wakes the browser's audio service: 40 to 60 ms in Chromium.
        readMicrophones(),
      ]);
    },
    async open(request) {
      isOpening = true;
      const isOurChoice = request.deviceId === null && !request.stream;
      const { likelyId } = known;
      const onWanted = (device: MicrophoneDevice): void => {
        if (isOurChoice) known = { likelyId: likelyOf(device), isNone: false };
      };
      try {
        const handle = await openCapture(ports, resamplerModule, known, { ...request, onWanted });
        if (isOurChoice && ports.asksForEach) heard(handle.device, likelyId);
        return handle;
      } finally {
        isOpening = false;
      }
    },
  };
}

/** Everything that can be under way at once is: the wait is that for the microphone alone. */
async function openCapture(
  ports: CapturePorts,
  resamplerModule: () => Promise<WebAssembly.Module>,
  { likelyId, isNone }: Known,
  request: CaptureRequest<MessagePort> & ManagerRequest,
): Promise<CaptureHandle<MessagePort>> {
  // The dialog for tabs needs the user's own click, so it comes before everything.
  const tab = request.tabSound ? openTabSound(ports.mediaDevices, ports.log) : null;
  // Asked for first, so that the browser sees to the microphone while making a context blocks us.
  const open = isNone && !request.stream ? openBestMicrophone : openMicrophone;
  const microphone = open(ports, request.deviceId, likelyId, request.stream);
  // Looked at below, and maybe not at once.
  for (const early of [microphone, tab]) early?.catch(() => {});
  let context: AudioContext | null = null;
  try {
    if (ports.pressAnswered) await ports.pressAnswered();
    // Before any other wait: some browsers let only a context run that was made in the click.
    context = createContext(ports);
    // The script before the resampler: the browser starts its audio anew once the script is there.
    const scripted = addWorkletModule(context, ports.workletUrl, ports.clock);
    const [opened, tabSound, module] = await Promise.all([
      microphone,
      tab,
      resamplerModule(),
      scripted,
    ]);
    const graph = createAudioGraph(context, ports.clock, module);
    // Attached before the start: what is heard until the worklet runs is held for it.
    const detach = graph.attach(opened.stream);
    const mixed = tabSound && mixIn(graph, ports.clock, tabSound);
    await graph.start(request.framePort);
    const running = {
      context,
      graph,
      microphone: opened,
      detach,
      tab: mixed,
      resamplerModule: module,
    };
    return createCaptureHandle(ports, running, request);
  } catch (error) {
    // The prompt may still be open: a microphone that comes too late is let go.
    for (const late of [microphone, tab]) {
      late?.then(({ stream }) => stopStream(stream)).catch(() => {});
    }
    request.framePort.close();
    if (context !== null) await closeContext(context, ports.clock);
    throw error;
  }
}

function createContext(ports: CapturePorts): AudioContext {
  try {
    return ports.createContext();
  } catch (cause) {
    throw new DikteraError('audio-graph-failed', 'No audio context could be made', { cause });
  }
}

/**
 * By then the first frames have been inferred; a list, or a lock, would be in their way, and in a
 * new worker's.
 */
const SETTLED_AFTER_MS = 500;

/** A capture that runs. */
type RunningCapture = MicrophoneInGraph & {
  readonly tab: MixedTab | null;
  /** For another graph, if this one gets stuck. */
  readonly resamplerModule: WebAssembly.Module;
};

/**
 * Keeps a running capture going until it is ended: its microphone, its sound, the screen's light.
 */
function createCaptureHandle(
  ports: CapturePorts,
  running: RunningCapture,
  request: CaptureRequest<MessagePort> & ManagerRequest,
): CaptureHandle<MessagePort> {
  const { clock } = ports;
  const { context, tab } = running;
  let { graph } = running;
  const tell = request.onChange ?? (() => {});
  const manager = createMicrophoneManager(ports, running, { ...request, tell });
  const liveness = watchLiveness({
    clock,
    context,
    link: graph.link,
    tell,
    page: ports.screen.page,
    isMuted: () => manager.isMuted,
    renewMicrophone: manager.renew,
    rebuild: (heardAtMs, isStillWanted) => void rebuild(heardAtMs, isStillWanted),
  });
  const screen = holdScreen(ports.screen);
  let stopping: Promise<void> | null = null;
  let isPaused = false;
  let isRebuilding = false;
  let ending: Promise<void> | null = null;
  tab?.onEnded(() => tell({ kind: 'tab-sound-ended' }));
  const cancelSettled = clock.after(SETTLED_AFTER_MS, () => {
    void manager.checkChoice();
    screen.hold();
  });

  /**
   * The context is stuck: another one goes on with the recording, where the worker says that it
   * ends.
   */
  async function rebuild(heardAtMs: number, isStillWanted: () => boolean): Promise<void> {
    if (isRebuilding) return;
    isRebuilding = true;
    const next = await rebuildGraph(ports, running.resamplerModule, heardAtMs);
    isRebuilding = false;
    if (next === null) return;
    if (stopping || !isStillWanted() || !manager.moveTo(next)) return next.graph.close();
    moveTo(next);
  }

  function moveTo(next: GraphInContext): void {
    const before = graph;
    graph = next.graph;
    tab?.alsoIn(graph);
    if (isPaused) graph.link.pause();
    liveness.moveTo({ context: next.context, link: graph.link });
    request.onRebuilt?.();
    void before.close();
  }

  async function stop(): Promise<void> {
    cancelSettled();
    manager.leave();
    liveness.end();
    screen.end();
    tab?.leave();
    await graph.flush();
    manager.letGo();
    if (tab !== null) stopStream(tab.stream);
  }

  function stopOnce(): Promise<void> {
    stopping ??= stop();
    return stopping;
  }

  return {
    get device() {
      return manager.device;
    },
    pause() {
      isPaused = true;
      // Words said as it is pressed are still on their way.
      clock.after(graph.bufferMs, () => graph.link.pause());
      liveness.pause();
      screen.letGo();
    },
    resume() {
      isPaused = false;
      clock.after(graph.bufferMs, () => graph.link.resume());
      liveness.resume();
      screen.hold();
    },
    reconnect: (framePort) => graph.link.reconnect(framePort),
    stop: stopOnce,
    end() {
      ending ??= stopOnce().then(() => graph.close());
      return ending;
    },
  };
}
