import { isNothing } from './core/blank-text.ts';
import type { DeliveryVerdict, Dictation } from './core/contracts/dictation.ts';
import type { ErrorCode } from './core/errors.ts';
import type {
  LiveText,
  Notice,
  NoticeKind,
  SessionPhase,
  SessionState,
  Snapshot,
} from './core/session/snapshot.ts';

/** A notice, with what a program and its developer want of it. */
export type DictationTrouble = Notice & {
  /** That of the error behind it; of a fact without one, `microphone-muted` say, its kind. */
  readonly code: ErrorCode | NoticeKind;
  /** For developers, in English; a person is told what `Notices` says of the kind. */
  readonly message: string;
  /** The exception behind it, in words: `NotAllowedError: Permission denied`. */
  readonly cause?: string;
};

/** The events of a dictation, and what a listener is given. */
export type DictationEvents = {
  /** The phase of the recording has changed. */
  readonly state: SessionPhase;
  /** Somebody begins to speak, as the detector hears it. */
  readonly speechstart: null;
  readonly speechend: null;
  /** Words while somebody speaks have changed; null where they are not shown any more. */
  readonly partial: LiveText | null;
  /** The text of a chunk is there, or another one in its place; chunks are numbered from 0. */
  readonly final: { readonly number: number; readonly text: string };
  /**
   * A text has been given to `deliver`, or else by `stop`, and this is what became of it; also of one
   * that waited and was taken later. The verdict on a `deliver` that throws is false.
   */
  readonly delivered: { readonly text: string; readonly verdict: DeliveryVerdict };
  /** Something is to be said to the person; once, and again with another code. */
  readonly error: DictationTrouble;
};

const KINDS: readonly string[] = [
  'state',
  'speechstart',
  'speechend',
  'partial',
  'final',
  'delivered',
  'error',
] satisfies readonly (keyof DictationEvents)[];

/** A dictation that tells what happens. */
export type EventfulDictation = Dictation & {
  /**
   * Calls `listener` with each event of a kind from now on, until the returned function is called.
   * An error thrown by a listener is reported, and affects no other listener; a kind that is none is
   * an error in the console.
   */
  on<Kind extends keyof DictationEvents>(
    kind: Kind,
    listener: (event: DictationEvents[Kind]) => void,
  ): () => void;
};

/**
 * The same dictation with events beside its snapshots. `delivered` is of the texts that go by what
 * is given here: give it to fields and lists as their `dictation`.
 */
export function withEvents(dictation: Dictation): EventfulDictation {
  const listeners = new Map<string, Set<(event: never) => void>>();
  let seen = dictation.getSnapshot();
  let stopWatching: (() => void) | null = null;
  /** The recording started last: its text is told of by its `deliver`, or by the first stop. */
  let recording = { isTold: false };

  function emit<Kind extends keyof DictationEvents>(kind: Kind, event: DictationEvents[Kind]) {
    for (const listener of [...(listeners.get(kind) ?? [])]) {
      try {
        (listener as (event: DictationEvents[Kind]) => void)(event);
      } catch (error) {
        reportError(error);
      }
    }
  }

  function compare(): void {
    const before = seen;
    seen = dictation.getSnapshot();
    tellSession(before.session, seen.session, emit);
    tellTroubles(before, seen, emit);
  }

  /** The same, with what became of its text told; `textOf` is null where it was given none. */
  function told<Args extends readonly unknown[]>(
    deliver: (...args: Args) => DeliveryVerdict | Promise<DeliveryVerdict>,
    textOf: (...args: Args) => string | null,
  ) {
    return async (...args: Args): Promise<DeliveryVerdict> => {
      let verdict: DeliveryVerdict = false;
      try {
        verdict = await deliver(...args);
        return verdict;
      } finally {
        const text = textOf(...args);
        if (text !== null) emit('delivered', { text, verdict });
      }
    };
  }

  return {
    ...dictation,
    async start(options = {}) {
      const { deliver, deliverPiece } = options;
      const before = recording;
      recording = { isTold: deliver !== undefined };
      const result = await dictation.start({
        ...options,
        ...(deliver && { deliver: told(deliver, ({ text }) => text) }),
        ...(deliverPiece && {
          deliverPiece: told(deliverPiece, (text, _, takeBack) => (takeBack > 0 ? null : text)),
        }),
      });
      // The recording under way is another's.
      if (!result.ok && result.reason === 'already-recording') recording = before;
      return result;
    },
    async stop(options) {
      const stopped = recording;
      const result = await dictation.stop(options);
      // Of a text that is not there yet, nothing has been given.
      const isGiven = result !== null && (result.text !== '' || result.failedChunks === 0);
      if (isGiven && !stopped.isTold) {
        stopped.isTold = true;
        emit('delivered', { text: result.text, verdict: true });
      }
      return result;
    },
    takeText: (dictationId, insert) =>
      dictation.takeText(
        dictationId,
        told(insert, (text) => text),
      ),
    on(kind, listener) {
      if (!KINDS.includes(kind)) console.error(`No event: ${kind}. There are ${KINDS.join(', ')}`);
      // Not when it was made: a change since is no news.
      if (!stopWatching) seen = dictation.getSnapshot();
      stopWatching ??= dictation.subscribe(compare);
      const own = (event: never): void => listener(event);
      const all = listeners.get(kind) ?? new Set();
      listeners.set(kind, all.add(own));
      return () => {
        all.delete(own);
        if ([...listeners.values()].some(({ size }) => size > 0)) return;
        stopWatching?.();
        stopWatching = null;
      };
    },
  };
}

type Emit = <Kind extends keyof DictationEvents>(kind: Kind, event: DictationEvents[Kind]) => void;

/** Tells what has changed from one session to the next, in the order in which it happens. */
function tellSession(was: SessionState, is: SessionState, emit: Emit): void {
  const isOther = was.id !== is.id;
  if (was.isSpeaking && (isOther || !is.isSpeaking)) emit('speechend', null);
  if (was.phase !== is.phase) emit('state', is.phase);
  if (is.isSpeaking && (isOther || !was.isSpeaking)) emit('speechstart', null);
  if (was.live !== is.live) emit('partial', is.live);
  const known = isOther ? new Map<number, string>() : was.transcriptions;
  for (const [number, text] of is.transcriptions) {
    // A control command has no text: its piece is told as empty.
    if (known.get(number) !== text) emit('final', { number, text: isNothing(text) ? '' : text });
  }
}

function tellTroubles(before: Snapshot, now: Snapshot, emit: Emit): void {
  const known = new Set(before.notices.map(keyOf));
  for (const notice of now.notices) if (!known.has(keyOf(notice))) emit('error', troubleOf(notice));
}

const keyOf = ({ kind, error }: Notice): string => `${kind} ${error?.code}`;

function troubleOf(notice: Notice): DictationTrouble {
  const { kind, error } = notice;
  const { code = kind, message = kind.replaceAll('-', ' '), cause } = error ?? {};
  return { ...notice, code, message, ...(cause !== undefined && { cause }) };
}
