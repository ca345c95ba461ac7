import type { CaptureHandle, CaptureRequest } from '../core/contracts/capture-port.ts';
import type { CapturePorts } from './capture-ports.ts';
import { watchLiveness } from './liveness.ts';
import { createMicrophoneKeeper, type KeptMicrophone } from './microphone-keeper.ts';
import { holdScreen } from './screen-hold.ts';
import { stopStream } from './stop-stream.ts';
import type { MixedTab } from './tab-sound.ts';

/** When the first frames have been judged: a list, or a lock, would be in their way, and in a new worker's. */
const SETTLED_AFTER_MS = 500;

/** What runs once everything is open. */
export type RunningCapture = KeptMicrophone & {
  readonly tab: MixedTab | null;
};

/** Keeps a running capture going until it is ended: its microphone, its sound, the screen's light. */
export function createCaptureHandle(
  ports: CapturePorts,
  running: RunningCapture,
  request: CaptureRequest<MessagePort>,
): CaptureHandle<MessagePort> {
  const { clock } = ports;
  const { context, graph, tab } = running;
  const tell = request.onChange ?? (() => {});
  const keeper = createMicrophoneKeeper(ports, running, { ...request, tell });
  const liveness = watchLiveness({
    clock,
    context,
    link: graph.link,
    tell,
    renewMicrophone: (isStillWanted) => void keeper.renew(isStillWanted),
  });
  const screen = holdScreen(ports.screen);
  let stopping: Promise<void> | null = null;
  let ending: Promise<void> | null = null;
  tab?.onEnded(() => tell({ kind: 'tab-sound-ended' }));
  const cancelSettled = clock.after(SETTLED_AFTER_MS, () => {
    void keeper.judge();
    screen.hold();
  });

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
      graph.link.pause();
      liveness.pause();
      screen.letGo();
    },
    resume() {
      graph.link.resume();
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
