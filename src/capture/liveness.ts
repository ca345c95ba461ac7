import type { Clock } from '../core/clock.ts';
import type { CaptureChange } from '../core/contracts/capture-port.ts';
import { type DeafWatchPorts, watchDeafness } from './deaf-watch.ts';
import { createFrameWatch } from './frame-watch.ts';
import type { WorkletLink } from './worklet-link.ts';

/**
 * What a press or a key gives the page: the right to have its sound go on (iOS gives it to nothing
 * else).
 */
const GESTURES = ['pointerup', 'keydown'] as const;

/**
 * Tries to mend after the alarm that come before the graph is built anew: a suspended context may
 * only take its time.
 */
const TRIES_BEFORE_REBUILD = 2;

/** What is listened to. */
export type HeardGraph = { readonly context: AudioContext; readonly link: WorkletLink };

export type LivenessPorts = HeardGraph &
  Pick<DeafWatchPorts, 'page' | 'isMuted'> & {
    readonly clock: Clock;
    readonly tell: (change: CaptureChange) => void;
    /**
     * Opens the microphone anew, and takes it if it is still wanted when it is there. False when it
     * was refused.
     */
    readonly renewMicrophone: DeafWatchPorts['renew'];
    /**
     * Builds another graph in a context of its own; told when audio was last heard, ms since 1970.
     */
    readonly rebuild: (heardAtMs: number, isStillWanted: () => boolean) => void;
  };

/** Sees to it that what is recorded is heard, and says so at once when it is not. */
export type Liveness = ReturnType<typeof watchLiveness>;

/** Begins to watch a context that runs, with a worklet in it that tells of each second. */
export function watchLiveness(ports: LivenessPorts) {
  const { clock, tell } = ports;
  const watching = new AbortController();
  const { signal } = watching;
  let { context } = ports;
  let isStalled = false;
  let heardAtMs = clock.nowMs();
  /** Tries since the alarm, and how many there are before the next graph is built: ever more. */
  let tries = 0;
  let triesToRebuild = TRIES_BEFORE_REBUILD;
  let listening = new AbortController();

  /** Never while interrupted: iOS then never runs it again. */
  function resumeContext(): void {
    if (context.state === 'suspended') context.resume().catch(() => {}); // Tried again soon.
  }

  function mend(): void {
    resumeContext();
    if (!isStalled) return;
    tries += 1;
    if (tries < triesToRebuild) return;
    tries = 0;
    triesToRebuild *= 2;
    rebuild();
  }

  /** A telephone call has the microphone: it is given back with the context. */
  function rebuild(): void {
    if (!isInterrupted(context)) ports.rebuild(heardAtMs, () => isStalled);
  }

  const watch = createFrameWatch({
    clock,
    mend,
    onStalled() {
      isStalled = true;
      tries = 0;
      triesToRebuild = TRIES_BEFORE_REBUILD;
      tell({ kind: 'stalled' });
      // A telephone call has the microphone: it is given back with the context.
      if (!isInterrupted(context)) void ports.renewMicrophone(() => isStalled);
    },
    onFlowing(unheardMs, hasSlept) {
      isStalled = false;
      tell({ kind: hasSlept ? 'slept' : 'flowing', unheardMs });
    },
  });
  const deafness = watchDeafness({ ...ports, renew: ports.renewMicrophone });
  let wasInterrupted = false;

  function onState(): void {
    resumeContext();
    if (isInterrupted(context)) wasInterrupted = true;
    else if (wasInterrupted && context.state === 'running') {
      wasInterrupted = false;
      deafness.givenBack();
    }
  }

  function listen({ context: heard, link }: HeardGraph): void {
    listening.abort();
    listening = new AbortController();
    const { signal: hearing } = listening;
    context = heard;
    link.onHeard((unheardMs, isSilent) => {
      if (hearing.aborted) return;
      heardAtMs = clock.nowMs();
      watch.heard(unheardMs);
      deafness.heard(isSilent);
    });
    // At once: what is said meanwhile is lost. A browser that refuses is asked again by the watch.
    heard.addEventListener('statechange', onState, { signal: hearing });
  }

  listen(ports);
  for (const gesture of GESTURES) {
    globalThis.addEventListener(gesture, () => isStalled && resumeContext(), {
      signal,
      capture: true,
    });
  }

  return {
    /** Another graph has taken over: that one is listened to from now on. */
    moveTo: listen,
    pause: watch.pause,
    resume() {
      heardAtMs = clock.nowMs();
      watch.resume();
    },
    end() {
      watching.abort();
      deafness.end();
      listening.abort();
      watch.end();
    },
  };
}

/** WebKit's own state, not yet in TypeScript's library. */
function isInterrupted({ state }: { readonly state: string }): boolean {
  return state === 'interrupted';
}
