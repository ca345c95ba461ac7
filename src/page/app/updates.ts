import type { Clock } from '../../core/clock.ts';
import type { AppAnswer, AppMessage } from '../../core/contracts/app-messages.ts';
import { whileNoneInUse } from '../../platform/build-locks.ts';
import type { InUse } from './in-use.ts';

/** How often a page that stays open looks for a new build. */
const LOOK_MS = 60 * 60_000;

/** A new build that has not taken over by then will not. */
const TAKE_OVER_DEADLINE_MS = 10_000;

const OVERTAKEN_KEY = 'diktera:overtaken';

export type UpdatesPorts = {
  readonly container: ServiceWorkerContainer;
  readonly registration: ServiceWorkerRegistration;
  readonly inUse: InUse;
  readonly clock: Clock;
  /** The build that this page is of. */
  readonly version: string;
  /** Loads the page again, with what stands in it. */
  readonly reload: () => void;
};

/** New builds of the page: fetched quietly, and taken when nobody is at work, or a person says so. */
export type Updates = ReturnType<typeof watchUpdates>;

/** Begins to look for new builds, for as long as the page lives. */
export function watchUpdates(ports: UpdatesPorts) {
  const { container, registration, inUse, clock, version, reload } = ports;
  const listeners = new Set<() => void>();
  /** Another tab has taken a newer build for all while this one was in use. */
  let isOvertaken = false;
  let isWanted = false;

  const isOffered = (): boolean => isOvertaken || registration.waiting !== null;

  const look = (): void => {
    for (const listener of listeners) listener();
    if (isOffered() && !inUse.isInUse) void takeAtRest();
  };

  const tell = (message: AppMessage): void => registration.waiting?.postMessage(message);

  /** Whoever begins to work in another tab meanwhile keeps the page that is there. */
  async function takeAtRest(): Promise<void> {
    if (isOvertaken) reload();
    else
      await whileNoneInUse(async () => {
        const { waiting } = registration;
        if (waiting) await takenOver(waiting);
      });
  }

  function takenOver(worker: ServiceWorker): Promise<void> {
    return new Promise((resolve) => {
      clock.after(TAKE_OVER_DEADLINE_MS, resolve);
      worker.addEventListener('statechange', () => {
        if (worker.state !== 'activated') return;
        resolve();
        onTakenOver();
      });
      tell({ kind: 'take-over' });
    });
  }

  function onTakenOver(): void {
    const isFree = isWanted ? !inUse.isAtWork : !inUse.isInUse;
    isOvertaken = !isFree;
    if (isFree) reload();
    else look();
  }

  const onFound = (): void => {
    const { installing } = registration;
    // The first one has nobody to wait for.
    installing?.addEventListener('statechange', look);
  };
  registration.addEventListener('updatefound', onFound);
  onFound();

  // Told of every build that takes over, also where no service worker answers for this page.
  container.addEventListener('message', ({ data }: MessageEvent<AppAnswer>) => {
    const isComing = registration.installing !== null || registration.waiting !== null;
    if (data.version !== version && !isComing && isNewTo(version, data.version)) onTakenOver();
  });
  const here: AppMessage = { kind: 'page-here' };
  registration.active?.postMessage(here);

  const lookLater = (): void => {
    clock.after(LOOK_MS, () => {
      // Without a network there is none.
      registration.update().catch(() => {});
      lookLater();
    });
  };
  lookLater();
  inUse.subscribe(look);
  look();

  return {
    /** Whether a newer build is there. */
    isOffered,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The person wants it now. */
    take() {
      isWanted = true;
      const { waiting } = registration;
      if (waiting) void takenOver(waiting);
      else reload();
    },
  };
}

/**
 * Whether this tab hears of it for the first time. A page that its server sends anew each time may be
 * of another build than the one that is kept: it must not be loaded again and again.
 */
function isNewTo(version: string, other: string): boolean {
  const pair = `${version} ${other}`;
  try {
    if (sessionStorage.getItem(OVERTAKEN_KEY) === pair) return false;
    sessionStorage.setItem(OVERTAKEN_KEY, pair);
    return true;
  } catch {
    return false;
  }
}
