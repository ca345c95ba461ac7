import type { LevelReading } from '../core/audio/level-meter.ts';
import type {
  DeliveryVerdict,
  Dictation,
  DictationResult,
  StartOptions,
} from '../core/contracts/dictation.ts';
import { DikteraError, toErrorInfo } from '../core/errors.ts';
import {
  IDLE_SESSION,
  type NoticeKind,
  type SessionState,
  type Snapshot,
} from '../core/session/snapshot.ts';
import { newId } from '../platform/ids.ts';
import { ask } from './messages.ts';
import { connectCalls, type FarFunction } from './port-calls.ts';

/** The parts of a snapshot that changed since the last message; all of it in the first. */
export type SnapshotChange = Partial<Omit<Snapshot, 'session'>> & {
  readonly session?: Partial<SessionState>;
};

/** Commands passed on unchanged. */
const COMMANDS: readonly string[] = [
  ...['prepare', 'pause', 'resume', 'stop', 'cancel', 'undoCancel', 'stopWaiting', 'retry'],
  ...['discard', 'retryKept', 'discardKept', 'audio', 'wipe', 'dismissNotice'],
];

const RECORDING_COMMANDS: readonly string[] = [
  ...['transcripts', 'audio', 'transcribeAgain', 'applyRules', 'delete', 'deleteAll'],
  ...['undoDelete', 'keep', 'storage'],
];

/** Commands that a frame may give for a dictation begun in it; their first argument is its id. */
const OF_ONE: readonly string[] = [
  ...['takeText', 'holdPlace', 'audio', 'retryKept', 'discardKept', 'recordings.transcripts'],
  ...['recordings.audio', 'recordings.transcribeAgain', 'recordings.applyRules'],
  ...['recordings.delete', 'recordings.undoDelete'],
];

/** The same for one of its chunks. */
const OF_CHUNK: readonly string[] = ['retry', 'discard'];

/** Commands that no page may give: they also concern the dictations of other sites. */
const OF_ALL: readonly string[] = [
  ...['wipe', 'recordings.deleteAll', 'recordings.keep', 'startWithoutField'],
];

/** Commands for the running recording: only the frame that it belongs to may give them. */
const OF_RUNNING: readonly string[] = [
  'pause',
  'resume',
  'stop',
  'cancel',
  'stopWaiting',
  'levels',
];

/** Notices about waiting dictations: a frame gets them only if its own are among these. */
const ABOUT_WAITING: ReadonlySet<NoticeKind> = new Set([
  ...(['upload-failed', 'uploads-unauthorised', 'chunk-refused', 'text-needs-review'] as const),
  ...(['recording-kept', 'text-not-inserted', 'storage-not-kept'] as const),
]);

/**
 * Serves one dictation to all frames of all tabs, and to the popup. `withoutField` are the options of
 * what is recorded without a field.
 */
export function createDictationServer(
  dictation: Dictation,
  withoutField: () => StartOptions = () => ({}),
) {
  /** The port of the frame that is dictated into; null for none. */
  let speaker: chrome.runtime.Port | null = null;
  /** The frame that asked for the microphone last, if in vain: notices are for it. */
  let asker: chrome.runtime.Port | null = null;
  const ports = new Set<chrome.runtime.Port>();

  /** A text of its own that nobody takes waits in the list. */
  function startWithoutField(): void {
    speaker = null;
    void begin({ ...withoutField(), deliver: () => false });
  }

  async function begin(options: StartOptions): ReturnType<Dictation['start']> {
    const started = await dictation.start(options);
    const { notices } = dictation.getSnapshot();
    if (notices.some(({ kind }) => kind === 'microphone-denied'))
      void ask<'microphone-denied'>({ kind: 'microphone-denied' }).catch(() => {});
    return started;
  }

  function serve(port: chrome.runtime.Port): void {
    ports.add(port);
    /** Pages of the extension see all; a frame sees what was begun there, whose ids it knows. */
    const isOwnPage = port.sender?.origin === location.origin;
    const known = new Set<string>();
    const view = isOwnPage ? (now: Snapshot) => now : createView(known, () => asker === port);
    let seen: Snapshot | null = null;
    /** Places that this frame holds, and meters that it draws. */
    const ends = new Set<() => void>();

    const tell = (): void => {
      const now = view(dictation.getSnapshot());
      const change = seen ? changeOf(seen, now) : now;
      seen = now;
      calls.tell(change);
    };

    /** Commands that are more than passed on. */
    const own: Readonly<Record<string, (first: unknown, second: unknown) => unknown>> = {
      know: (ids) => know(ids as readonly string[]),
      start: (options) => start(options as StartOptions),
      startWithoutField,
      levels: (framesPerReading, show) => levels(Number(framesPerReading), show as FarFunction),
      holdPlace: (id) => holdPlace(String(id)),
      takeText: (id, insert) => dictation.takeText(String(id), verdictOf(insert as FarFunction)),
    };

    function handle(name: string, args: readonly unknown[]): unknown {
      const [first, second] = args;
      if (!(isOwnPage || isAllowed(name, first)))
        throw new DikteraError('bad-option', `${name} is not for what was not begun here`);
      if (Object.hasOwn(own, name)) return own[name]?.(first, second);
      const [group, command = ''] = name.split('.');
      if (group === 'recordings' && RECORDING_COMMANDS.includes(command))
        return commandsOf(dictation.recordings)[command]?.(...args);
      if (COMMANDS.includes(name)) return commandsOf(dictation)[name]?.(...args);
      throw new DikteraError('bad-option', `There is no command ${name}`);
    }

    async function handleForFrame(name: string, args: readonly unknown[]): Promise<unknown> {
      try {
        return await handle(name, args);
      } catch (error) {
        const { code, message } = withoutAddresses(toErrorInfo(error, 'worker-crashed'));
        throw new DikteraError(code, message);
      }
    }

    /** A frame knows the ids of what it began, also with another document than this. */
    function know(ids: readonly string[]): void {
      for (const id of ids) known.add(id);
      tell();
    }

    function isOwnRunning(): boolean {
      const { id } = dictation.getSnapshot().session;
      return id !== null && known.has(id);
    }

    function isAllowed(name: string, subject: unknown): boolean {
      const { queue, cancelled } = dictation.getSnapshot();
      if (OF_ALL.includes(name)) return false;
      if (OF_RUNNING.includes(name)) return isOwnRunning();
      if (name === 'undoCancel') return cancelled !== null && known.has(cancelled);
      if (OF_CHUNK.includes(name))
        return queue.items.some(({ id, dictationId }) => id === subject && known.has(dictationId));
      return !OF_ONE.includes(name) || known.has(String(subject));
    }

    async function start(options: StartOptions): ReturnType<Dictation['start']> {
      const { phase } = dictation.getSnapshot().session;
      const isFree = phase === 'idle' || phase === 'stopped' || phase === 'transcribing';
      if (isFree) speaker = port;
      asker = port;
      if (options.id !== undefined) known.add(options.id);
      const { deliver, deliverPiece, ...others } = options;
      return begin({
        ...others,
        // A frame that has gone takes nothing: the text waits in the list.
        ...(deliver && { deliver: verdictOf<DictationResult>(deliver as FarFunction) }),
        ...(deliverPiece && { deliverPiece: verdictOf<string>(deliverPiece as FarFunction) }),
      });
    }

    function levels(framesPerReading: number, show: FarFunction): () => void {
      const meter = dictation.levels(framesPerReading);
      meter.addEventListener('message', ({ data }: { readonly data: LevelReading }) => {
        // The meter stays open while the next one is spoken, elsewhere perhaps.
        if (isOwnPage || isOwnRunning()) show(data).catch(() => {});
      });
      meter.start();
      return once(() => {
        meter.postMessage('end');
        meter.close();
      });
    }

    async function holdPlace(dictationId: string): Promise<() => void> {
      return once(await dictation.holdPlace(dictationId));
    }

    /** Done by the frame, or when it goes. */
    function once(end: () => void): () => void {
      const done = (): void => {
        if (ends.delete(done)) end();
      };
      ends.add(done);
      return done;
    }

    // Not before it is known what was begun there: that would look as if it were gone.
    const stopWatching = dictation.subscribe(() => {
      if (seen) tell();
    });
    const calls = connectCalls(port, {
      handle: isOwnPage ? handle : handleForFrame,
      hear: () => {},
      onEnd() {
        stopWatching();
        ports.delete(port);
        for (const end of [...ends]) end();
        // A microphone that is open with nothing to see of it would be a spy.
        if (speaker !== port) return;
        speaker = null;
        void dictation.stop();
      },
    });
  }

  return { serve, startWithoutField, isServing: () => ports.size > 0 };
}

function commandsOf(
  of: object,
): Readonly<Record<string, (...args: readonly unknown[]) => unknown>> {
  return of as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
}

/** Gives a text to a frame; one that has gone has not taken it. */
function verdictOf<Given>(far: FarFunction) {
  return async (given: Given, ...how: readonly unknown[]): Promise<DeliveryVerdict> => {
    const verdict = await far(given, ...how).catch(() => false);
    return verdict === true || verdict === 'altered' ? verdict : false;
  };
}

/** An address within a message. */
const ADDRESS = /\b[a-z][a-z\d+.-]*:\/\/\S+/gi;

/** The same, with no address in the errors that are in it: they name the server's. */
function withoutAddresses<Value>(value: Value): Value {
  return cleared(value) as Value;
}

function cleared(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Map) return value;
  if (Array.isArray(value)) return value.map(cleared);
  const isError = 'code' in value && 'message' in value;
  if (isError) {
    const message = String(value.message).replace(ADDRESS, '…');
    return { ...value, message, cause: undefined };
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleared(each)]));
}

const NO_NOTICES: Snapshot['notices'] = [];

/**
 * The snapshot as a frame sees it: of dictations that were begun elsewhere only that something is
 * being recorded, and notices if the frame was the last to ask for the microphone. The id of another
 * frame's is the key to its words, and not in it. Parts that did not change stay the same objects.
 */
function createView(
  known: ReadonlySet<string>,
  isAsker: () => boolean,
): (now: Snapshot) => Snapshot {
  const isKnown = ({ dictationId }: { readonly dictationId: string }) => known.has(dictationId);
  const queueOf = remembered((queue: Snapshot['queue']) => ({
    ...queue,
    items: withoutAddresses(queue.items.filter(isKnown)),
  }));
  const keptOf = remembered((kept: Snapshot['kept']) => withoutAddresses(kept.filter(isKnown)));
  const serverOf = remembered((server: Snapshot['server']) => withoutAddresses(server));
  const recordingsOf = remembered((recordings: Snapshot['recordings']) => ({
    ...recordings,
    list: withoutAddresses(recordings.list.filter(({ id }) => known.has(id))),
    error: withoutAddresses(recordings.error),
  }));
  const allNotices = remembered((notices: Snapshot['notices']) => withoutAddresses(notices));
  const withoutWaiting = remembered((notices: Snapshot['notices']) =>
    withoutAddresses(notices.filter(({ kind }) => !ABOUT_WAITING.has(kind))),
  );
  const awaitedOf = remembered((awaited: Snapshot['awaited']) =>
    awaited.filter((id) => known.has(id)),
  );
  let elsewhere = IDLE_SESSION;
  /** The session that is seen as `elsewhere`. */
  let hiddenId: string | null = null;

  function noticesOf({ notices, queue, kept }: Snapshot): Snapshot['notices'] {
    if (!isAsker()) return NO_NOTICES;
    const isWaiting = queue.items.some(isKnown) || kept.some(isKnown);
    return isWaiting ? allNotices(notices, 0) : withoutWaiting(notices, 0);
  }

  function sessionOf(session: SessionState): SessionState {
    const { id, phase, isRecording, isPaused } = session;
    if (id === null || known.has(id)) return session;
    const isSame = hiddenId === id;
    if (!isSame || elsewhere.phase !== phase || elsewhere.isPaused !== isPaused) {
      const shownId = isSame ? elsewhere.id : newId();
      elsewhere = { ...IDLE_SESSION, id: shownId, phase, isRecording, isPaused };
      hiddenId = id;
    }
    return elsewhere;
  }

  return (now) => ({
    ...now,
    session: sessionOf(now.session),
    server: serverOf(now.server, 0),
    notices: noticesOf(now),
    queue: queueOf(now.queue, known.size),
    awaited: awaitedOf(now.awaited, known.size),
    cancelled: now.cancelled !== null && known.has(now.cancelled) ? now.cancelled : null,
    kept: keptOf(now.kept, known.size),
    recordings: recordingsOf(now.recordings, known.size),
  });
}

/** Answers the same object for as long as what it is made of is the same. */
function remembered<Given, Made>(
  make: (given: Given) => Made,
): (given: Given, size: number) => Made {
  let last: { readonly given: Given; readonly size: number; readonly made: Made } | null = null;
  return (given, size) => {
    if (last?.given !== given || last.size !== size) last = { given, size, made: make(given) };
    return last.made;
  };
}

function changeOf(before: Snapshot, now: Snapshot): SnapshotChange {
  const { session, ...parts } = changedParts(before, now);
  return session ? { ...parts, session: changedParts(before.session, session) } : parts;
}

/** The parts that are other objects than before: snapshots share what has not changed. */
function changedParts<Whole extends object>(before: Whole, now: Whole): Partial<Whole> {
  const entries = Object.entries(now) as [keyof Whole, unknown][];
  const changed = entries.filter(([name, value]) => before[name] !== value);
  return Object.fromEntries(changed) as Partial<Whole>;
}
