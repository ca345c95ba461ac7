import type { Clock } from '../../core/clock.ts';
import type { Dictation } from '../../core/contracts/dictation.ts';
import type { Snapshot } from '../../core/session/snapshot.ts';
import { holdInUse } from '../../platform/build-locks.ts';
import type { ReleaseLock } from '../../platform/locks.ts';
import { fieldText } from '../draft.ts';

/** Who has not touched the page for so long has gone on to something else. */
const REST_MS = 10_000;

const TOUCHES = ['pointerdown', 'keydown', 'input'] as const;

export type InUsePorts = {
  readonly dictation: Dictation;
  readonly clock: Clock;
};

/** Whether a reload of this page would cost somebody something; other pages can see it. */
export type InUse = ReturnType<typeof watchUse>;

/** Watches the page, from now on and for good. */
export function watchUse({ dictation, clock }: InUsePorts) {
  const listeners = new Set<() => void>();
  let touchedAtMs = Number.NEGATIVE_INFINITY;
  let isInUse = false;
  let release: ReleaseLock = () => {};

  const look = (): void => {
    const sinceMs = clock.nowMs() - touchedAtMs;
    const isNow =
      isAtWork(dictation.getSnapshot()) ||
      isSending(dictation.getSnapshot()) ||
      // A clock that was set back does not say how long.
      (sinceMs >= 0 && sinceMs < REST_MS) ||
      fieldText().trim() !== '' ||
      document.querySelector('details[open], dialog[open]') !== null;
    if (isNow !== isInUse) {
      isInUse = isNow;
      void release();
      if (isInUse) release = holdInUse();
    }
    for (const listener of listeners) listener();
  };

  dictation.subscribe(look);
  for (const type of TOUCHES) {
    document.addEventListener(
      type,
      () => {
        touchedAtMs = clock.nowMs();
        if (!isInUse) look();
      },
      { capture: true, passive: true },
    );
  }
  const lookAgain = (): void => {
    clock.after(REST_MS / 4, lookAgain);
    look();
  };
  lookAgain();
  return {
    get isInUse(): boolean {
      return isInUse;
    },
    /** Something is being recorded, or is not text yet: nobody reloads before that is over. */
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
    const look = (): void => {
      if (isAtWork(dictation.getSnapshot())) return;
      stop();
      resolve();
    };
    const stop = dictation.subscribe(look);
    look();
  });
}

function isAtWork({ session, queue }: Snapshot): boolean {
  return !['idle', 'stopped'].includes(session.phase) || queue.unstoredItems > 0;
}

/** Something of an earlier dictation is being written down. */
function isSending({ queue }: Snapshot): boolean {
  return queue.items.some(({ state }) => state.kind === 'sending');
}
