import { type ReleaseLock, takeLock } from './held-lock.ts';

const LOCK_NAME = 'diktera:visible';

/** Whether any tab of this origin is visible. */
export type VisibleTabs = {
  /** Says of this tab whether it is. */
  set(isVisible: boolean): void;
  /** Whether this tab is. */
  readonly isThis: boolean;
  isAny(): Promise<boolean>;
};

/**
 * Makes it on Web Locks, which go with their tab. Without them this tab's word is taken for all.
 */
export function createVisibleTabs(locks: LockManager | undefined): VisibleTabs {
  let isVisible = false;
  let held: Promise<ReleaseLock | undefined> | null = null;

  return {
    set(isNowVisible) {
      isVisible = isNowVisible;
      if (isVisible) {
        held ??= locks
          ? takeLock(locks, LOCK_NAME, { mode: 'shared' }).catch(() => undefined)
          : Promise.resolve(undefined);
        return;
      }
      void held?.then((release) => release?.());
      held = null;
    },
    get isThis() {
      return isVisible;
    },
    async isAny() {
      if (isVisible) return true;
      const state = await locks?.query().catch(() => undefined);
      return state?.held?.some(({ name }) => name === LOCK_NAME) ?? false;
    },
  };
}
