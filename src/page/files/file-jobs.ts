import type { EditableField, PieceTrail } from '../../field/editable-field.ts';
import type { Spacing } from '../../field/insertion-text.ts';
import type { SavedCursor } from '../../field/saved-cursors.ts';
import {
  FileError,
  type FileFault,
  type FileStep,
  type FileTextsPorts,
  type TimedPart,
  textsOfFile,
  timedParts,
} from '../../files/file-texts.ts';
import { newId } from '../../platform/ids.ts';
import type { Hold } from '../../platform/locks.ts';
import {
  forgetFile,
  keepFile,
  noteProgress,
  type TakenFile,
  takeFiles,
} from '../../platform/opened-files.ts';

/** A file on its way to text. */
export type FileJob = {
  readonly key: number;
  readonly name: string;
  readonly state: /** `interrupted`: its page went before all of it was text. */
    | { readonly kind: 'waiting' | 'done' | 'cancelled' | 'interrupted' }
    /** `share`: from 0 to 1; null where the server reads it whole, and tells nothing meanwhile. */
    | { readonly kind: 'reading'; readonly share: number | null }
    | { readonly kind: 'failed'; readonly fault: FileFault };
  /** All that has been heard in it so far, in order. */
  readonly parts: readonly TimedPart[];
  /** Texts that are not in the note: they come with the next one, or the person inserts them. */
  readonly untaken: readonly string[];
  /** Some of its texts went into the note. */
  readonly isInNote: boolean;
  /** Parts of it could not be read. */
  readonly isDamaged: boolean;
};

/** Faults that time or the person can end: the file then goes on where it stopped. */
export const PASSING: readonly FileFault[] = ['no-server', 'signed-out', 'language-missing'];

/** The note is saved within this time after an insertion. */
const STORED_AFTER_MS = 1_000;

type FileJobsPorts = FileTextsPorts & {
  readonly field: () => EditableField | null;
  /** False while somebody dictates: an empty note waits for those words. */
  readonly isNoteFree: () => boolean;
  readonly spacing: () => Spacing;
  /** Inserts a text where the person is in the note; false if it does not go in. */
  readonly insertHere: (text: string) => Promise<boolean>;
  /** The account of the files' owner. */
  readonly account: () => string | null;
};

/** The part of a job that the page does not show. */
type Run = {
  readonly file: File;
  readonly ending: AbortController;
  /** Its key in the store for opened files; null before it is stored, and where it cannot be. */
  keptAs: string | null;
  hold: Hold | null;
  /** Milliseconds whose text has come; Infinity once the server has read the whole file. */
  doneMs: number;
  /**
   * The place in the note for its texts; null before the first one, and once the note has other
   * text.
   */
  place: { readonly cursor: SavedCursor; readonly trail: PieceTrail } | null;
  /** The last text inserted, as the note has it; null once the note must get no more. */
  wrote: string | null;
  /** Texts inserted, but perhaps not yet saved with the note. */
  goingIn: readonly string[];
  /** Fulfilled when all progress is stored. */
  saved: Promise<void>;
};

/** The progress stored with a file, for the next page. */
type Progress = Pick<Run, 'doneMs' | 'wrote' | 'goingIn'> &
  Pick<FileJob, 'parts' | 'untaken' | 'isInNote'> & {
    /** The end of a job that has texts outside the note; null for one that goes on. */
    readonly end: 'done' | 'cancelled' | null;
  };

/**
 * Files that become text, one after the other. An empty note gets the text piece by piece as it
 * comes. A note with other content is left alone: the text stays with its file until the person
 * inserts or discards it.
 */
export type FileJobs = ReturnType<typeof createFileJobs>;

export function createFileJobs(ports: FileJobsPorts) {
  let jobs: readonly FileJob[] = [];
  let keys = 0;
  let isBusy = false;
  let isDisposed = false;
  const runs = new Map<number, Run>();
  const listeners = new Set<() => void>();

  const set = (next: readonly FileJob[]): void => {
    jobs = next;
    guard(jobs.some((job) => isNeeded(job) && runs.get(job.key)?.keptAs === null));
    for (const listener of listeners) listener();
  };
  const change = (key: number, changes: Partial<FileJob>): void =>
    set(jobs.map((job) => (job.key === key ? { ...job, ...changes } : job)));
  const jobOf = (key: number): FileJob | undefined => jobs.find((job) => job.key === key);

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (;;) {
      const next = jobs.find(({ state }) => state.kind === 'waiting');
      const run = next && runs.get(next.key);
      if (!run) break;
      await bring(next.key, run);
    }
    isBusy = false;
  }

  async function bring(key: number, run: Run): Promise<void> {
    const { signal } = run.ending;
    change(key, { state: { kind: 'reading', share: 0 } });
    try {
      await read(key, run);
      change(key, { state: { kind: 'done' } });
    } catch (thrown) {
      // Texts that have come are kept, also after a cancel.
      if (!signal.aborted) console.error('A file could not be written down', thrown);
      const fault = thrown instanceof FileError ? thrown.why : 'unreadable';
      change(key, { state: signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', fault } });
    }
    await settle(key, run);
    if (jobOf(key)?.state.kind !== 'failed') giveUpPlace(run);
  }

  async function read(key: number, run: Run): Promise<void> {
    const { file, doneMs, ending } = run;
    // Its page went before it could note that this was all.
    if (doneMs === Number.POSITIVE_INFINITY) return;
    for await (const step of textsOfFile(file, doneMs, ending.signal, ports)) {
      ending.signal.throwIfAborted();
      run.doneMs = step.endMs;
      await take(key, run, step);
      change(key, { state: { kind: 'reading', share: step.share } });
    }
  }

  /** The text goes into an empty note, behind the piece before; else it stays with the file. */
  async function take(key: number, run: Run, { text, parts, isWhole }: FileStep): Promise<void> {
    if (!isWhole) change(key, { isDamaged: true });
    if (text === '') return save(key, run);
    // A dialog may have been open: what the note did not take comes with the next piece, in order.
    const untaken = [...(jobOf(key)?.untaken ?? []), text];
    change(key, { parts: [...(jobOf(key)?.parts ?? []), ...parts], untaken });
    const place = placeOf(run);
    if (!place) return save(key, run);
    await bringIn(key, run, async (texts) => {
      const outcome = await place.trail.insert(texts.join(' '), { spacing: ports.spacing() });
      if (outcome.kind !== 'inserted' && outcome.kind !== 'altered') return false;
      run.wrote = outcome.text;
      return true;
    });
  }

  /** Puts the texts that are not in the note into it; those that do not go in are as before. */
  async function bringIn(
    key: number,
    run: Run,
    insert: (texts: readonly string[]) => Promise<boolean>,
  ): Promise<void> {
    const texts = jobOf(key)?.untaken ?? [];
    if (texts.length === 0) return;
    run.goingIn = texts;
    change(key, { untaken: [] });
    // The page may go at any time: the texts lie beside the file before they stand in the note.
    await save(key, run);
    if (!(await insert(texts))) {
      run.goingIn = [];
      change(key, { untaken: [...texts, ...(jobOf(key)?.untaken ?? [])] });
      return settle(key, run);
    }
    change(key, { isInNote: true });
    void ports.sleep(STORED_AFTER_MS, run.ending.signal).then(() => {
      if (run.goingIn === texts) run.goingIn = [];
      return settle(key, run);
    });
  }

  /**
   * The place in the note for its next text: in an empty one, or at the end of one that ends with the text
   * before. Once anybody else has written there the note is theirs, and stays so.
   */
  function placeOf(run: Run): Run['place'] {
    const field = ports.field();
    if (!field || run.wrote === null) return null;
    const isOwn =
      run.wrote === '' ? isBlank(field) && ports.isNoteFree() : endsWith(field, run.wrote);
    if (run.wrote === '' && isOwn) run.place ??= placeIn(field, ports.spacing());
    if (isOwn && run.place && (run.wrote === '' || isAtEnd(field, run.place.cursor))) {
      return run.place;
    }
    giveUpPlace(run);
    run.wrote = null;
    return null;
  }

  async function keep(key: number, run: Run): Promise<void> {
    const id = newId();
    const hold = await keepFile(id, run.file, ports.account(), run.ending.signal);
    if (!hold) return;
    if (isOver(key)) {
      // A page that goes leaves it for the next one.
      if (!isDisposed) await forgetFile(id);
      return hold.release();
    }
    Object.assign(run, { keptAs: id, hold });
    // The browser need not ask any more.
    set(jobs);
    await save(key, run);
  }

  /** Nothing more is wanted of it. */
  function isOver(key: number): boolean {
    const job = jobOf(key);
    if (!job) return true;
    const { state, untaken } = job;
    const isEnded =
      state.kind === 'done' ||
      state.kind === 'cancelled' ||
      (state.kind === 'failed' && !PASSING.includes(state.fault));
    return isEnded && untaken.length === 0;
  }

  /** One after the other, each as it is by then: an older state does not come behind a newer one. */
  function save(key: number, run: Run): Promise<void> {
    run.saved = run.saved.then(async () => {
      const job = jobOf(key);
      if (run.keptAs === null || !job) return;
      const { doneMs, wrote, goingIn } = run;
      const { parts, untaken, isInNote, state } = job;
      const end = state.kind === 'done' || state.kind === 'cancelled' ? state.kind : null;
      const progress: Progress = { doneMs, wrote, goingIn, parts, untaken, isInNote, end };
      await noteProgress(run.keptAs, progress);
    });
    return run.saved;
  }

  async function settle(key: number, run: Run): Promise<void> {
    if (run.keptAs === null || isDisposed) return;
    await save(key, run);
    if (isOver(key) && run.goingIn.length === 0 && !isDisposed) await letGo(run);
  }

  async function letGo(run: Run): Promise<void> {
    const { keptAs, hold, saved } = run;
    Object.assign(run, { keptAs: null, hold: null });
    await saved;
    if (keptAs !== null) await forgetFile(keptAs);
    await hold?.release();
  }

  /** A file that a page before this one had, or that was shared with it. */
  function restore({ id, name, file, hold, progress }: TakenFile): void {
    const key = nextKey();
    const { doneMs, wrote, goingIn, parts, end, ...had } = readProgress(progress);
    const note = plain(ports.field()?.text() ?? '');
    const isIn = goingIn.filter((text) => note.includes(plain(text)));
    // The page may have gone before the note was stored, or before it could note that it has them.
    const untaken = [...goingIn.filter((text) => !isIn.includes(text)), ...had.untaken];
    const run: Run = {
      ...{ file, doneMs, hold, keptAs: id, place: null, goingIn: [], saved: Promise.resolve() },
      wrote: isIn.at(-1) ?? wrote,
      ending: new AbortController(),
    };
    if (end && untaken.length === 0) return void letGo(run);
    runs.set(key, run);
    const isInNote = had.isInNote || isIn.length > 0;
    const state = { kind: end ?? (progress === null ? 'waiting' : 'interrupted') } as const;
    set([...jobs, { key, name, parts, untaken, isInNote, isDamaged: false, state }]);
  }

  function nextKey(): number {
    keys += 1;
    return keys;
  }

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    list: (): readonly FileJob[] => jobs,
    add(file: File): void {
      const key = nextKey();
      const ending = new AbortController();
      const run: Run = {
        ...{ file, ending, doneMs: 0, place: null, wrote: '', goingIn: [] },
        ...{ keptAs: null, hold: null, saved: Promise.resolve() },
      };
      runs.set(key, run);
      const job = {
        key,
        name: file.name,
        parts: [],
        untaken: [],
        isInNote: false,
        isDamaged: false,
      };
      set([...jobs, { ...job, state: { kind: 'waiting' } }]);
      void keep(key, run);
      void work();
    },
    /** Takes the files that pages before this one had, and those that were shared with it. */
    async restore(): Promise<void> {
      for (const taken of await takeFiles(ports.account())) restore(taken);
      void work();
    },
    /** The page goes: its files wait for the next one. */
    dispose(): void {
      isDisposed = true;
      for (const run of runs.values()) {
        run.ending.abort();
        giveUpPlace(run);
        void run.hold?.release();
      }
      runs.clear();
      jobs = [];
      guard(false);
    },
    /** Ends it; what has come of it stays. */
    cancel(key: number): void {
      const run = runs.get(key);
      run?.ending.abort();
      if (jobOf(key)?.state.kind !== 'waiting') return;
      change(key, { state: { kind: 'cancelled' } });
      if (run) void settle(key, run);
    },
    /** Goes on where it failed, or was interrupted: the person has pressed a button for that. */
    goOn(key: number): void {
      const [run, field] = [runs.get(key), ports.field()];
      if (run?.wrote && field && endsWith(field, run.wrote)) {
        run.place ??= placeAtEnd(field, ports.spacing());
      }
      change(key, { state: { kind: 'waiting' } });
      void work();
    },
    /** Its sound, as long as it is shown. */
    fileOf: (key: number): File | undefined => runs.get(key)?.file,
    /** Inserts the texts that are not in the note. */
    async insert(key: number): Promise<void> {
      const run = runs.get(key);
      if (run) await bringIn(key, run, (texts) => ports.insertHere(texts.join('\n')));
    },
    /** It is not shown any more, and its texts that are nowhere else are gone. */
    forget(key: number): void {
      const run = runs.get(key);
      if (run) {
        giveUpPlace(run);
        void letGo(run);
      }
      runs.delete(key);
      set(jobs.filter((job) => job.key !== key));
    },
  };
}

/** Something would be lost with it. */
function isNeeded({ state, untaken }: FileJob): boolean {
  return state.kind === 'waiting' || state.kind === 'reading' || untaken.length > 0;
}

const keepPage = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Files that could not be stored exist only in this page: the browser asks before it is left. */
function guard(isNeeded: boolean): void {
  if (isNeeded) addEventListener('beforeunload', keepPage);
  else removeEventListener('beforeunload', keepPage);
}

function isBlank(field: EditableField): boolean {
  return plain(field.text()) === '';
}

function endsWith(field: EditableField, text: string): boolean {
  return plain(field.text()).endsWith(plain(text));
}

/** Without what fitting a text to its place may change of it. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

function isAtEnd(field: EditableField, cursor: SavedCursor): boolean {
  const { offset } = field.placeOf?.(cursor) ?? { offset: -1 };
  return offset >= field.text().trimEnd().length;
}

/** The place of the person's caret. */
function placeIn(field: EditableField, spacing: Spacing): Run['place'] {
  const cursor = field.saveCursor(true, spacing);
  const trail = cursor && field.trail?.(cursor);
  return trail ? { cursor, trail } : null;
}

/** At the end of the text; the person's caret is as it was then. Not while they type elsewhere. */
function placeAtEnd(field: EditableField, spacing: Spacing): Run['place'] {
  const selection = getSelection();
  if (!selection) return null;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  selection.selectAllChildren(field.element);
  selection.collapseToEnd();
  const place = placeIn(field, spacing);
  selection.removeAllRanges();
  if (anchorNode && focusNode) {
    selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  }
  return place;
}

function giveUpPlace(run: Run): void {
  run.place?.trail.release();
  run.place?.cursor.release();
  run.place = null;
}

function readProgress(given: unknown): Progress {
  const { doneMs, wrote, goingIn, parts, untaken, isInNote, end } = Object(given) as Record<
    string,
    unknown
  >;
  return {
    doneMs: typeof doneMs === 'number' ? doneMs : 0,
    // A file that was never begun has no progress.
    wrote: typeof wrote === 'string' || wrote === null ? wrote : '',
    goingIn: textsOf(goingIn),
    parts: timedParts(parts),
    untaken: textsOf(untaken),
    isInNote: isInNote === true,
    end: end === 'done' || end === 'cancelled' ? end : null,
  };
}

function textsOf(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter((text) => typeof text === 'string') : [];
}
