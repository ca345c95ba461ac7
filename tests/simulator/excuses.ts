import type { Disk } from './browser/database.ts';
import type { Tab } from './browser/tab.ts';
import type { Realm } from './scheduler.ts';
import { type Truth, wordsOnDisk } from './truth.ts';

/** A text may be on its way into its field for so long. */
const UNSETTLED_MS = 40_000;

export type ExcusePorts = {
  readonly truth: Truth;
  readonly disk: Disk;
  readonly nowMs: () => number;
  readonly hasStoreFailed: () => boolean;
};

/** The reasons for which words may be lost, or come twice, when something dies. */
export type Excuses = {
  /** These pages are gone, with all they had in memory; or the power is. */
  gone(pages: readonly Realm[], isPowerCut?: boolean): void;
  /** The worker of a page is gone, or will be given up. */
  worker(tab: Tab): void;
  /** The person is told that what no worker had written in time is lost. */
  told(): void;
};

export function createExcuses({ truth, disk, nowMs, hasStoreFailed }: ExcusePorts): Excuses {
  /**
   * A store that failed may hold what was delivered: with the memory of those who know better gone,
   * a word comes twice rather than never.
   */
  function excuseDisk(): void {
    if (!hasStoreFailed()) return;
    const all = wordsOnDisk(disk);
    for (const spoken of truth.words.values()) {
      const isDelivered = spoken.deliveredAtMs.length > 0 && all.has(spoken.word);
      if (isDelivered) spoken.mayBeDoubled ??= 'crash amid store faults';
    }
  }

  return {
    gone(pages, isPowerCut = false) {
      const all = wordsOnDisk(disk);
      for (const spoken of truth.words.values()) {
        const isSafe = isPowerCut ? spoken.isDurable : spoken.isWritten;
        const isTheirs = isPowerCut || pages.includes(spoken.page);
        if (isTheirs && !isSafe) spoken.mayBeLost ??= 'never on disk';
        const [atMs] = spoken.deliveredAtMs;
        if (atMs === undefined || !all.has(spoken.word)) continue;
        if (nowMs() - atMs < UNSETTLED_MS) spoken.mayBeDoubled ??= 'crash';
      }
      excuseDisk();
    },
    worker({ page, store }) {
      excuseDisk();
      if (!hasStoreFailed()) return;
      // Its memory alone had what the disk did not take, and its worklet had been let go.
      const { id, phase } = store.getSnapshot().session;
      const isLive = phase !== 'idle' && phase !== 'stopped';
      for (const spoken of truth.words.values()) {
        const isOver = !(isLive && spoken.dictationId === id);
        if (spoken.page === page && isOver && !spoken.isWritten) {
          spoken.mayBeLost ??= 'in the memory of a dead worker alone';
        }
      }
    },
    told() {
      for (const spoken of truth.words.values()) {
        if (!spoken.isWritten) spoken.mayBeLost ??= 'told as lost';
      }
    },
  };
}
