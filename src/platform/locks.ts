import { createDeferred } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import { withDeadline } from './deadline.ts';
import { newId } from './ids.ts';

/**
 * Web Locks, by which pages and workers of one origin agree; a lock goes with the realm that holds it. Without them (`locks` undefined: no secure page), or where the browser refuses them (an
 * opaque origin), there is taken to be one tab only.
 */
export type Locks = LockManager | undefined;

/** Gives a lock back, fulfilled when others can see that; harmless when done twice. */
export type ReleaseLock = () => void | Promise<void>;

/** A browser's lock manager answers in milliseconds; one that has not by now will not. */
const DEADLINE_MS = 5_000;

/**
 * A hung worker dies 2 s after it has been told to (Chromium), later if its machine is busy; only
 * then does it let go of its lock. The worklet keeps what comes meanwhile for 60 s.
 */
export const DEAD_WORKER_WAIT_MS = 30_000;

const DICTATION = 'diktera:session:';
const OPEN = 'diktera:page:';
const CLAIM = 'diktera:claim:';
const PLACE = 'diktera:place:';
const SENDER = 'diktera:sender';
const VISIBLE = 'diktera:visible';
const WORKER = 'diktera:worker:';

/** A lock that is asked for, or held. */
export type Hold = {
  /**
   * True once it is had; false if it was given up before, null without Web Locks. Never rejects.
   */
  readonly isHad: Promise<boolean | null>;
  /** Gives it back, or up waiting for it. */
  readonly release: () => Promise<void>;
};

/** Takes a lock and keeps it; `onLost` is told when another has stolen it. */
export function holdUntilReleased(
  locks: Locks,
  name: string,
  options: Pick<LockOptions, 'mode' | 'ifAvailable' | 'steal'> = {},
  onLost?: () => void,
): Hold {
  const ending = new AbortController();
  const { signal } = ending;
  const isHad = createDeferred<boolean | null>();
  const released = createDeferred();
  let isHeld = false;
  const ask = async (): Promise<void> => {
    // No signal goes with the other two.
    const asked = options.ifAvailable || options.steal ? options : { ...options, signal };
    await locks?.request(name, asked, (lock) => {
      isHeld = lock !== null && !signal.aborted;
      isHad.resolve(isHeld);
      return isHeld ? released.promise : undefined;
    });
  };
  const ended = ask().catch(() => {
    if (isHeld && !signal.aborted) onLost?.();
  });
  void ended.then(() => isHad.resolve(null));
  return {
    isHad: isHad.promise,
    release() {
      ending.abort();
      isHad.resolve(false);
      released.resolve();
      return ended;
    },
  };
}

/** Undefined if it is not had; without Web Locks it is. */
async function releaseOf({ isHad, release }: Hold): Promise<ReleaseLock | undefined> {
  return (await isHad) === false ? undefined : release;
}

/** Undefined if it is not had, also not within `waitMs`; one that comes later is given back. */
function takeWithin(clock: Clock, waitMs: number, hold: Hold): Promise<ReleaseLock | undefined> {
  const cancel = clock.after(waitMs, hold.release);
  return releaseOf(hold).finally(cancel);
}

/** The names of all locks that are held now; null if nobody knows. */
export async function heldNames(locks: Locks): Promise<readonly string[] | null> {
  const state = await locks?.query().catch(() => undefined);
  return state?.held?.map(({ name = '' }) => name) ?? null;
}

/**
 * Makes what tells a dictation that is being recorded from one whose tab has died. Without Web
 * Locks what this realm has not taken is an orphan.
 */
export function createDictationLocks(clock: Clock, locks: Locks = navigator.locks) {
  const takenHere = new Set<string>();

  /** Without an answer in time: it may be open elsewhere. */
  function isHeld(...names: readonly string[]): Promise<boolean> {
    const held = heldNames(locks).then((all) => names.some((name) => all?.includes(name)));
    return withDeadline(clock, held, DEADLINE_MS, () => true);
  }

  /**
   * Takes a dictation for the page that has it open, when recording begins or its worker died;
   * undefined if another realm has it and keeps it for the next `waitMs`.
   */
  async function take(dictationId: string, waitMs = 0): Promise<ReleaseLock | undefined> {
    if (takenHere.has(dictationId)) return undefined;
    takenHere.add(dictationId);
    const isNow = waitMs === 0;
    const hold = holdUntilReleased(locks, DICTATION + dictationId, { ifAvailable: isNow });
    const release = await takeWithin(clock, isNow ? DEADLINE_MS : waitMs, hold);
    if (!release) takenHere.delete(dictationId);
    return (
      release &&
      (() => {
        takenHere.delete(dictationId);
        return release();
      })
    );
  }

  return {
    take,
    /** Takes one that nobody has open; undefined if a worker or a page has. */
    async takeOrphan(dictationId: string): Promise<ReleaseLock | undefined> {
      const release = await take(dictationId);
      if (!release || !(await isHeld(OPEN + dictationId))) return release;
      // Only then can the page's next worker have it (Firefox takes a moment).
      await release();
      return undefined;
    },
    /**
     * True if no worker and no page has it: its journal is then to be recovered, by `takeOrphan`.
     */
    async isOrphan(dictationId: string): Promise<boolean> {
      if (takenHere.has(dictationId)) return false;
      return !(await isHeld(DICTATION + dictationId, OPEN + dictationId));
    },
    /** True if some page has it open, whichever worker has it. */
    isOpen: (dictationId: string) => isHeld(OPEN + dictationId),
  };
}

/** Tells a dictation that is being recorded from one whose tab has died. */
export type DictationLocks = ReturnType<typeof createDictationLocks>;

/**
 * Shows other tabs that this page has a dictation open, whichever worker has it and while none
 * does: they leave its journal and its chunks alone. The answer ends that.
 */
export function holdOpen(dictationId: string, locks: Locks = navigator.locks): ReleaseLock {
  return holdUntilReleased(locks, OPEN + dictationId).release;
}

/** The dictations that some page has open now, or whose late texts have their places there. */
export async function openDictationIds(locks: Locks = navigator.locks): Promise<readonly string[]> {
  const names = (await heldNames(locks)) ?? [];
  const prefixes = new RegExp(`^(?:${OPEN}|${PLACE})`);
  return names.filter((name) => prefixes.test(name)).map((name) => name.replace(prefixes, ''));
}

/**
 * Takes the right to insert a dictation's text: one tab at a time has it, until it gives it back or
 * dies. Undefined if another has it.
 */
export function takeClaim(
  dictationId: string,
  clock: Clock,
  locks: Locks = navigator.locks,
): Promise<ReleaseLock | undefined> {
  const hold = holdUntilReleased(locks, CLAIM + dictationId, { ifAvailable: true });
  return takeWithin(clock, DEADLINE_MS, hold);
}

/**
 * Keeps other tabs from a text that this page is inserting, also when the worker that claimed it
 * dies: the page waits behind the worker for the claim. The answer ends that.
 */
export function inheritClaim(dictationId: string, locks: Locks = navigator.locks): ReleaseLock {
  return holdUntilReleased(locks, CLAIM + dictationId).release;
}

/**
 * Tells other tabs that a late text has its place in a field of this page, whatever becomes of the
 * worker that heard of it. `held` is fulfilled when they can see it.
 */
export function holdPlace(
  dictationId: string,
  locks: Locks = navigator.locks,
): { readonly held: Promise<void>; readonly release: () => Promise<void> } {
  const { isHad, release } = holdUntilReleased(locks, PLACE + dictationId, { mode: 'shared' });
  return { held: isHad.then(() => {}), release };
}

/** True if some page, this worker's own included, holds the place of a dictation's late text. */
export async function isPlaceHeld(
  dictationId: string,
  locks: Locks = navigator.locks,
): Promise<boolean> {
  return (await heldNames(locks))?.includes(PLACE + dictationId) ?? false;
}

/**
 * Waits for this tab's turn to send what waits in the queue of those that `of` names: when no other
 * tab does, or the one that did has given it back or died. Undefined if `signal` is aborted before.
 * `isStolen` takes it from a tab that has it and does not live, whose `onLost` is told.
 *
 * Without Web Locks two tabs would send a chunk twice; its id, the request's idempotency key, keeps
 * the server from transcribing it twice.
 */
export async function takeTurnToSend(
  of: string,
  signal: AbortSignal,
  how: { readonly isStolen: boolean; readonly onLost: () => void },
  locks: Locks = navigator.locks,
): Promise<ReleaseLock | undefined> {
  if (signal.aborted) return undefined;
  const hold = holdUntilReleased(locks, SENDER + of, { steal: how.isStolen }, how.onLost);
  signal.addEventListener('abort', hold.release);
  return releaseOf(hold).finally(() => signal.removeEventListener('abort', hold.release));
}

/** Makes what tells whether any tab of this origin is visible; without Web Locks, this one. */
export function createVisibleTabs(locks: Locks = navigator.locks) {
  let held: Hold | null = null;
  return {
    /** Says of this tab whether it is. */
    set(isVisible: boolean): void {
      if (isVisible) held ??= holdUntilReleased(locks, VISIBLE, { mode: 'shared' });
      else {
        void held?.release();
        held = null;
      }
    },
    get isThis(): boolean {
      return held !== null;
    },
    isAny: async (): Promise<boolean> =>
      held !== null || ((await heldNames(locks))?.includes(VISIBLE) ?? false),
  };
}

/**
 * Holds the lock that shows a page that this worker lives. Rejects without Web Locks: nothing is
 * shown then.
 */
export async function holdLife(name: string, locks: Locks = navigator.locks): Promise<ReleaseLock> {
  const { isHad, release } = holdUntilReleased(locks, name);
  if (!(await isHad)) throw new Error('No Web Locks here');
  return release;
}

/**
 * Calls `onDeath` at once when a worker is no more: it holds a lock (`hold`, which has it call
 * `holdLife`) that the browser gives to the page the moment the worker is gone. Says nothing of a
 * worker that hangs. The answer ends the watch.
 */
export function watchLife(
  hold: (name: string) => Promise<void>,
  onDeath: () => void,
  locks: Locks = navigator.locks,
): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  const name = WORKER + newId();
  const wait = () => locks?.request(name, { signal }, () => signal.aborted || onDeath());
  // Aborted, or no locks here: the heartbeat is there too.
  if (locks)
    hold(name)
      .then(wait)
      .catch(() => {});
  return () => watch.abort();
}
