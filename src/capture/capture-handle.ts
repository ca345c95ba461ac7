import type { CaptureHandle, CaptureRequest } from '../core/contracts/capture-port.ts';
import type { CapturePorts } from './capture-ports.ts';
import { watchLiveness } from './liveness.ts';
import {
  createMicrophoneKeeper,
  type GraphInContext,
  type KeeperRequest,
  type KeptMicrophone,
} from './microphone-keeper.ts';
import { rebuildGraph } from './rebuild-graph.ts';
import { holdScreen } from './screen-hold.ts';
import { stopStream } from './stop-stream.ts';
import type { MixedTab } from './tab-sound.ts';

/**
 * When the first frames have been inferred: a list, or a lock, would be in their way, and in a new
 * worker's.
 */
const SETTLED_AFTER_MS = 500;

/** What runs once everything is open. */
export type RunningCapture = KeptMicrophone & {
  readonly tab: MixedTab | null;
  /** For another graph, if this one gets stuck. */
  readonly resamplerModule: WebAssembly.Module;
};

/**
 * Keeps a running capture going until it is ended: its microphone, its sound, the screen's light.
 */
export function createCaptureHandle(
  ports: CapturePorts,
  running: RunningCapture,
  request: CaptureRequest<MessagePort> & KeeperRequest,
): CaptureHandle<MessagePort> {
  const { clock } = ports;
  const { context, tab } = running;
  let { graph } = running;
  const tell = request.onChange ?? (() => {});
  const keeper = createMicrophoneKeeper(ports, running, { ...request, tell });
  const liveness = watchLiveness({
    clock,
    context,
    link: graph.link,
    tell,
    page: ports.screen.page,
    isMuted: () => keeper.isMuted,
    renewMicrophone: keeper.renew,
    rebuild: (heardAtMs, isStillWanted) => void rebuild(heardAtMs, isStillWanted),
  });
  const screen = holdScreen(ports.screen);
  let stopping: Promise<void> | null = null;
  let isPaused = false;
  let isRebuilding = false;
  let ending: Promise<void> | null = null;
  tab?.onEnded(() => tell({ kind: 'tab-sound-ended' }));
  const cancelSettled = clock.after(SETTLED_AFTER_MS, () => {
    void keeper.checkChoice();
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
    if (stopping || !isStillWanted() || !keeper.moveTo(next)) return next.graph.close();
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
    keeper.leave();
    liveness.end();
    screen.end();
    tab?.leave();
    await graph.flush();
    keeper.letGo();
    if (tab !== null) stopStream(tab.stream);
  }

  function stopOnce(): Promise<void> {
    stopping ??= stop();
    return stopping;
  }

  return {
    get device() {
      return keeper.device;
    },
    pause() {
      isPaused = true;
      // What is said as it is pressed has not been heard yet.
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
