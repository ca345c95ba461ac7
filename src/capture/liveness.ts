import type { CancelTimer, Clock } from '../core/clock.ts';
import type { CaptureChange } from '../core/contracts/capture-port.ts';
import type { WorkletLink } from './audio-graph.ts';

/**
 * A press or a key gives the page the right to resume its sound; iOS gives it to nothing else.
 */
const GESTURES = ['pointerup', 'keydown'] as const;

/**
 * Tries to mend after the alarm that come before the graph is built anew: a suspended context may
 * only take its time.
 */
const TRIES_BEFORE_REBUILD = 2;

/** The graph that is listened to. */
type HeardGraph = { readonly context: AudioContext; readonly link: WorkletLink };

type LivenessPorts = HeardGraph &
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

/**
 * Keeps audio coming, and tells at once when it does not. The context must run, with a worklet in it
 * that reports each second.
 */
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
    const { signal: until } = listening;
    context = heard;
    link.onHeard((unheardMs, isSilent) => {
      if (until.aborted) return;
      heardAtMs = clock.nowMs();
      watch.heard(unheardMs);
      deafness.heard(isSilent);
    });
    // At once: what is said meanwhile is lost. A browser that refuses is asked again by the watch.
    heard.addEventListener('statechange', onState, { signal: until });
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

/** The worklet tells of itself after each second of audio: nothing for so long is a standstill. */
const STILL_MS = 1_500;

/**
 * Mending may take so long before the person is told, which is 2.25 to 3.25 s after the last sound.
 */
const MEND_MS = 1_750;

/** The worklet's reports wait behind the timer of a page that was busy or asleep: so check again. */
const CHECK_AGAIN_MS = 250;

/** A timer that comes so late: the computer slept. A page may be busy, or hidden, for seconds. */
const SLEPT_MS = 10_000;

type FrameWatchPorts = {
  readonly clock: Clock;
  /** Nothing comes: called at once, and again and again until something does. */
  readonly mend: () => void;
  /** Mending has not helped. */
  readonly onStalled: () => void;
  /**
   * Audio comes again after `unheardMs`, or after a false alarm (0). `hasSlept`: the computer did.
   */
  readonly onFlowing: (unheardMs: number, hasSlept: boolean) => void;
};

/**
 * Watches that audio comes, by nothing but its coming. Time is counted in timers, each checked twice,
 * so that neither a busy page nor a clock that is set makes an alarm or hides one.
 */
export function createFrameWatch(ports: FrameWatchPorts) {
  const { clock, mend, onStalled, onFlowing } = ports;
  let state: 'watching' | 'stalled' | 'paused' | 'ended' = 'watching';
  let hasSlept = false;
  /** By the computer's clock, for the length of a stall that is over before anything comes. */
  let heardAtMs = clock.nowMs();
  let cancel: CancelTimer = () => {};

  /** `then`, if nothing has been heard by then, nor when the page has had a moment to hear it. */
  function ifSilent(delayMs: number, then: () => void): void {
    cancel();
    const dueMs = clock.nowMs() + delayMs;
    cancel = clock.after(delayMs - CHECK_AGAIN_MS, () => {
      if (clock.nowMs() - dueMs > SLEPT_MS) hasSlept = true;
      cancel = clock.after(CHECK_AGAIN_MS, then);
    });
  }

  function watch(): void {
    hasSlept = false;
    ifSilent(STILL_MS, () => {
      mend();
      ifSilent(MEND_MS, stall);
    });
  }

  function stall(): void {
    state = 'stalled';
    onStalled();
    mendAgain();
  }

  function mendAgain(): void {
    cancel = clock.after(MEND_MS, () => {
      mend();
      mendAgain();
    });
  }

  /** Ends the alarm, if there is one. */
  function leave(next: typeof state): void {
    cancel();
    if (state === 'stalled') onFlowing(Math.max(0, clock.nowMs() - heardAtMs), hasSlept);
    if (state !== 'ended') state = next;
  }

  watch();
  return {
    /** Another second of audio has gone through, and for so long none did before it. */
    heard(unheardMs: number) {
      heardAtMs = clock.nowMs();
      if (state === 'paused' || state === 'ended') return;
      const wasStalled = state === 'stalled';
      state = 'watching';
      if (wasStalled || unheardMs > 0)
        onFlowing(unheardMs, hasSlept || (!wasStalled && unheardMs > SLEPT_MS));
      watch();
    },
    /** Nobody listens: nothing is told until `resume`. */
    pause: () => leave('paused'),
    resume() {
      if (state !== 'paused') return;
      state = 'watching';
      heardAtMs = clock.nowMs();
      mend();
      watch();
    },
    end: () => leave('ended'),
  };
}

/** A track stays muted for a moment after a call, or when a page is shown again. */
const GRACE_MS = 1_000;

/** Silence this long is reported: a microphone that was just given back may begin with zeros. */
const SILENT_SECONDS = 2;

/** After a try, and twice as long after each further one. */
const AGAIN_AFTER_MS = 10_000;

export type DeafWatchPorts = {
  readonly clock: Clock;
  readonly page: Pick<Document, 'visibilityState' | 'addEventListener'>;
  readonly isMuted: () => boolean;
  /**
   * Opens the microphone anew, and takes it if it is still wanted when it is there. False when it
   * was refused.
   */
  readonly renew: (isStillWanted: () => boolean) => Promise<boolean>;
};

/**
 * After a telephone call iOS may leave a microphone muted, or live but all zeros, for ever: only a
 * newly opened one hears. This is suspected after a call, and when the page is shown again with a
 * muted microphone, until a sound is heard. A quiet room or the person's own mute button is
 * therefore not taken for it. A person is asked only once: not again after a refusal, nor while a
 * prompt is open.
 */
export function watchDeafness({ clock, page, isMuted, renew }: DeafWatchPorts) {
  const watching = new AbortController();
  let isSuspected = false;
  let silentSeconds = 0;
  /** The next report covers time before the suspicion, too. */
  let isFirst = false;
  let againAfterMs = AGAIN_AFTER_MS;
  /** Neither in its moment of grace nor just after a try. */
  let isDue = false;
  let isTrying = false;
  let cancel: CancelTimer = () => {};

  const isDeaf = (): boolean => isSuspected && (isMuted() || silentSeconds >= SILENT_SECONDS);

  function suspect(): void {
    isSuspected = true;
    silentSeconds = 0;
    isFirst = true;
    againAfterMs = AGAIN_AFTER_MS;
    dueAfter(GRACE_MS);
  }

  function dueAfter(delayMs: number): void {
    isDue = false;
    cancel();
    cancel = clock.after(delayMs, () => {
      isDue = true;
      check();
    });
  }

  function check(): void {
    if (isDue && !isTrying && isDeaf()) void tryAnew();
  }

  async function tryAnew(): Promise<void> {
    isTrying = true;
    const isAllowed = await renew(isDeaf);
    isTrying = false;
    if (watching.signal.aborted) return;
    if (!isAllowed) isSuspected = false;
    silentSeconds = 0;
    dueAfter(againAfterMs);
    againAfterMs *= 2;
  }

  page.addEventListener(
    'visibilitychange',
    () => {
      if (page.visibilityState === 'visible' && isMuted() && !isSuspected) suspect();
    },
    { signal: watching.signal },
  );

  return {
    /** A telephone call is over: from now on the microphone must hear. */
    givenBack: suspect,
    /** Another second of audio has gone through; `isSilent` if it was nothing but zeros. */
    heard(isSilent: boolean) {
      if (isFirst) {
        isFirst = false;
        return;
      }
      silentSeconds = isSilent ? silentSeconds + 1 : 0;
      if (!isSilent && !isMuted()) isSuspected = false;
      check();
    },
    end() {
      watching.abort();
      isSuspected = false;
      cancel();
    },
  };
}
