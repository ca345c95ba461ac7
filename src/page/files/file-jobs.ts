import type { TranscriptionOptions } from '../../core/options/dictation-options.ts';
import type { EditableField, PieceTrail } from '../../field/editable-field.ts';
import type { Spacing } from '../../field/insertion-text.ts';
import { newId } from '../../platform/ids.ts';
import type { Hold } from '../../platform/locks.ts';
import {
  forgetFile,
  holdFile,
  keepFile,
  noteProgress,
  type TakenFile,
  takeFiles,
} from '../../platform/opened-files.ts';
import { NoSound, openSound } from './file-sound.ts';
import type { TimedPart, TimedWord } from './formats.ts';
import { isTaken, listedTypes } from './taken-types.ts';

/** Why a file, or the rest of it, has no text. */
export type FileFault =
  | 'no-sound'
  | 'unreadable'
  | 'too-large'
  | 'too-long'
  | 'language-missing'
  | 'refused'
  | 'signed-out'
  | 'no-server';

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
  /** Texts that the note has not taken: they come with the next one, or the person inserts them. */
  readonly untaken: readonly string[];
};

/** What the person, or time, takes away: the file goes on where it stopped. */
export const PASSING: readonly FileFault[] = ['no-server', 'signed-out', 'language-missing'];

/** Longer ones are a work for the command `transcribe`. */
const MOST_MS = 4 * 3_600_000;

/** As the worker retries, and a person waits. */
const RETRY_AFTER_MS = [1_000, 4_000, 15_000] as const;
const ANSWER_WITHIN_MS = 120_000;

type FileJobsPorts = {
  /** The call for texts, beside the page. */
  readonly address: string;
  readonly field: () => EditableField | null;
  readonly spacing: () => Spacing;
  /** As a dictation would be written down now; null while the server lacks the language. */
  readonly options: () => Pick<
    TranscriptionOptions,
    'language' | 'removePii' | 'fixSpelling' | 'fast'
  > | null;
  /** Whose files they are. */
  readonly account: () => string | null;
  readonly fetch: typeof globalThis.fetch;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** What is known of a job beside what is shown. */
type Run = {
  readonly file: File;
  readonly ending: AbortController;
  /** Its name where it lies for the next page; null before it does, and where it cannot. */
  keptAs: string | null;
  hold: Hold | null;
  /** All before it has its text. */
  doneMs: number;
  trail: PieceTrail | null;
};

/** What lies beside a file for the next page. */
type Progress = Pick<Run, 'doneMs'> &
  Pick<FileJob, 'parts' | 'untaken'> & {
    /** All of it is text, of which the note has not taken all. */
    readonly isDone: boolean;
  };

/** Files that become text in the note, one after the other. */
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
    guard(jobs.some((job) => isUnderWay(job) && runs.get(job.key)?.keptAs === null));
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
    run.trail ??= trailIn(ports.field(), ports.spacing());
    try {
      await read(key, run);
      change(key, { state: { kind: 'done' } });
      await settle(key, run);
    } catch (thrown) {
      // What has come stays, also of one that was cancelled.
      if (signal.aborted) change(key, { state: { kind: 'cancelled' } });
      else {
        change(key, { state: { kind: 'failed', fault: faultOf(thrown) } });
        await settle(key, run);
      }
    }
    if (jobOf(key)?.state.kind === 'failed') return;
    run.trail?.release();
    run.trail = null;
  }

  async function read(key: number, run: Run): Promise<void> {
    const { file, ending } = run;
    const listed = await listedTypes(ports.fetch);
    const sound = await openSound(file).catch((thrown: unknown) => {
      if (thrown instanceof NoSound && thrown.why === 'unreadable') return thrown;
      throw thrown;
    });
    if (sound instanceof NoSound) {
      // A server may have decoders that a browser lacks.
      if (listed && !isTaken(file, sound.codec, listed)) throw sound;
      return readWhole(key, run);
    }
    try {
      if (listed?.includes('audio/wav') === false) throw new Fault('refused');
      if (sound.durationMs > MOST_MS) throw new Fault('too-long');
      for await (const { wav, startMs, endMs } of sound.pieces(run.doneMs)) {
        ending.signal.throwIfAborted();
        if (wav) {
          const answer = await ask(new Blob([wav], { type: 'audio/wav' }), ending.signal);
          run.doneMs = endMs;
          await take(key, run, answer, startMs, endMs);
        }
        run.doneMs = endMs;
        await save(key, run);
        const share = Math.min(1, endMs / sound.durationMs);
        change(key, { state: { kind: 'reading', share } });
      }
    } finally {
      sound.dispose();
    }
  }

  async function readWhole(key: number, run: Run): Promise<void> {
    change(key, { state: { kind: 'reading', share: null } });
    const answer = await ask(run.file, run.ending.signal).catch((thrown: unknown) => {
      throw thrown instanceof Fault && thrown.why === 'refused' ? new Fault('unreadable') : thrown;
    });
    await take(key, run, answer, 0, answer.parts.at(-1)?.endMs ?? 0);
  }

  /** The text goes into the note, behind the piece before. */
  async function take(
    key: number,
    run: Run,
    answer: Answer,
    startMs: number,
    endMs: number,
  ): Promise<void> {
    const { text, parts } = answer;
    if (text.trim() === '') return;
    const timed =
      parts.length > 0
        ? parts.map((part) => later(part, startMs))
        : [{ text: text.trim(), startMs, endMs, words: [] }];
    // A dialog may have been open: what the note did not take comes with the next piece, in order.
    const untaken = [...(jobOf(key)?.untaken ?? []), text];
    change(key, { parts: [...(jobOf(key)?.parts ?? []), ...timed], untaken });
    // The page may go at any time: the text lies beside the file before it stands in the note.
    await save(key, run);
    const outcome = await run.trail?.insert(untaken.join(' '), { spacing: ports.spacing() });
    const isIn = outcome?.kind === 'inserted' || outcome?.kind === 'altered';
    if (isIn) change(key, { untaken: [] });
  }

  async function keep(key: number, run: Run): Promise<void> {
    const id = newId();
    const hold = holdFile(id);
    await hold.isHad;
    const isKept = await keepFile(id, run.file, ports.account(), run.ending.signal);
    if (!isKept || isOver(key)) {
      // A page that goes leaves it for the next one.
      if (isKept && !isDisposed) await forgetFile(id);
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
    if (!job || job.state.kind === 'cancelled') return true;
    if (job.state.kind === 'done') return job.untaken.length === 0;
    return job.state.kind === 'failed' && !PASSING.includes(job.state.fault);
  }

  async function save(key: number, { keptAs, doneMs }: Run): Promise<void> {
    const job = jobOf(key);
    if (keptAs === null || !job) return;
    const { parts, untaken, state } = job;
    const progress: Progress = { doneMs, parts, untaken, isDone: state.kind === 'done' };
    await noteProgress(keptAs, progress);
  }

  async function settle(key: number, run: Run): Promise<void> {
    if (isOver(key)) await letGo(run);
    else await save(key, run);
  }

  async function letGo(run: Run): Promise<void> {
    const { keptAs, hold } = run;
    Object.assign(run, { keptAs: null, hold: null });
    if (keptAs !== null) await forgetFile(keptAs);
    await hold?.release();
  }

  /** A file that a page before this one had, or that was shared with it. */
  function restore({ id, name, file, hold, progress }: TakenFile): void {
    const key = nextKey();
    const { doneMs, parts, untaken, isDone } = readProgress(progress);
    const ending = new AbortController();
    runs.set(key, { file, ending, doneMs, trail: null, keptAs: id, hold });
    const note = ports.field()?.text() ?? '';
    const job: FileJob = {
      ...{ key, name, parts },
      // The page went before it could note that the note has it.
      untaken: untaken.filter((text) => !note.includes(text.trim())),
      state: { kind: isDone ? 'done' : progress === null ? 'waiting' : 'interrupted' },
    };
    set([...jobs, job]);
  }

  function nextKey(): number {
    keys += 1;
    return keys;
  }

  /** Asks until there is an answer, or no use in asking. Rejects with a `Fault`. */
  async function ask(sound: Blob, signal: AbortSignal): Promise<Answer> {
    const key = crypto.randomUUID();
    for (const pauseMs of [...RETRY_AFTER_MS, null]) {
      try {
        return await askOnce(sound, key, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (pauseMs === null || !(thrown instanceof Fault) || thrown.why !== 'no-server') {
          throw thrown;
        }
        await ports.sleep(Math.max(pauseMs, thrown.afterMs), signal);
      }
    }
    throw new Fault('no-server');
  }

  async function askOnce(sound: Blob, key: string, signal: AbortSignal): Promise<Answer> {
    const options = ports.options();
    // Another language would be written in its place.
    if (!options) throw new Fault('language-missing');
    const { language, removePii, fixSpelling, fast } = options;
    const form = new FormData();
    const fields = { language, removePii, fixSpelling, fast, times: true };
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    form.append('audioFile', sound, 'sound');
    const response = await ports
      .fetch(ports.address, {
        method: 'POST',
        body: form,
        headers: { 'Idempotency-Key': key },
        cache: 'no-store',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      })
      .catch(() => {
        throw new Fault('no-server');
      });
    const body = await response.text().catch(() => '');
    signal.throwIfAborted();
    if (!response.ok) throw faultOfStatus(response);
    const answer = readAnswer(body);
    // A page in place of an answer is somebody's sign-in.
    if (!answer) throw new Fault(/^\s*</.test(body) ? 'signed-out' : 'no-server');
    return answer;
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
      const run: Run = { file, ending, doneMs: 0, trail: null, keptAs: null, hold: null };
      runs.set(key, run);
      const job = { key, name: file.name, parts: [], untaken: [] };
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
      for (const { ending, trail, hold } of runs.values()) {
        ending.abort();
        trail?.release();
        void hold?.release();
      }
      isDisposed = true;
      runs.clear();
      jobs = [];
      guard(false);
    },
    /** Ends it; what has been written of it stays in the note. */
    cancel(key: number): void {
      const run = runs.get(key);
      run?.ending.abort();
      if (run) void letGo(run);
      if (jobOf(key)?.state.kind === 'waiting') change(key, { state: { kind: 'cancelled' } });
    },
    /** Goes on where it failed. */
    goOn(key: number): void {
      change(key, { state: { kind: 'waiting' } });
      void work();
    },
    /** Its sound, as long as it is shown. */
    fileOf: (key: number): File | undefined => runs.get(key)?.file,
    /** The texts that the note did not take have been inserted. */
    taken(key: number): void {
      change(key, { untaken: [] });
      const run = runs.get(key);
      if (run) void settle(key, run);
    },
    /** It is not shown any more. */
    forget(key: number): void {
      const run = runs.get(key);
      run?.trail?.release();
      if (run) void letGo(run);
      runs.delete(key);
      set(jobs.filter((job) => job.key !== key));
    },
  };
}

function isUnderWay({ state }: FileJob): boolean {
  return state.kind === 'waiting' || state.kind === 'reading';
}

const keepPage = (event: BeforeUnloadEvent): void => event.preventDefault();

/** What could not be kept is there as long as the page is open: the browser asks before it is left. */
function guard(isNeeded: boolean): void {
  if (isNeeded) addEventListener('beforeunload', keepPage);
  else removeEventListener('beforeunload', keepPage);
}

/** Where its texts are to stand: at the caret, or at the end. */
function trailIn(field: EditableField | null, spacing: Spacing): PieceTrail | null {
  const cursor = field?.saveCursor(true, spacing);
  return (cursor && field?.trail?.(cursor)) ?? null;
}

class Fault extends Error {
  readonly why: FileFault;
  /** The server wants to be left alone for so long. */
  readonly afterMs: number;

  constructor(why: FileFault, afterMs = 0) {
    super(why);
    this.why = why;
    this.afterMs = afterMs;
  }
}

function faultOf(thrown: unknown): FileFault {
  if (thrown instanceof Fault) return thrown.why;
  // The server has the script, too.
  if (thrown instanceof NoSound) return thrown.why === 'no-script' ? 'no-server' : thrown.why;
  return 'unreadable';
}

function faultOfStatus({ status, headers }: Response): Fault {
  if (status === 401 || status === 403) return new Fault('signed-out');
  if (status === 413) return new Fault('too-large');
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    return new Fault('no-server', 1_000 * (Number(headers.get('retry-after')) || 0));
  }
  return new Fault('refused');
}

function readProgress(given: unknown): Progress {
  const { doneMs, parts, untaken, isDone } = Object(given) as Record<string, unknown>;
  return {
    doneMs: typeof doneMs === 'number' ? doneMs : 0,
    parts: Array.isArray(parts) ? parts.flatMap(partOf) : [],
    untaken: Array.isArray(untaken) ? untaken.filter((text) => typeof text === 'string') : [],
    isDone: isDone === true,
  };
}

type Answer = { readonly text: string; readonly parts: readonly TimedPart[] };

/** Null where it is no answer of the contract. */
function readAnswer(body: string): Answer | null {
  try {
    const { transcription, parts } = Object(JSON.parse(body)) as Record<string, unknown>;
    if (typeof transcription !== 'string') return null;
    return { text: transcription, parts: Array.isArray(parts) ? parts.flatMap(partOf) : [] };
  } catch {
    return null;
  }
}

function partOf(given: unknown): readonly TimedPart[] {
  const [timed] = timedOf(given);
  if (!timed) return [];
  const { words } = Object(given) as Record<string, unknown>;
  return [{ ...timed, words: Array.isArray(words) ? words.flatMap(timedOf) : [] }];
}

function timedOf(given: unknown): readonly TimedWord[] {
  const { text, startMs, endMs, certainty } = Object(given) as Record<string, unknown>;
  if (typeof text !== 'string' || typeof startMs !== 'number' || typeof endMs !== 'number') {
    return [];
  }
  return [{ text, startMs, endMs, ...(typeof certainty === 'number' && { certainty }) }];
}

function later({ words, ...part }: TimedPart, byMs: number): TimedPart {
  const moved = <T extends { readonly startMs: number; readonly endMs: number }>(each: T): T => ({
    ...each,
    startMs: each.startMs + byMs,
    endMs: each.endMs + byMs,
  });
  return { ...moved(part), words: words.map(moved) };
}
