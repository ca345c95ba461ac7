import type { CaptureHandle, CaptureRequest } from '../core/capture-port.ts';
import { type Clock, sleep } from '../core/clock.ts';
import type { DikteraError } from '../core/errors.ts';
import type { AudioGraph } from './audio-graph.ts';
import type { CapturePorts } from './capture-ports.ts';
import { watchForLoss } from './loss-watch.ts';
import { noMicrophoneError } from './microphone-errors.ts';
import { stopStream } from './microphones.ts';
import { watchMuted } from './muted-watch.ts';
import { judgeMicrophone, type OpenMicrophone, openBestMicrophone } from './open-microphone.ts';
import type { OpenTabSound } from './tab-sound.ts';

/** A headset that is plugged in again, or a system that changes its default, takes a moment. */
const TAKE_OVER_WAITS_MS = [0, 2_000] as const;

/** When the first frames have been judged: the list would be in their way, and in a new worker's. */
const JUDGE_AFTER_MS = 500;

/** What runs once everything is open. */
export type RunningCapture = {
  readonly context: AudioContext;
  readonly graph: AudioGraph;
  readonly microphone: OpenMicrophone;
  /** Takes the microphone out of the graph. */
  readonly detach: () => void;
  readonly tabSound: OpenTabSound | null;
};

/**
 * Keeps a running capture going: a microphone that goes away is replaced by the next best, in the
 * same graph and on the same clock, so that the gap is silence and no sample is misplaced. Only when
 * none is left is the loss told.
 */
export function createCaptureHandle(
  ports: CapturePorts,
  { context, graph, microphone: first, detach: detachFirst, tabSound }: RunningCapture,
  request: CaptureRequest<MessagePort>,
): CaptureHandle<MessagePort> {
  const { clock } = ports;
  const tell = request.onChange ?? (() => {});
  let microphone = first;
  let detach = detachFirst;
  let unwatch = watch(first);
  const cancelJudging = clock.after(JUDGE_AFTER_MS, () => void judge());
  let stopping: Promise<void> | null = null;
  let ending: Promise<void> | null = null;

  function watch({ track }: OpenMicrophone): () => void {
    const ends = [
      watchForLoss(context, track, graph.link, { clock, onLost }),
      watchMuted(clock, track, (isMuted) => tell({ kind: 'muted', isMuted })),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  function onLost(error: DikteraError): void {
    unwatch();
    if (error.code === 'microphone-lost') void replace(error);
    else request.onLost(error);
  }

  async function replace(error: DikteraError): Promise<void> {
    detach();
    stopStream(microphone.stream);
    for (const waitMs of TAKE_OVER_WAITS_MS) {
      if (waitMs > 0) await sleep(clock, waitMs);
      if (stopping !== null) return;
      const next = await openBestMicrophone(ports, null).catch(() => null);
      if (next !== null && takeOver(next)) return;
    }
    if (stopping === null) request.onLost(error);
  }

  /** False if that one is gone already. */
  function takeOver(next: OpenMicrophone): boolean {
    if (stopping !== null || next.track.readyState === 'ended') {
      stopStream(next.stream);
      return stopping !== null;
    }
    microphone = next;
    detach = graph.attach(next.stream);
    unwatch = watch(next);
    tell({ kind: 'switched', device: next.device });
    return true;
  }

  /** The microphone was opened before the browser had listed them. */
  async function judge(): Promise<void> {
    const verdict = await judgeMicrophone(ports, first, request.deviceId);
    // It has gone, and has its successor, or nobody listens any more.
    const isOver = stopping !== null || first.track.readyState === 'ended';
    if (verdict.kind === 'change') {
      if (isOver || !changeTo(verdict.to)) stopStream(verdict.to.stream);
    } else if (verdict.kind === 'none' && !isOver) {
      onLost(noMicrophoneError());
    }
  }

  /** Both are on, so nothing is missed. False if it can't be heard. */
  function changeTo(next: OpenMicrophone): boolean {
    const detachNext = attachIfPossible(next);
    if (detachNext === null) return false;
    unwatch();
    detach();
    stopStream(first.stream);
    microphone = next;
    detach = detachNext;
    unwatch = watch(next);
    tell({ kind: 'chosen', device: next.device });
    return true;
  }

  function attachIfPossible({ stream }: OpenMicrophone): typeof detach | null {
    try {
      return graph.attach(stream);
    } catch {
      // The context is no more, which is told elsewhere.
      return null;
    }
  }

  const unwatchTab = tabSound === null ? () => {} : mixIn(graph, clock, tabSound, onTabEnded);

  function onTabEnded(): void {
    if (stopping === null) tell({ kind: 'tab-sound-ended' });
  }

  async function stop(): Promise<void> {
    cancelJudging();
    unwatch();
    unwatchTab();
    await graph.flush();
    stopStream(microphone.stream);
    if (tabSound !== null) stopStream(tabSound.stream);
  }

  function stopOnce(): Promise<void> {
    stopping ??= stop();
    return stopping;
  }

  return {
    get device() {
      return microphone.device;
    },
    pause: () => graph.link.pause(),
    resume: () => graph.link.resume(),
    reconnect: (framePort) => graph.link.reconnect(framePort),
    stop: stopOnce,
    end() {
      ending ??= stopOnce().then(() => graph.close());
      return ending;
    },
  };
}

/** Lets a tab sound with the microphone until the user stops sharing it. */
function mixIn(
  graph: AudioGraph,
  clock: Clock,
  { stream, track }: OpenTabSound,
  onEnded: () => void,
): () => void {
  const detach = graph.attach(stream);
  const listening = new AbortController();
  const onTrackEnded = (): void => {
    if (listening.signal.aborted) return;
    listening.abort();
    detach();
    onEnded();
  };
  track.addEventListener('ended', onTrackEnded, { signal: listening.signal });
  // It may have ended while the microphone was being opened, and would not say so again.
  clock.after(0, () => {
    if (track.readyState === 'ended') onTrackEnded();
  });
  return () => listening.abort();
}
