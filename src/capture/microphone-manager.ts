import { sleep } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import type { CaptureChange, CaptureRequest } from '../core/contracts/capture-port.ts';
import { DikteraError } from '../core/errors.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import type { GraphInContext } from './audio-graph.ts';
import type { CapturePorts } from './capture-ports.ts';
import { isDenied, noMicrophoneError, stopStream } from './microphones.ts';
import { checkChoice, type OpenMicrophone, openBestMicrophone } from './open-microphone.ts';

/** A headset that is plugged in again, or a system that changes its default, takes a moment. */
const TAKE_OVER_WAITS_MS = [0, 2_000] as const;

export type MicrophoneInGraph = GraphInContext & {
  readonly microphone: OpenMicrophone;
  /** Takes it out of the graph. */
  readonly detach: () => void;
};

export type ManagerRequest = Pick<CaptureRequest<MessagePort>, 'deviceId' | 'stream' | 'onLost'> & {
  /**
   * Called with the microphone that the browser's list names as the wanted one, if another is open.
   */
  readonly onWanted: (device: MicrophoneDevice) => void;
};

/**
 * Keeps a microphone in a graph: one that goes away is replaced by the next best, on the same
 * clock, so that the gap is silence and no sample is misplaced. Only when none is left is the loss
 * told. Whatever comes too late, or cannot be heard, is let go.
 */
export function createMicrophoneManager(
  ports: CapturePorts,
  { context, graph, microphone: first, detach: detachFirst }: MicrophoneInGraph,
  request: ManagerRequest & { readonly tell: (change: CaptureChange) => void },
) {
  const { clock } = ports;
  const { tell } = request;
  let home: GraphInContext = { context, graph };
  let microphone = first;
  let detach = detachFirst;
  let isAway = false;
  let isMuted = false;
  let isLeft = false;
  let unwatch = watch(first);

  function watch({ track }: OpenMicrophone): () => void {
    const ends = [
      watchForLoss(home, track, request.stream, clock, onLost),
      watchMuted(clock, track, tellMuted),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  function onLost(error: DikteraError): void {
    unwatch();
    if (error.code === 'microphone-lost' && !request.stream) void replace(error);
    else request.onLost(error);
  }

  async function replace(error: DikteraError): Promise<void> {
    detach();
    stopStream(microphone.stream);
    tellMuted(false);
    const lost = microphone;
    const isAnswered = (): boolean => isLeft || microphone !== lost;
    // At once: the browser may ask the person for another one, and wait for an answer.
    tellAway(true);
    for (const waitMs of TAKE_OVER_WAITS_MS) {
      if (waitMs > 0) await sleep(clock, waitMs);
      if (isAnswered()) return;
      const next = await openBestMicrophone(ports, null).catch(() => null);
      if (next !== null && takeOver(next, isAnswered)) return;
    }
    if (isAnswered()) return;
    tellAway(false);
    request.onLost(error);
  }

  function tellAway(isAwayNow: boolean): void {
    if (isAway === isAwayNow) return;
    isAway = isAwayNow;
    tell({ kind: 'away', isAway });
  }

  function tellMuted(isMutedNow: boolean): void {
    if (isMuted === isMutedNow) return;
    isMuted = isMutedNow;
    tell({ kind: 'muted', isMuted });
  }

  /** False if that one is gone already, or cannot be heard. */
  function takeOver(next: OpenMicrophone, isAnswered: () => boolean): boolean {
    if (!isAnswered() && hear(next)) {
      tell({ kind: 'switched', device: next.device });
      return true;
    }
    stopStream(next.stream);
    return isAnswered();
  }

  /**
   * Puts a microphone into the place of the one before; nothing is missed if both are on. False if
   * it can't be heard.
   */
  function hear(next: OpenMicrophone): boolean {
    const detachNext = next.track.readyState === 'ended' ? null : attachIfPossible(next);
    if (detachNext === null) return false;
    unwatch();
    detach();
    stopStream(microphone.stream);
    tellMuted(false);
    microphone = next;
    detach = detachNext;
    unwatch = watch(next);
    tellAway(false);
    return true;
  }

  function attachIfPossible({ stream }: OpenMicrophone): typeof detach | null {
    try {
      return home.graph.attach(stream);
    } catch {
      // The context is no more, or takes this one not at its rate.
      return null;
    }
  }

  return {
    /** The one that is heard now, or was heard last. */
    get device(): MicrophoneDevice {
      return microphone.device;
    },
    /** The system has muted it. */
    get isMuted(): boolean {
      return microphone.track.muted;
    },
    /** Asks the browser's list, which is there by now, whether another one is the one to use. */
    async checkChoice(): Promise<void> {
      if (request.stream) return;
      const check = await checkChoice(ports, first, request.deviceId);
      // The first one may have gone, and have its successor.
      const isOver = isLeft || microphone !== first || first.track.readyState === 'ended';
      if (check.kind === 'none' && !isOver) onLost(noMicrophoneError());
      if (check.kind === 'next-time') request.onWanted(check.device);
      if (check.kind !== 'change') return;
      request.onWanted(check.to.device);
      if (!isOver && hear(check.to)) tell({ kind: 'chosen', device: check.to.device });
      else stopStream(check.to.stream);
    },
    /**
     * Nothing comes: opens the best there is anew, and takes it if `isStillWanted` when it is there,
     * and it is not muted as well; until then the one before is kept. False when it was refused.
     */
    async renew(isStillWanted: () => boolean): Promise<boolean> {
      if (request.stream) return true;
      const before = microphone;
      const { deviceId } = before.device;
      // The same again is the one that need not be asked for.
      const pinnedId = ports.asksForEach ? deviceId : request.deviceId;
      let next: OpenMicrophone;
      try {
        next = await openBestMicrophone(ports, pinnedId, deviceId);
      } catch (thrown) {
        return !isDenied(thrown);
      }
      const isWanted = !isLeft && isStillWanted() && microphone === before;
      if (!isWanted || next.track.muted || !hear(next)) stopStream(next.stream);
      else if (next.device.deviceId !== before.device.deviceId) {
        tell({ kind: 'switched', device: next.device });
      }
      return true;
    },
    /**
     * Puts it into another graph, where what is heard goes from now on. False if it cannot be heard
     * there.
     */
    moveTo(next: GraphInContext): boolean {
      const before = home;
      home = next;
      const detachNext = attachIfPossible(microphone);
      if (detachNext === null) {
        home = before;
        return false;
      }
      unwatch();
      detach();
      detach = detachNext;
      unwatch = watch(microphone);
      return true;
    },
    /** Looks after it no longer; nothing is told from now on. */
    leave() {
      if (isLeft) return;
      unwatch();
      tellAway(false);
      isLeft = true;
    },
    /** Lets it go; call it after `leave`. */
    letGo: () => stopStream(microphone.stream),
  };
}

const hasEnded = ({ readyState }: MediaStreamTrack): boolean => readyState === 'ended';

/** A track that its page stops fires no event, and the clone that is heard goes on. */
const GIVEN_CHECK_MS = 500;

/**
 * Calls `onLost` once if audio stops coming for good: the microphone's track, or those of the stream
 * that it was cloned from, end (`microphone-lost`), the context is closed by others (`audio-context-closed`) or the worklet
 * fails (`audio-graph-failed`). A context that is suspended or interrupted (iOS: a telephone call)
 * may run again, and is no loss. Returns what ends the watch; nothing is called after it.
 */
function watchForLoss(
  { context, graph: { link } }: GraphInContext,
  track: MediaStreamTrack,
  given: MediaStream | undefined,
  clock: Clock,
  onLost: (error: DikteraError) => void,
): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  const originals = given?.getAudioTracks();

  function lose(error: DikteraError): void {
    if (signal.aborted) return;
    watch.abort();
    onLost(error);
  }

  function onTrackEnded(): void {
    lose(new DikteraError('microphone-lost', `The microphone '${track.label}' went away`));
  }

  function onStateChange(): void {
    if (context.state !== 'closed') return;
    lose(new DikteraError('audio-context-closed', 'The audio context was closed'));
  }

  function look(): void {
    if (hasEnded(track) || originals?.every(hasEnded)) onTrackEnded();
    onStateChange();
    if (originals && !signal.aborted) clock.after(GIVEN_CHECK_MS, look);
  }

  track.addEventListener('ended', onTrackEnded, { signal });
  context.addEventListener('statechange', onStateChange, { signal });
  void link.failed.then(lose);
  // It may have gone while the graph was being built, and fires no second event. In a task of its
  // own, so that the opener has the handle by then.
  clock.after(0, look);
  return () => watch.abort();
}

/** Browsers mute a track for moments, as when a headset changes its profile: that is no news. */
const GRACE_MS = 800;

/**
 * Calls `onMuted` when the system has muted the microphone for more than 800 ms, and when it has
 * unmuted it after that. Returns the end of the watch.
 */
function watchMuted(
  clock: Clock,
  track: MediaStreamTrack,
  onMuted: (isMuted: boolean) => void,
): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  let isTold = false;
  let cancel = (): void => {};

  const check = (): void => {
    cancel();
    if (track.muted) cancel = clock.after(GRACE_MS, () => tell(track.muted));
    else tell(false);
  };
  const tell = (isMuted: boolean): void => {
    if (signal.aborted || isMuted === isTold) return;
    isTold = isMuted;
    onMuted(isMuted);
  };

  track.addEventListener('mute', check, { signal });
  track.addEventListener('unmute', check, { signal });
  check();
  return () => {
    listening.abort();
    cancel();
  };
}
