import type { AppAnswer, AppMessage } from '../../core/contracts/app-messages.ts';
import { DATABASE_NAME, DATABASE_VERSION } from '../../core/contracts/database.ts';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { isBeingSent } from '../../core/queue/queue-item.ts';
import type { Snapshot } from '../../core/session/snapshot.ts';
import { browserClock } from '../../platform/browser-clock.ts';
import { holdInUse, whileNoneInUse } from '../../platform/build-locks.ts';
import type { ReleaseLock } from '../../platform/locks.ts';
import { fieldText } from '../draft.ts';
import { pageVersion } from './installed.ts';

/** Interval at which a page that stays open looks for a new build. */
const CHECK_MS = 60 * 60_000;

/** A new build that has not taken over by then will not. */
const TAKE_OVER_DEADLINE_MS = 10_000;

const OVERTAKEN_KEY = 'diktera:overtaken';

/** New builds of the page: fetched quietly, and taken when the page is not in use, or on command. */
export type Updates = ReturnType<typeof watchUpdates>;

/** Begins to look for new builds, for as long as the page lives. */
export function watchUpdates(registration: ServiceWorkerRegistration, inUse: InUse) {
  const version = pageVersion();
  const listeners = new Set<() => void>();
  /** Another tab has taken a newer build for all while this one was in use. */
  let isOvertaken = false;
  let isWanted = false;

  const isOffered = (): boolean => isOvertaken || registration.waiting !== null;

  const refresh = (): void => {
    for (const listener of listeners) listener();
    if (isOffered() && !inUse.isInUse) void takeAtRest();
  };

  const tell = (message: AppMessage): void => registration.waiting?.postMessage(message);

  /** Work that begins in another tab meanwhile keeps the present build. */
  async function takeAtRest(): Promise<void> {
    if (isOvertaken) location.reload();
    else
      await whileNoneInUse(async () => {
        const { waiting } = registration;
        if (waiting) await takenOver(waiting);
      });
  }

  function takenOver(worker: ServiceWorker): Promise<void> {
    return new Promise((resolve) => {
      browserClock.after(TAKE_OVER_DEADLINE_MS, resolve);
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
    if (isFree) location.reload();
    else refresh();
  }

  const onFound = (): void => {
    const { installing } = registration;
    // The first build waits for no other.
    installing?.addEventListener('statechange', refresh);
  };
  registration.addEventListener('updatefound', onFound);
  onFound();

  // Every build that takes over is seen here, even where no service worker answers for this page.
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<AppAnswer>) => {
    const isComing = registration.installing !== null || registration.waiting !== null;
    if (data.version !== version && !isComing && isNewTo(version, data.version)) onTakenOver();
  });
  const here: AppMessage = { kind: 'page-here' };
  registration.active?.postMessage(here);

  const checkLater = (): void => {
    browserClock.after(CHECK_MS, () => {
      // Without a network there is none.
      registration.update().catch(() => {});
      checkLater();
    });
  };
  checkLater();
  inUse.subscribe(refresh);
  refresh();

  return {
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
      else location.reload();
    },
  };
}

/**
 * True the first time that this tab sees the other build. A page that its server sends anew each time
 * may be of another build than the stored one, and must not be loaded again and again.
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

/** A page untouched for so long is not in use. */
const REST_MS = 10_000;

const TOUCHES = ['pointerdown', 'keydown', 'input'] as const;

/** The use of this page, which a reload would disturb; other pages can see it. */
export type InUse = ReturnType<typeof watchUse>;

/** Watches the page, from now on and for good. */
export function watchUse(dictation: Dictation) {
  const listeners = new Set<() => void>();
  let touchedAtMs = Number.NEGATIVE_INFINITY;
  let isInUse = false;
  let release: ReleaseLock = () => {};

  const refresh = (): void => {
    const sinceMs = browserClock.nowMs() - touchedAtMs;
    const isNow =
      isAtWork(dictation.getSnapshot()) ||
      isSending(dictation.getSnapshot()) ||
      // A clock that was set back does not say how long.
      (sinceMs >= 0 && sinceMs < REST_MS) ||
      fieldText().trim() !== '' ||
      // A file's text is not saved, or not all there yet.
      document.querySelector('details[open], dialog[open], .file') !== null;
    if (isNow !== isInUse) {
      isInUse = isNow;
      void release();
      if (isInUse) release = holdInUse();
    }
    for (const listener of listeners) listener();
  };

  dictation.subscribe(refresh);
  for (const type of TOUCHES) {
    document.addEventListener(
      type,
      () => {
        touchedAtMs = browserClock.nowMs();
        if (!isInUse) refresh();
      },
      { capture: true, passive: true },
    );
  }
  const refreshLater = (): void => {
    browserClock.after(REST_MS / 4, refreshLater);
    refresh();
  };
  refreshLater();
  return {
    get isInUse(): boolean {
      return isInUse;
    },
    /** A recording goes on or is not text yet: no reload before that is over. */
    get isAtWork(): boolean {
      return isAtWork(dictation.getSnapshot());
    },
    /** Calls `listener` whenever it may have changed; the answer ends that. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Fulfilled when nothing is being recorded, nor waited for. */
export function untilAtRest(dictation: Dictation): Promise<void> {
  return new Promise((resolve) => {
    const refresh = (): void => {
      if (isAtWork(dictation.getSnapshot())) return;
      stop();
      resolve();
    };
    const stop = dictation.subscribe(refresh);
    refresh();
  });
}

function isAtWork({ session, queue }: Snapshot): boolean {
  return !['idle', 'stopped'].includes(session.phase) || queue.unstoredItems > 0;
}

/** Something of an earlier dictation is being written down. */
function isSending({ queue }: Snapshot): boolean {
  return queue.items.some(({ state }) => isBeingSent(state));
}

/** Tells if the stored data have a newer form than this page knows. */
export type StorageForm = ReturnType<typeof watchStorageForm>;

/**
 * Watches for a newer build of another tab that has changed the form of what is stored: this page
 * can store nothing any more then, and is to be loaded again. Looked at when storage fails.
 */
export function watchStorageForm(dictation: Dictation) {
  const listeners = new Set<() => void>();
  let isNewer = false;
  let hasFailed = false;

  async function refresh(): Promise<void> {
    const databases = (await indexedDB.databases?.()) ?? [];
    const { version = 0 } = databases.find(({ name }) => name === DATABASE_NAME) ?? {};
    if (version <= DATABASE_VERSION || isNewer) return;
    isNewer = true;
    for (const listener of listeners) listener();
  }

  const onChange = (): void => {
    const { notices } = dictation.getSnapshot();
    const failsNow = notices.some(({ kind }) => kind === 'storage-failed');
    if (failsNow && !hasFailed) refresh().catch(() => {});
    hasFailed = failsNow;
  };
  dictation.subscribe(onChange);
  onChange();
  return {
    isNewer: (): boolean => isNewer,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
