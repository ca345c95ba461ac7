import type { Disk } from './browser/database.ts';
import type { FakeLocks } from './browser/locks.ts';
import type { Tab } from './browser/tab.ts';
import { isSame } from './owners.ts';
import type { Scheduler } from './scheduler.ts';
import type { StoryEvent } from './story.ts';
import { readQueue, readRecordings, type Spoken, type Truth } from './truth.ts';
import type { Word } from './words.ts';

export type Deleting = Extract<
  StoryEvent,
  {
    readonly kind:
      | 'wipe'
      | 'discard'
      | 'discard-kept'
      | 'delete'
      | 'delete-all'
      | 'undo'
      | 'cancel'
      | 'undo-cancel';
  }
>;

export type DeletionPorts = {
  readonly scheduler: Scheduler;
  readonly truth: Truth;
  readonly disk: Disk;
  readonly locks: FakeLocks;
  /** Since when nobody has a session open; undefined while somebody may. */
  readonly overSinceMs: (dictationId: string) => number | undefined;
  /** A text of it is on its way into a field. */
  readonly isInserting: (dictationId: string) => boolean;
  /** False once storage has refused something: the data may still exist, and the person is told. */
  readonly isStorageWhole: () => boolean;
  /** Sound that cannot be encoded has no recording. */
  readonly isEncoderWhole: () => boolean;
  /** Something has died, hung or been deleted there. */
  readonly isDisturbed: (tab: Tab) => boolean;
  /** Its page could do nothing for a while. */
  readonly hasStoodStill: (tab: Tab) => boolean;
  readonly tell: (line: string) => void;
  readonly wrong: (what: string) => void;
};

/** A person's deletions, and the words that must not come again afterwards. */
export type Deletions = {
  /** Does what a person asks for, in a task of the tab's page. */
  ask(event: Deleting, tab: Tab): void;
  /** Words are sent, or put into a field: none of them may have been deleted. */
  used(how: 'sent' | 'put in', words: readonly Word[]): void;
  /** Nothing of it goes into its own place, unless that is undone. */
  isCancelled(dictationId: string): boolean;
  /** A person wants a recording's text anew: its words may be sent, though their chunks were discarded. */
  wanted(dictationId: string): void;
};

/** Other tabs hear of it, and a request may be about to leave. */
const HEARD_WITHIN_MS = 500;

/** The browser lets go of what a page had. */
export const LET_GO_MS = 5_000;

/** Why a word need not be anywhere; not if it is had back. */
const CANCELLED = 'cancelled';

/** The time for a cancel to reach the bin: 10 s to undo it, 5 s to end, 2 s to delete. */
const THROWN_AWAY_MS = 17_000;

/** The journal knows that a cancel was undone. */
const UNMARKED_MS = 1_000;

/** A microphone that is being opened is closed as soon as it is there. */
const DEAF_AFTER_MS = 1_000;

/** A person sees what has become of a press. */
const SEEN_AFTER_MS = 2_000;

export function createDeletions(ports: DeletionPorts): Deletions {
  const { scheduler, truth, disk, locks, tell, wrong } = ports;
  let undoneAtMs = Number.NEGATIVE_INFINITY;
  let deletedAtMs = Number.NEGATIVE_INFINITY;
  /** Dictations of which a text was wanted anew. */
  const wantedAnew = new Set<string>();
  /** Dictations that were cancelled and not had back. */
  const cancelled = new Set<string>();
  const spokenIn = (dictationId: string): Spoken[] =>
    [...truth.words.values()].filter((spoken) => spoken.dictationId === dictationId);

  /** Nobody has it open, and no other page has the place of its text. */
  function isSurelyOver(dictationId: string, { page }: Tab): boolean {
    const sinceMs = ports.overSinceMs(dictationId);
    if (sinceMs === undefined || scheduler.nowMs < sinceMs) return false;
    if (ports.isInserting(dictationId)) return false;
    // A stop that takes long is answered before its end: it is still shown, and not among what goes.
    if (locks.holders(`diktera:page:${dictationId}`).length > 0) return false;
    const holders = [`diktera:place:${dictationId}`, `diktera:claim:${dictationId}`].map(
      locks.holders,
    );
    return holders.flat().every((holder) => holder === page);
  }

  /** It may be gone from now on, if it comes to pass; then it must be, where that is certain. */
  function begin(
    what: string,
    tab: Tab,
    wanted: readonly Spoken[],
  ): (scope: 'queue' | 'all') => void {
    const sinceMs = scheduler.nowMs;
    deletedAtMs = sinceMs;
    for (const spoken of wanted) {
      if (spoken.mayBeLost === null || spoken.mayBeLost === CANCELLED) spoken.mayBeLost = 'deleted';
      // Had back before, it need not be there any more.
      spoken.isRestored = false;
    }
    const over = new Map<string, boolean>();
    for (const { dictationId } of wanted) over.set(dictationId, isSurelyOver(dictationId, tab));
    const sure = wanted.filter(({ dictationId }) => over.get(dictationId));
    return (scope) => {
      const gone = sure.filter(({ dictationId }) => !ports.isInserting(dictationId));
      // Had back while it was being deleted, it may be either.
      if (!ports.isStorageWhole() || undoneAtMs >= sinceMs) return;
      tell(`  ${what}: ${gone.length} words are gone`);
      for (const spoken of gone) {
        // Wanted anew before that, the whole recording may still be on its way.
        const isWanted = wantedAnew.has(spoken.dictationId);
        if (scope === 'queue' && isWanted) continue;
        spoken.gone = { atMs: scheduler.nowMs, scope };
      }
    };
  }

  function whole(
    what: string,
    tab: Tab,
    dictationIds: Iterable<string>,
    work: () => Promise<void>,
  ) {
    const done = begin(what, tab, [...dictationIds].flatMap(spokenIn));
    work().then(
      () => done('all'),
      () => tell(`  ${what} failed`),
    );
  }

  const sessionsOf = ({ owner }: Tab): Set<string> => {
    const theirs = [...truth.words.values()].filter((spoken) => isSame(spoken.owner, owner));
    return new Set(theirs.map(({ dictationId }) => dictationId));
  };

  function discard(tab: Tab): void {
    const [item] = tab.store.getSnapshot().queue.items;
    if (!item) return;
    const chunk = readQueue(disk).chunks.find(({ head }) => head.id === item.id);
    const said = spokenIn(item.dictationId);
    // A chunk that is not on disk yet is unknown here.
    const words = chunk && new Set(chunk.words);
    const done = begin(
      `discard of ${item.id}`,
      tab,
      words ? said.filter(({ word }) => words.has(word)) : said,
    );
    tab.dictation.discard(item.id);
    scheduler.after(SEEN_AFTER_MS, { realm: tab.page }, () => {
      const { queue } = tab.store.getSnapshot();
      const isSeenGone = queue.isLoaded && queue.items.every(({ id }) => id !== item.id);
      if (words && isSeenGone) done('queue');
    });
  }

  function discardKept(tab: Tab): void {
    const [kept] = tab.store.getSnapshot().kept;
    if (!kept) return;
    begin('discard of what is kept', tab, spokenIn(kept.dictationId));
    tab.dictation.discardKept(kept.dictationId);
  }

  function remove(tab: Tab): void {
    const { list } = tab.store.getSnapshot().recordings;
    const one = list.find(({ state }) => state.kind === 'waiting' || state.kind === 'delivered');
    if (!one) return;
    const { recordings } = tab.dictation;
    whole(`deletion of ${one.id}`, tab, [one.id], () => recordings.delete(one.id));
  }

  function removeAll(tab: Tab): void {
    const { recordings } = tab.dictation;
    const done = begin('deletion of all', tab, [...sessionsOf(tab)].flatMap(spokenIn));
    recordings.deleteAll().then(
      () => {
        if (ports.isEncoderWhole()) done('all');
      },
      () => {},
    );
  }

  /** Brings back the recordings that are still in the bin. */
  function undo(tab: Tab): void {
    const { list } = tab.store.getSnapshot().recordings;
    const binned = list.filter(({ state }) => state.kind === 'in-bin').map(({ id }) => id);
    const sinceMs = scheduler.nowMs;
    undoneAtMs = sinceMs;
    if (binned.length === 0) return;
    const before = binned.flatMap(spokenIn).map((spoken) => [spoken, spoken.gone] as const);
    // It may be sent again before anybody is told.
    for (const [spoken] of before) spoken.gone = null;
    const back = (): void => {
      const { records, sounds } = readRecordings(disk);
      const there = new Set(records.flatMap(({ id, isInBin }) => (isInBin ? [] : id)));
      const restored = new Set(binned.filter((id) => there.has(id)));
      tell(`  restored: ${[...restored].join(' ')}`);
      for (const [spoken, gone] of before) {
        const { dictationId, word } = spoken;
        if (!restored.has(dictationId)) spoken.gone ??= gone;
        // It goes into the bin again when its cancel cannot be undone any more.
        else if (cancelled.has(dictationId)) continue;
        else if (deletedAtMs < sinceMs && sounds.get(dictationId)?.has(word))
          spoken.isRestored = true;
      }
    };
    // As a page does: another may lie in the bin by now that it does not show yet.
    const asked = binned.map((id) => tab.dictation.recordings.undoDelete(id));
    Promise.allSettled(asked).then(back);
  }

  /**
   * Words still in the worker's hands are cancelled with the others, though spoken after the press.
   */
  function excuseCancelled(dictationId: string): void {
    if (!cancelled.has(dictationId)) return;
    for (const spoken of spokenIn(dictationId)) spoken.mayBeLost ??= CANCELLED;
  }

  /** The microphone hears nothing any more, be there a worker or not. */
  function checkDeaf(dictationId: string, sinceMs: number): void {
    const late = spokenIn(dictationId).filter(({ atMs }) => atMs > sinceMs + DEAF_AFTER_MS);
    const words = late.map(({ word }) => word).join(' ');
    if (words !== '') wrong(`heard after it was cancelled: ${words}`);
  }

  function cancel(tab: Tab): void {
    const before = tab.store.getSnapshot().cancelled;
    tab.dictation.cancel();
    const dictationId = tab.store.getSnapshot().cancelled;
    if (dictationId === null || dictationId === before) return;
    cancelled.add(dictationId);
    excuseCancelled(dictationId);
    const again = (afterMs: number, run: () => void) =>
      scheduler.after(afterMs, { realm: tab.page }, run);
    again(SEEN_AFTER_MS, () => excuseCancelled(dictationId));
    const sinceMs = scheduler.nowMs;
    again(THROWN_AWAY_MS, () => {
      if (!ports.hasStoodStill(tab)) checkDeaf(dictationId, sinceMs);
      if (!cancelled.has(dictationId) || ports.isDisturbed(tab)) return;
      if (!ports.isStorageWhole() || !ports.isEncoderWhole()) return;
      tell(`  cancelled ${dictationId} is gone`);
      for (const spoken of spokenIn(dictationId)) {
        spoken.gone = { atMs: scheduler.nowMs, scope: 'all' };
      }
    });
  }

  /** Its words are wanted as if it had been stopped. */
  function undoCancel(tab: Tab): void {
    const { cancelled: dictationId } = tab.store.getSnapshot();
    tab.dictation.undoCancel();
    if (dictationId === null || !cancelled.delete(dictationId)) return;
    tell(`  ${dictationId} is had back`);
    // A page that goes at once may leave it cancelled.
    scheduler.after(UNMARKED_MS, { realm: tab.page }, () => {
      // A death meanwhile may have taken the cancel along.
      if (ports.isDisturbed(tab) || !ports.isStorageWhole()) return;
      for (const spoken of spokenIn(dictationId)) {
        if (spoken.mayBeLost === CANCELLED) spoken.mayBeLost = null;
      }
    });
  }

  return {
    ask(event, tab) {
      switch (event.kind) {
        case 'wipe':
          whole('wipe', tab, sessionsOf(tab), () => tab.dictation.wipe());
          break;
        case 'discard':
          discard(tab);
          break;
        case 'discard-kept':
          discardKept(tab);
          break;
        case 'delete':
          remove(tab);
          break;
        case 'delete-all':
          removeAll(tab);
          break;
        case 'undo':
          undo(tab);
          break;
        case 'cancel':
          cancel(tab);
          break;
        case 'undo-cancel':
          undoCancel(tab);
      }
    },
    isCancelled: (dictationId) => cancelled.has(dictationId),
    wanted(dictationId) {
      wantedAnew.add(dictationId);
      for (const spoken of spokenIn(dictationId)) {
        if (spoken.gone?.scope === 'queue') spoken.gone = null;
      }
    },
    used(how, words) {
      const since = scheduler.nowMs - HEARD_WITHIN_MS;
      const deleted = words.filter((word) => {
        const gone = truth.words.get(word)?.gone;
        return gone && gone.atMs < since;
      });
      if (deleted.length > 0) wrong(`${how} after it was deleted: ${deleted.join(' ')}`);
    },
  };
}

/** Words that were deleted, and are where they must not be. */
export function findDeleted(
  truth: Truth,
  places: { readonly queue: ReadonlySet<Word>; readonly recordings: ReadonlySet<Word> },
): readonly string[] {
  const gone = [...truth.words.values()].filter(({ gone }) => gone !== null);
  const waiting = gone.filter(({ word }) => places.queue.has(word));
  const recorded = gone.filter(
    ({ word, gone }) => gone?.scope === 'all' && places.recordings.has(word),
  );
  const said = (where: string, found: readonly Spoken[]): string[] =>
    found.length === 0
      ? []
      : [`deleted and still in ${where}: ${found.map(({ word }) => word).join(' ')}`];
  return [...said('the queue or the journal', waiting), ...said('a recording', recorded)];
}
