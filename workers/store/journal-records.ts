import type { SampleRange } from '../../src/core/audio/sample-range.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { JournalCut } from '../../src/core/queue/journal-cut.ts';
import { type Owned, withoutOwner } from '../../src/core/queue/owner.ts';
import {
  JOURNAL_SCHEMA_VERSION,
  type JournalHeader,
  type JournalMark,
  NO_CUT,
  unreadableCut,
} from '../../src/core/session/journal.ts';

/**
 * The kinds of records a session has; the first element of every key, the session's id is the
 * second.
 */
export const JOURNAL_RECORD_KINDS = ['header', 'cut', 'taken', 'mark', 'pcm'] as const;

type JournalRecordKind = (typeof JOURNAL_RECORD_KINDS)[number];

/** A session's `JournalHeader`. */
export function headerKey(sessionId: string): IDBValidKey {
  return ['header', sessionId];
}

/** A session's `JournalCut`. */
export function cutKey(sessionId: string): IDBValidKey {
  return ['cut', sessionId];
}

/** A range that is in a chunk already, while no cut is known: `JournalCut.taken`. */
export function takenKey(sessionId: string, range: SampleRange): IDBValidKey {
  return ['taken', sessionId, range.startSample, range.endSample];
}

/** A `JournalMark`. */
export function markKey(sessionId: string, mark: JournalMark): IDBValidKey {
  return ['mark', sessionId, mark.atSample, mark.kind];
}

/**
 * A frame, or a few that follow one another: 16-bit PCM in an ArrayBuffer. Both ends stand in the
 * key, so that dropping and counting read keys only, and what is written twice is one record.
 */
export function pcmKey(sessionId: string, range: SampleRange): IDBValidKey {
  return ['pcm', sessionId, range.startSample, range.endSample];
}

/**
 * All records of a kind, of one session or of all. An array sorts after every number and string.
 */
export function recordsOf(kind: JournalRecordKind, sessionId?: string): IDBKeyRange {
  const prefix = sessionId === undefined ? [kind] : [kind, sessionId];
  return IDBKeyRange.bound(prefix, [...prefix, []]);
}

/** The session a key belongs to; undefined if it is no key of ours. */
export function sessionOf(key: IDBValidKey): string | undefined {
  const sessionId = Array.isArray(key) ? key[1] : undefined;
  return typeof sessionId === 'string' ? sessionId : undefined;
}

/** Which samples a key of PCM, or of what is taken, stands for; undefined if it is no such key. */
export function pcmRangeOf(
  key: IDBValidKey,
  kind: 'pcm' | 'taken' = 'pcm',
): SampleRange | undefined {
  if (!Array.isArray(key) || key[0] !== kind) return undefined;
  const [, , startSample, endSample] = key;
  return typeof startSample === 'number' && typeof endSample === 'number'
    ? { startSample, endSample }
    : undefined;
}

/** The sample behind which a mark stands; undefined if the key is none of a mark. */
export function markRangeOf(key: IDBValidKey): SampleRange | undefined {
  if (!Array.isArray(key) || key[0] !== 'mark') return undefined;
  const [, , atSample] = key;
  return typeof atSample === 'number'
    ? { startSample: atSample, endSample: atSample + 1 }
    : undefined;
}

/** A frame's PCM, or undefined if the record is not what its key says. */
export function pcmOf(range: SampleRange, value: unknown): Int16Array | undefined {
  const bytes = (range.endSample - range.startSample) * Int16Array.BYTES_PER_ELEMENT;
  return value instanceof ArrayBuffer && value.byteLength === bytes
    ? new Int16Array(value)
    : undefined;
}

/**
 * A stored header, or, if it can't be read, one that still lets the audio be made into text: with
 * the default options, which mask personal data.
 */
export function headerOf(sessionId: string, value: unknown): JournalHeader {
  const header = value ? withoutOwner(value as Owned<Partial<JournalHeader>>) : undefined;
  const isWhole =
    header?.schemaVersion === JOURNAL_SCHEMA_VERSION &&
    header.sessionId === sessionId &&
    typeof header.startedAtMs === 'number' &&
    typeof header.options === 'object';
  if (isWhole) return header as JournalHeader;
  return {
    sessionId,
    startedAtMs: 0,
    options: DEFAULT_SESSION_OPTIONS,
    target: null,
    schemaVersion: JOURNAL_SCHEMA_VERSION,
  };
}

/**
 * A stored cut; none was noted if there is no record of it. `firstSample` is where the audio that
 * is left begins: there a cut is taken to be that cannot be read.
 */
export function cutOf(value: unknown, firstSample: number): JournalCut {
  if (value === undefined) return NO_CUT;
  const cut = value as Partial<JournalCut> | null;
  const isWhole = typeof cut?.nextChunkNumber === 'number' && typeof cut.cutUpToSample === 'number';
  // One that does not say, from an older version, is taken to be in speech: silence kept is no word
  // lost.
  return isWhole
    ? { ...(cut as JournalCut), isInSpeech: cut?.isInSpeech ?? true }
    : unreadableCut(firstSample);
}

/** Whether a stored value is a mark. */
export function isMark(value: unknown): value is JournalMark {
  const mark = value as Partial<JournalMark> | null;
  return (mark?.kind === 'paused' || mark?.kind === 'gap') && typeof mark.atSample === 'number';
}
