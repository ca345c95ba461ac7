import { type RecordingRecord, transcriptsOf } from '../../src/core/recordings/recording-record.ts';
import { LEDGER_PLACES, samplesInPlaces } from '../../src/core/session/sample-ledger.ts';
import type { Disk } from './browser/database.ts';
import type { Tab } from './browser/tab.ts';
import { readJournal, readQueue, readRecordings, type Spoken, type Truth } from './truth.ts';
import { type Word, wordsIn } from './words.ts';

export type EndOfStory = {
  readonly truth: Truth;
  readonly disk: Disk;
  /** The pages that are still there. */
  readonly tabs: readonly Tab[];
  /** What the user still waits for. */
  readonly pending: ReadonlySet<string>;
  /** Sessions that went on without their journal: what was said may come twice. */
  readonly unread: ReadonlySet<string>;
  /** Sound that cannot be encoded is not kept. */
  readonly hasEncoderFailed: boolean;
  /** Where storage has failed, an account may not know of a chunk that another tab has settled. */
  readonly hasStoreFailed: boolean;
};

/** What must not be at the end of a story, when all faults are over and all has been asked for. */
export function findFaults(end: EndOfStory): {
  readonly wrongs: readonly string[];
  readonly lost: number;
  readonly doubled: number;
} {
  const disk = findOnDisk(end);
  const { lost, doubled } = findWords(end, disk.offered);
  const accounts = end.hasStoreFailed ? [] : end.tabs.flatMap(findInAccount);
  const wrongs = [...disk.wrongs, ...accounts, ...findInRecordings(end)];
  for (const what of end.pending) wrongs.push(`${what} has not ended`);
  if (lost.length > 0) wrongs.push(`lost: ${lost.join(' ')}`);
  if (doubled.length > 0) wrongs.push(`doubled: ${doubled.join(' ')}`);
  return { wrongs, lost: lost.length, doubled: doubled.length };
}

/** What is on disk must be in a list, and what is in a list is offered. */
function findOnDisk({ disk, tabs }: EndOfStory): {
  readonly wrongs: readonly string[];
  readonly offered: ReadonlySet<Word>;
} {
  const wrongs: string[] = [];
  const { chunks, lonely } = readQueue(disk);
  const snapshots = tabs.map(({ store }) => store.getSnapshot());
  const shown = new Set(snapshots.flatMap(({ queue }) => queue.items.map(({ id }) => id)));
  const kept = new Set(snapshots.flatMap((snapshot) => snapshot.kept.map((one) => one.sessionId)));
  const offered = new Set<Word>();
  for (const { head, words } of chunks) {
    if (shown.has(head.id)) for (const word of words) offered.add(word);
    else wrongs.push(`chunk ${head.id} (${head.state.kind}) is on disk and in no list`);
    if (head.state.kind !== 'doubted') wrongs.push(`chunk ${head.id} is still ${head.state.kind}`);
  }
  for (const id of lonely) wrongs.push(`record of ${id} without its other half`);
  for (const [sessionId, words] of readJournal(disk)) {
    if (kept.has(sessionId)) for (const word of words) offered.add(word);
    else wrongs.push(`journal of ${sessionId} is on disk and nobody's`);
  }
  return { wrongs, offered };
}

/**
 * Every recording has ended, has nothing under way, and all that was delivered of it in its sound
 * and its text.
 */
function findInRecordings({
  disk,
  truth,
  hasStoreFailed,
  hasEncoderFailed,
}: EndOfStory): readonly string[] {
  const { records, sounds } = readRecordings(disk);
  const wrongs: string[] = [];
  const spoken = [...truth.words.values()];
  for (const record of records) {
    const { id, endedAtMs, asked } = record;
    if (endedAtMs === null) wrongs.push(`recording ${id} has not ended`);
    if (asked) wrongs.push(`recording ${id} is still being written down again`);
    if (hasStoreFailed) continue;
    const said = spoken.filter((one) => one.sessionId === id && one.deliveredAtMs.length > 0);
    const text = textOf(record);
    const isSoundless = hasEncoderFailed && record.durationSamples === 0;
    // A dead session that is wiped before it was recovered takes the sound it had not encoded along.
    const heard = said.filter(({ mayBeLost }) => mayBeLost !== 'wiped');
    const unheard = isSoundless ? [] : heard.filter(({ word }) => !sounds.get(id)?.has(word));
    const unread = said.filter(({ word, mayBeLost }) => !mayBeLost && text?.has(word) === false);
    for (const [where, missing] of Object.entries({ sound: unheard, text: unread })) {
      if (missing.length === 0) continue;
      const words = missing.map(({ word }) => word).join(' ');
      wrongs.push(`not in the ${where} of recording ${id}: ${words}`);
    }
  }
  const known = new Set(records.map(({ id }) => id));
  for (const id of sounds.keys()) if (!known.has(id)) wrongs.push(`sound of ${id} is nobody's`);
  return wrongs;
}

/** The words of a recording's first text; null where it says itself that it may not be all. */
function textOf(record: RecordingRecord): ReadonlySet<Word> | null {
  const first = transcriptsOf(record).find(({ by }) => by.kind === 'first');
  return first?.doubt ? null : new Set(wordsIn(first?.text ?? ''));
}

/** Every word went into a field once, or is offered. */
function findWords(
  { truth, unread }: EndOfStory,
  offered: ReadonlySet<Word>,
): { readonly lost: readonly Word[]; readonly doubled: readonly Word[] } {
  const spoken = [...truth.words.values()];
  const isLost = (one: Spoken): boolean =>
    one.deliveredAtMs.length === 0 && one.mayBeLost === null && !offered.has(one.word);
  const isDoubled = (one: Spoken): boolean =>
    one.deliveredAtMs.length > 1 && one.mayBeDoubled === null && !unread.has(one.sessionId);
  return {
    lost: spoken.filter(isLost).map(({ word }) => word),
    doubled: spoken.filter(isDoubled).map(({ word }) => word),
  };
}

/** Every captured sample is in one place. */
function findInAccount({ store }: Tab): readonly string[] {
  const { ledger } = store.getSnapshot();
  const isWrong =
    samplesInPlaces(ledger) !== ledger.capturedSamples ||
    LEDGER_PLACES.some((place) => ledger[place] < 0) ||
    ledger.lostReasons.unaccounted !== 0;
  return isWrong ? [`the account does not add up: ${JSON.stringify(ledger)}`] : [];
}
