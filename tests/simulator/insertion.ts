import { sleep } from '../../src/core/async.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { Tab } from './browser/tab.ts';
import type { Deletions } from './deletions.ts';
import { isSame } from './owners.ts';
import type { Scheduler } from './scheduler.ts';
import type { Truth } from './truth.ts';
import { disorderIn, type Word, wordsIn } from './words.ts';

/** The outcome of a text's insertion. */
export type Insertion = 'in' | 'in-late' | 'refused' | 'altered' | 'throws' | 'hangs';

/** Weighted by how often each occurs. */
export const INSERTIONS: readonly Insertion[] = [
  'in',
  'in',
  'in',
  'in-late',
  'in-late',
  'refused',
  'altered',
  'throws',
  'hangs',
];

/** Where a text goes: into its own place, or where a person takes it. */
export type Place = { readonly tab: Tab; readonly dictationId: string; readonly isItsOwn: boolean };

export type InsertionPorts = {
  readonly scheduler: Scheduler;
  readonly truth: Truth;
  readonly deletions: () => Deletions;
  /** A session that went on without its journal: words come twice, and so in no order. */
  readonly isUnread: (dictationId: string) => boolean;
  readonly count: (kind: string) => void;
  readonly tell: (line: string) => void;
  readonly wrong: (what: string) => void;
};

/** Fields, and what gets into them. */
export type Insertions = {
  /** Puts a text into a field, or does not. */
  insert(
    place: Place,
    how: Insertion,
    text: string,
    withdrawn: AbortSignal,
  ): Promise<DeliveryVerdict>;
  /** Takes the last so many insertions out of its own place, or does not. */
  takeOut(
    place: Place,
    how: Insertion,
    count: number,
    withdrawn: AbortSignal,
  ): Promise<DeliveryVerdict>;
  /** Something that was to be taken out of its own place still stands there. */
  isStuck(dictationId: string): boolean;
  /** A command came as text: rules are fetched in real time, and were not there in the story's. */
  isUnruled(dictationId: string): boolean;
  /** A person has taken it, perhaps before it was struck. */
  isTaken(word: Word): boolean;
  /** A text of the session is on its way into a field. */
  isUnderWay(dictationId: string): boolean;
  /** Its own place has been brought a text. */
  isServed(dictationId: string): boolean;
};

export function createInsertions(ports: InsertionPorts): Insertions {
  const { scheduler, truth, tell } = ports;
  const underWay = new Map<string, number>();
  const served = new Set<string>();
  /** By session, the insertions that stand in its own place. */
  const standing = new Map<string, (readonly Word[])[]>();
  const stuck = new Set<string>();
  const unruled = new Set<string>();
  const taken = new Set<Word>();

  /** None behind struck words that the field would not let go of: earlier ones may come back. */
  const wordBefore = (dictationId: string, own: readonly (readonly Word[])[]): Word | undefined =>
    stuck.has(dictationId) ? undefined : own.flat().at(-1);

  /** Words come in the order of speech, in a text and from one to the next in their own place. */
  function put({ tab, dictationId, isItsOwn }: Place, words: readonly string[]): void {
    for (const word of words) truth.delivered(word, scheduler.nowMs);
    ports.deletions().used('put in', words);
    const foreign = words.filter((word) => {
      const owner = truth.words.get(word)?.owner;
      return owner && !isSame(owner, tab.owner);
    });
    if (foreign.length > 0) ports.wrong(`another's words: ${foreign.join(' ')}`);
    const own = isItsOwn ? (standing.get(dictationId) ?? []) : [];
    const before = wordBefore(dictationId, own);
    const disorder = disorderIn(before === undefined ? words : [before, ...words]);
    if (disorder && !ports.isUnread(dictationId)) ports.wrong(`not in order: ${disorder}`);
    if (isItsOwn) standing.set(dictationId, [...own, words]);
    else for (const word of words) taken.add(word);
  }

  async function bring(
    place: Place,
    how: Insertion,
    words: readonly string[],
    withdrawn: AbortSignal,
  ): Promise<DeliveryVerdict> {
    switch (how) {
      case 'in':
        put(place, words);
        return true;
      case 'in-late':
        await sleep(scheduler.clockOf(place.tab.page), 100 + scheduler.random() * 3_000);
        if (withdrawn.aborted) return false;
        put(place, words);
        return true;
      case 'altered':
        put(place, words.slice(0, Math.ceil(words.length / 2)));
        return 'altered';
      case 'throws':
        throw new Error('Made to throw');
      case 'hangs':
        return new Promise(() => {});
      case 'refused':
        return false;
    }
  }

  return {
    async insert(place, how, text, withdrawn) {
      const { dictationId, isItsOwn } = place;
      const words = wordsIn(text);
      tell(`insert (${how}) ${text}`);
      if (/\p{L}/u.test(text)) unruled.add(dictationId);
      if (isItsOwn && words.length > 0 && ports.deletions().isCancelled(dictationId)) {
        ports.wrong(`brought to its place after it was cancelled: ${text}`);
      }
      if (how !== 'in') ports.count(`insertion ${how}`);
      underWay.set(dictationId, (underWay.get(dictationId) ?? 0) + 1);
      try {
        return await bring(place, how, words, withdrawn);
      } finally {
        underWay.set(dictationId, (underWay.get(dictationId) ?? 0) - 1);
        if (isItsOwn && words.length > 0) served.add(dictationId);
      }
    },
    async takeOut({ tab, dictationId }, how, count, withdrawn) {
      tell(`take out ${count} (${how})`);
      stuck.add(dictationId);
      if (how === 'in-late')
        await sleep(scheduler.clockOf(tab.page), 100 + scheduler.random() * 3_000);
      if (how === 'refused' || withdrawn.aborted) return false;
      const own = standing.get(dictationId) ?? [];
      if (own.length < count) ports.wrong(`${count} of ${own.length} insertions were struck`);
      for (const word of own.splice(-count).flat()) truth.words.get(word)?.deliveredAtMs.pop();
      stuck.delete(dictationId);
      return true;
    },
    isStuck: (dictationId) => stuck.has(dictationId),
    isUnruled: (dictationId) => unruled.has(dictationId),
    isTaken: (word) => taken.has(word),
    isUnderWay: (dictationId) => (underWay.get(dictationId) ?? 0) > 0,
    isServed: (dictationId) => served.has(dictationId),
  };
}
