import type { Clock } from '../core/clock.ts';
import type { CaptureChange } from '../core/contracts/capture-port.ts';
import { createFrameWatch } from './frame-watch.ts';
import type { WorkletLink } from './worklet-link.ts';

/** What a press or a key gives the page: the right to have its sound go on (iOS gives it to nothing else). */
const GESTURES = ['pointerup', 'keydown'] as const;

export type LivenessPorts = {
  readonly clock: Clock;
  readonly context: AudioContext;
  readonly link: WorkletLink;
  readonly tell: (change: CaptureChange) => void;
  /** Opens the best microphone there is anew, and takes it if it is still wanted when it is there. */
  readonly renewMicrophone: (isStillWanted: () => boolean) => void;
};

/** Sees to it that what is recorded is heard, and says so at once when it is not. */
export type Liveness = {
  pause(): void;
  resume(): void;
  end(): void;
};

/** Begins to watch a context that runs, with a worklet in it that tells of each second. */
export function watchLiveness(ports: LivenessPorts): Liveness {
  const { clock, context, link, tell } = ports;
  const watching = new AbortController();
  const { signal } = watching;
  let isStalled = false;

  /** Never while interrupted: iOS then never runs it again. */
  function resumeContext(): void {
    if (context.state === 'suspended') context.resume().catch(() => {}); // Tried again soon.
  }

  const watch = createFrameWatch({
    clock,
    mend: resumeContext,
    onStalled() {
      isStalled = true;
      tell({ kind: 'stalled' });
      // A telephone call has the microphone: it is given back with the context.
      if (!isInterrupted(context)) ports.renewMicrophone(() => isStalled);
    },
    onFlowing(unheardMs, hasSlept) {
      isStalled = false;
      tell({ kind: hasSlept ? 'slept' : 'flowing', unheardMs });
    },
  });
  link.onHeard(watch.heard);
  // At once: what is said meanwhile is lost. A browser that refuses is asked again by the watch.
  context.addEventListener('statechange', watch.doubt, { signal });
  for (const gesture of GESTURES) {
    globalThis.addEventListener(gesture, () => isStalled && resumeContext(), {
      signal,
      capture: true,
    });
  }

  return {
    pause: watch.pause,
    resume: watch.resume,
    end() {
      watching.abort();
      watch.end();
    },
  };
}

/** WebKit's own state, not yet in TypeScript's library. */
function isInterrupted({ state }: { readonly state: string }): boolean {
  return state === 'interrupted';
}
