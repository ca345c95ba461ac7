import { isClosed, isForReview } from '../../src/core/queue/queue-item.ts';
import { type RecordingRecord, transcriptsOf } from '../../src/core/recordings/recording-record.ts';
import { LEDGER_PLACES, samplesInPlaces } from '../../src/core/session/snapshot.ts';
import type { Disk } from './browser/database.ts';
import type { Tab } from './browser/tab.ts';
import { findDeleted } from './deletions.ts';
import { isSame } from './owners.ts';
import {
  readJournal,
  readQueue,
  readRecordings,
  type Spoken,
  storedChunks,
  type Truth,
} from './truth.ts';
import { disorderIn, type Word, wordsIn } from './words.ts';

export type EndOfStory = {
  readonly truth: Truth;
  readonly disk: Disk;
  /** The pages that are still there. */
  readonly tabs: readonly Tab[];
  /** Texts that the user still waits for. */
  readonly pending: ReadonlySet<string>;
  /** Sessions that went on without their journal: what was said may come twice. */
  readonly unread: ReadonlySet<string>;
  /** Sound that cannot be encoded is not kept. */
  readonly hasEncoderFailed: boolean;
  /** Where storage has failed, an account may not know of a chunk that another tab has settled. */
  readonly hasStoreFailed: boolean;
  /** The clock was set on by as long as recordings are kept: what was had back is over at once. */
  readonly hasKeepingPassed: boolean;
};

/** Faults at the end of a story, when all disturbances are over and all retries have run. */
export function findFaults(end: EndOfStory): {
  readonly wrongs: readonly string[];
  readonly lost: number;
  readonly doubled: number;
} {
  const disk = findOnDisk(end);
  const { lost, doubled } = findWords(end, disk.offered);
  const accounts = end.hasStoreFailed ? [] : end.tabs.flatMap(findInAccount);
  const shown = end.tabs.flatMap((tab) => findForeign(tab, end));
  const wrongs = [
    ...shown,
    ...disk.wrongs,
    ...accounts,
    ...findInRecordings(end),
    ...findGone(end),
  ];
  for (const what of end.pending) wrongs.push(`${what} has not ended`);
  if (lost.length > 0) wrongs.push(`lost: ${lost.join(' ')}`);
  if (doubled.length > 0) wrongs.push(`doubled: ${doubled.join(' ')}`);
  return { wrongs, lost: lost.length, doubled: doubled.length };
}

/** Everything on disk must be in a list, and everything in a list must be offered. */
function findOnDisk({ disk, tabs }: EndOfStory): {
  readonly wrongs: readonly string[];
  readonly offered: ReadonlySet<Word>;
} {
  const wrongs: string[] = [];
  const { chunks, lonely } = readQueue(disk);
  const snapshots = tabs.map(({ store }) => store.getSnapshot());
  const shown = new Set(snapshots.flatMap(({ queue }) => queue.items.map(({ id }) => id)));
  const kept = new Set(
    snapshots.flatMap((snapshot) => snapshot.kept.map((one) => one.dictationId)),
  );
  const offered = new Set<Word>();
  for (const { head, words } of chunks) {
    if (shown.has(head.id)) for (const word of words) offered.add(word);
    else wrongs.push(`chunk ${head.id} (${head.state.kind}) is on disk and in no list`);
    if (!isForReview(head.state)) wrongs.push(`chunk ${head.id} is still ${head.state.kind}`);
  }
  const onDisk = new Set(chunks.map(({ head }) => head.id));
  const phantoms = [...shown].filter((id) => disk.isAtRest && !onDisk.has(id));
  wrongs.push(...phantoms.map((id) => `chunk ${id} is in a list and not on disk`));
  for (const id of lonely) wrongs.push(`record of ${id} without its other half`);
  for (const [dictationId, words] of readJournal(disk)) {
    if (kept.has(dictationId)) for (const word of words) offered.add(word);
    else wrongs.push(`journal of ${dictationId} is on disk and nobody's`);
  }
  return { wrongs, offered };
}

/** Every recording is at rest, and nobody's sound is left. */
function findInRecordings(end: EndOfStory): readonly string[] {
  const { records, sounds } = readRecordings(end.disk);
  const known = new Set(records.map(({ id }) => id));
  const lonely = [...sounds.keys()].filter((id) => !known.has(id));
  const texts = storedChunks(end.disk).filter(
    ({ dictationId, state }) => isClosed(state) && !known.has(dictationId),
  );
  return [
    ...records.flatMap((record) => [
      ...findInRecord(record, end),
      ...findMissing(record, sounds.get(record.id) ?? new Set(), end),
    ]),
    ...lonely.map((id) => `sound of ${id} is nobody's`),
    ...texts.map(({ id }) => `text of ${id} is nobody's`),
  ];
}

/** A recording has ended, has nothing under way, and its texts are in the order of speech. */
function findInRecord(
  record: RecordingRecord,
  { unread, hasStoreFailed }: EndOfStory,
): readonly string[] {
  const { id, endedAtMs, asked, isInBin } = record;
  const wrongs: string[] = [];
  if (endedAtMs === null) wrongs.push(`recording ${id} has not ended`);
  if (asked) wrongs.push(`recording ${id} is still being written down again`);
  if (isInBin) wrongs.push(`recording ${id} is still in the bin`);
  // Words that storage refused are cut again, elsewhere and with other numbers.
  if (unread.has(id) || hasStoreFailed) return wrongs;
  for (const { text } of transcriptsOf(record)) {
    const disorder = disorderIn(wordsIn(text));
    if (disorder) wrongs.push(`not in order in the text of recording ${id}: ${disorder}`);
  }
  return wrongs;
}

/** All that was delivered of a recording is in its sound and its text. */
function findMissing(
  record: RecordingRecord,
  sound: ReadonlySet<Word>,
  { truth, hasStoreFailed, hasEncoderFailed }: EndOfStory,
): readonly string[] {
  if (hasStoreFailed) return [];
  const spoken = [...truth.words.values()].filter(({ dictationId }) => dictationId === record.id);
  const said = spoken.filter(({ deliveredAtMs }) => deliveredAtMs.length > 0);
  const text = textOf(record);
  const isSoundless = hasEncoderFailed && record.durationSamples === 0;
  // A dead session that is wiped before it was recovered takes the sound it had not encoded along.
  const heard = said.filter(({ mayBeLost }) => mayBeLost !== 'deleted');
  const unheard = isSoundless ? [] : heard.filter(({ word }) => !sound.has(word));
  const unread = said.filter(({ word, mayBeLost }) => !mayBeLost && text?.has(word) === false);
  return Object.entries({ sound: unheard, text: unread }).flatMap(([where, missing]) => {
    const words = missing.map(({ word }) => word).join(' ');
    return words === '' ? [] : [`not in the ${where} of recording ${record.id}: ${words}`];
  });
}

/** The words of a recording's first text; null where it says itself that it may not be all. */
function textOf(record: RecordingRecord): ReadonlySet<Word> | null {
  const first = transcriptsOf(record).find(({ by }) => by.kind === 'first');
  return first?.needsReview ? null : new Set(wordsIn(first?.text ?? ''));
}

/** Nobody sees what another has said. */
function findForeign({ page, owner, store }: Tab, { truth }: EndOfStory): readonly string[] {
  const { queue, recordings, kept } = store.getSnapshot();
  const theirs = new Map([...truth.words.values()].map((one) => [one.dictationId, one.owner]));
  const dictationIds = [
    ...queue.items.map(({ dictationId }) => dictationId),
    ...recordings.list.map(({ id }) => id),
    ...kept.map(({ dictationId }) => dictationId),
  ];
  const foreign = dictationIds.filter((id) => !isSame(theirs.get(id) ?? owner, owner));
  return foreign.map((id) => `${page.name} shows ${id}, which is another's`);
}

/** Deleted words must be nowhere, and restored words in their recording. */
function findGone(end: EndOfStory): string[] {
  const { disk, truth } = end;
  const queued = readQueue(disk).chunks.flatMap(({ words }) => words);
  const journalled = [...readJournal(disk).values()].flat();
  const { records, sounds } = readRecordings(disk);
  const texts = records.flatMap((record) => transcriptsOf(record).map(({ text }) => text));
  const heard = new Set([...sounds.values()].flatMap((words) => [...words]));
  const wrongs = findDeleted(truth, {
    queue: new Set([...queued, ...journalled]),
    recordings: new Set([...heard, ...texts.flatMap(wordsIn)]),
  });
  const missing = [...truth.words.values()].filter(
    ({ word, isRestored }) => isRestored && !heard.has(word),
  );
  const isExcused = end.hasStoreFailed || end.hasEncoderFailed || end.hasKeepingPassed;
  if (isExcused || missing.length === 0) return [...wrongs];
  return [...wrongs, `had back and not there: ${missing.map(({ word }) => word).join(' ')}`];
}

/** Every word went into a field once, or is offered. */
function findWords(
  { truth }: EndOfStory,
  offered: ReadonlySet<Word>,
): { readonly lost: readonly Word[]; readonly doubled: readonly Word[] } {
  const spoken = [...truth.words.values()];
  const isLost = (one: Spoken): boolean =>
    one.deliveredAtMs.length === 0 && one.mayBeLost === null && !offered.has(one.word);
  const isDoubled = (one: Spoken): boolean =>
    one.deliveredAtMs.length > 1 && one.mayBeDoubled === null;
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
