import { promisifyRequest } from 'idb-keyval';
import {
  FRAME_SAMPLES,
  rangeSamples,
  type SampleRange,
} from '../../src/core/audio/audio-format.ts';
import { concatPcm16 } from '../../src/core/audio/samples.ts';
import type {
  JournalHeader,
  JournalMark,
  JournalPart,
  JournalRecording,
} from '../../src/core/session/journal.ts';
import {
  audioKey,
  audioOf,
  changeRow,
  cutOf,
  dictationOf,
  headerOf,
  isMark,
  pcmOf,
  rangeOf,
  rowOf,
} from './records.ts';
import { MAX_RECORD_SAMPLES } from './write-behind.ts';

/**
 * About 8 s of silence are deleted at a time: often enough for the disk, rare enough to be cheap.
 */
const SAMPLES_PER_ERASURE = 84 * FRAME_SAMPLES;

/**
 * The audio of a dictation that may be deleted from the journal: all that was cut, and silence once
 * there is enough of it to be worth deleting, except what its recording still needs.
 */
export type JournalAudio = ReturnType<typeof createJournalAudio>;

/** Makes one of a session whose recording needs nothing, until `keepFrom`. */
export function createJournalAudio() {
  let keptFrom = Number.POSITIVE_INFINITY;
  let isKept = false;
  let cutUpTo = 0;
  /** Silence that the recording still needs. */
  let kept: readonly SampleRange[] = [];
  let gathered: SampleRange[] = [];
  let gatheredSamples = 0;
  let lastGiven: SampleRange | undefined;

  const freeBefore = (sample: number): number => Math.min(sample, keptFrom);

  function takeAll(): readonly SampleRange[] {
    const taken = gathered;
    lastGiven = taken.at(-1) ?? lastGiven;
    gathered = [];
    gatheredSamples = 0;
    return taken;
  }

  function gather(range: SampleRange): readonly SampleRange[] {
    if (rangeSamples(range) <= 0) return [];
    gatheredSamples += rangeSamples(range);
    const last = gathered.at(-1);
    if (last && range.startSample <= last.endSample) {
      gathered[gathered.length - 1] = {
        startSample: Math.min(last.startSample, range.startSample),
        endSample: Math.max(last.endSample, range.endSample),
      };
    } else if (lastGiven && range.startSample <= lastGiven.endSample) {
      // A record that lies over the seam was not wholly inside what was deleted.
      const startSample = Math.min(range.startSample, lastGiven.endSample - MAX_RECORD_SAMPLES);
      gathered.push({
        startSample: Math.max(lastGiven.startSample, startSample),
        endSample: range.endSample,
      });
    } else {
      gathered.push(range);
    }
    return gatheredSamples < SAMPLES_PER_ERASURE ? [] : takeAll();
  }

  /**
   * Silence, in the order of time, which may touch or overlap: what to delete now, usually none.
   */
  function drop({ startSample, endSample }: SampleRange): readonly SampleRange[] {
    if (endSample > keptFrom) {
      kept = [...kept, { startSample: Math.max(startSample, keptFrom), endSample }];
    }
    if (startSample >= keptFrom) return [];
    return gather({ startSample, endSample: freeBefore(endSample) });
  }

  return {
    drop,
    /** All silence that may go and was not given yet. */
    takeAll,
    /** True if its recording needs some of it, or will. */
    get isNeeded() {
      return keptFrom < Number.POSITIVE_INFINITY;
    },
    /** The sample up to which audio before `sample` may be deleted now. */
    freeBefore,
    /** The cut has moved, on disk: what its recording does not need any more goes up to here. */
    cut(upToSample: number): number {
      if (!isKept) return 0;
      cutUpTo = Math.max(cutUpTo, upToSample);
      return freeBefore(cutUpTo);
    },
    /** Its recording needs it from here on: what to delete of silence, and all up to a sample. */
    keepFrom(sample: number): { silence: readonly SampleRange[]; upToSample: number } {
      keptFrom = isKept ? Math.max(keptFrom, sample) : sample;
      isKept = true;
      const waiting = kept;
      kept = [];
      return { silence: waiting.flatMap(drop), upToSample: freeBefore(cutUpTo) };
    },
  };
}

export function isWithin(frame: SampleRange | undefined, ranges: readonly SampleRange[]): boolean {
  return (
    frame !== undefined &&
    ranges.some(
      ({ startSample, endSample }) =>
        frame.startSample >= startSample && frame.endSample <= endSample,
    )
  );
}

/** Deletes, inside a transaction, the frames that lie wholly inside the ranges; reads keys only. */
export function eraseFrames(
  audio: IDBObjectStore,
  dictationId: string,
  ranges: readonly SampleRange[],
): void {
  for (const range of ranges) {
    const request = audio.getAllKeys(
      IDBKeyRange.bound(
        audioKey('pcm', dictationId, range.startSample),
        audioKey('pcm', dictationId, range.endSample),
      ),
    );
    request.onsuccess = () => {
      const keys = request.result;
      // Frames begin inside the range; only the last can reach beyond it.
      const outside = keys.findIndex((key) => !isWithin(rangeOf(key), [range]));
      const last = outside < 0 ? keys.length : outside;
      if (last > 0) audio.delete(IDBKeyRange.bound(keys[0], keys[last - 1]));
    };
  }
}

/** Deletes, inside a transaction, a session's marks before a sample. */
export function eraseMarks(audio: IDBObjectStore, dictationId: string, beforeSample: number): void {
  audio.delete(
    IDBKeyRange.bound(audioKey('mark', dictationId), audioKey('mark', dictationId, beforeSample)),
  );
}

/** Deletes, inside a transaction, all that a recovery would need of a session. */
export async function eraseSession(
  audio: IDBObjectStore,
  dictations: IDBObjectStore,
  dictationId: string,
): Promise<void> {
  for (const kind of ['pcm', 'mark', 'taken'] as const) audio.delete(audioOf(kind, dictationId));
  await changeRow(dictations, dictationId, (row) => (row ? { ...row, journal: null } : null));
}

/** Records read at a time: 1.5 MB at most, so that no single message from the database is huge. */
const RECORDS_PER_PAGE = 250;

/** Reads what is left of a session, inside a transaction; undefined if that is nothing. */
export async function readRecording(
  dictations: IDBObjectStore,
  audio: IDBObjectStore,
  dictationId: string,
  from: 'start' | 'cut',
): Promise<JournalRecording | undefined> {
  const [row, marks, keys, takenKeys] = await Promise.all([
    promisifyRequest<unknown>(dictations.get(dictationId)),
    promisifyRequest<unknown[]>(audio.getAll(audioOf('mark', dictationId))),
    promisifyRequest(audio.getAllKeys(audioOf('pcm', dictationId))),
    promisifyRequest(audio.getAllKeys(audioOf('taken', dictationId))),
  ]);
  if (!isJournalled(row) && keys.length === 0) return undefined;
  const [firstKey = []] = keys;
  const cut = cutOf(row, rangeOf(firstKey)?.startSample ?? 0);
  const fromSample = from === 'cut' ? cut.cutUpToSample : 0;
  const notes: string[] = [];
  const wanted = keys.filter((key) => (rangeOf(key)?.endSample ?? 0) > fromSample);
  const taken = from === 'cut' ? takenKeys.flatMap((key) => rangeOf(key, 'taken') ?? []) : [];
  const frames = await readFrames(audio, wanted, notes);
  return {
    header: headerOf(dictationId, row),
    cut,
    parts: assembleParts(frames, marks.filter(isMark) satisfies JournalMark[], fromSample),
    taken,
    notes,
  };
}

/** A row that cannot be read may be one. */
function isJournalled(row: unknown): boolean {
  return row !== undefined && rowOf(row)?.journal !== null;
}

async function readFrames(
  audio: IDBObjectStore,
  keys: readonly IDBValidKey[],
  notes: string[],
): Promise<StoredFrame[]> {
  const frames: StoredFrame[] = [];
  for (let first = 0; first < keys.length; first += RECORDS_PER_PAGE) {
    const page = keys.slice(first, first + RECORDS_PER_PAGE);
    const values = await promisifyRequest<unknown[]>(
      audio.getAll(IDBKeyRange.bound(page[0], page.at(-1))),
    );
    for (const [index, key] of page.entries()) {
      const range = rangeOf(key);
      if (!range) continue;
      const pcm = pcmOf(range, values[index]);
      frames.push({ ...range, pcm });
      if (!pcm) notes.push(`Unreadable audio record ${JSON.stringify(key)} skipped`);
    }
  }
  return frames;
}

/**
 * The headers of all sessions of which anything is left, inside a transaction; oldest first.
 * `isOwn` is asked of each as it is stored.
 */
export async function readHeaders(
  dictations: IDBObjectStore,
  audio: IDBObjectStore,
  isOwn: (stored: unknown) => boolean,
): Promise<JournalHeader[]> {
  const [keys, rows, withAudio] = await Promise.all([
    promisifyRequest(dictations.getAllKeys()),
    promisifyRequest<unknown[]>(dictations.getAll()),
    sessionsWithAudio(audio),
  ]);
  const stored = new Map(keys.map((key, index) => [String(key), rows[index]] as const));
  const journalled = [...stored.keys()].filter((id) => isJournalled(stored.get(id)));
  return [...new Set([...journalled, ...withAudio])]
    .filter((dictationId) => isOwn(stored.get(dictationId)))
    .map((dictationId) => headerOf(dictationId, stored.get(dictationId)))
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

/** Hops from session to session over the keys, without reading the frames between. */
function sessionsWithAudio(audio: IDBObjectStore): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const dictationIds: string[] = [];
    const request = audio.openKeyCursor(audioOf('pcm'));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      const dictationId = cursor ? dictationOf(cursor.key) : undefined;
      if (!cursor || dictationId === undefined) {
        resolve(dictationIds);
        return;
      }
      dictationIds.push(dictationId);
      cursor.continue(['pcm', dictationId, []]);
    };
  });
}

/** A frame as stored; without PCM its record could not be read. */
type StoredFrame = SampleRange & { readonly pcm: Int16Array | undefined };

/**
 * Puts stored frames together: neighbours become one stretch, a stretch ends at a hole and at a
 * mark, and samples that stand in two frames come once.
 *
 * `frames` and `marks` are in the order of time; what lies before `fromSample` is left out.
 */
function assembleParts(
  frames: readonly StoredFrame[],
  marks: readonly JournalMark[],
  fromSample: number,
): JournalPart[] {
  const parts: JournalPart[] = [];
  const waitingMarks = marks.filter(({ atSample }) => atSample >= fromSample);
  let stretch: Int16Array[] = [];
  let stretchStart = fromSample;
  let position = fromSample;
  let markIndex = 0;

  function endStretch(): void {
    if (stretch.length > 0) {
      parts.push({ kind: 'audio', startSample: stretchStart, pcm: concatPcm16(stretch) });
    }
    stretch = [];
  }

  function skipTo(sample: number, cause: 'silent' | 'unreadable' = 'silent'): void {
    if (sample <= position) return;
    endStretch();
    parts.push({ kind: 'hole', cause, startSample: position, endSample: sample });
    position = sample;
  }

  function addAudio(frame: StoredFrame, endSample: number): void {
    if (endSample <= position) return;
    skipTo(frame.startSample);
    if (!frame.pcm) {
      skipTo(endSample, 'unreadable');
      return;
    }
    if (stretch.length === 0) stretchStart = position;
    const first = position - frame.startSample;
    stretch.push(frame.pcm.subarray(first, endSample - frame.startSample));
    position = endSample;
  }

  /** Passes the marks up to a sample, and the part of the frame before each. */
  function passMarks(upToSample: number, frame?: StoredFrame): void {
    for (;;) {
      const mark = waitingMarks[markIndex];
      if (!mark || mark.atSample > upToSample) return;
      if (frame && mark.atSample > frame.startSample) addAudio(frame, mark.atSample);
      skipTo(mark.atSample);
      endStretch();
      parts.push({ kind: mark.kind, atSample: mark.atSample });
      markIndex += 1;
    }
  }

  for (const frame of frames) {
    passMarks(frame.startSample);
    passMarks(frame.endSample - 1, frame);
    addAudio(frame, frame.endSample);
  }
  endStretch();
  passMarks(Number.POSITIVE_INFINITY);
  return parts;
}
