import { isNothing } from './core/blank-text.ts';
import type { DeliveryVerdict, Dictation } from './core/contracts/dictation.ts';
import type { LiveText, Notice, SessionPhase, Snapshot } from './core/session/snapshot.ts';

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
  /** A text has been given to `deliver`, or else by `stop`, and this is what became of it. */
  readonly delivered: { readonly text: string; readonly verdict: DeliveryVerdict };
  /** Something is to be said to the person: a notice, with its error where there is one. */
  readonly error: Notice;
};

/** A dictation that tells what happens. */
export type EventfulDictation = Dictation & {
  /**
   * Calls `listener` with each event of a kind from now on, until the returned function is called.
   * An error thrown by a listener is reported, and affects no other listener.
   */
  on<Kind extends keyof DictationEvents>(
    kind: Kind,
    listener: (event: DictationEvents[Kind]) => void,
  ): () => void;
};

/**
 * The same dictation with events beside its snapshots. `delivered` is of the recordings that are
 * started with what is given here: give it to fields as their `dictation`.
 */
export function withEvents(dictation: Dictation): EventfulDictation {
  const listeners = new Map<string, Set<(event: never) => void>>();
  let seen = dictation.getSnapshot();
  let stopWatching: (() => void) | null = null;
  let isDelivered = false;

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
    tellChanges(before, seen, emit);
  }

  function told<Args extends readonly unknown[]>(
    deliver: (...args: Args) => DeliveryVerdict | Promise<DeliveryVerdict>,
    textOf: (...args: Args) => string,
  ) {
    return async (...args: Args): Promise<DeliveryVerdict> => {
      const verdict = await deliver(...args);
      emit('delivered', { text: textOf(...args), verdict });
      return verdict;
    };
  }

  return {
    ...dictation,
    async start(options = {}) {
      const { deliver, deliverPiece } = options;
      const before = isDelivered;
      isDelivered = deliver !== undefined;
      const result = await dictation.start({
        ...options,
        ...(deliver && { deliver: told(deliver, ({ text }) => text) }),
        ...(deliverPiece && { deliverPiece: told(deliverPiece, (text) => text) }),
      });
      // The recording under way is another's.
      if (!result.ok && result.reason === 'already-recording') isDelivered = before;
      return result;
    },
    async stop(options) {
      const isToldElsewhere = isDelivered;
      const result = await dictation.stop(options);
      if (result && !isToldElsewhere) emit('delivered', { text: result.text, verdict: true });
      return result;
    },
    on(kind, listener) {
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

/** Tells what has changed from one snapshot to the next, in the order in which it happens. */
function tellChanges(
  before: Snapshot,
  now: Snapshot,
  emit: <Kind extends keyof DictationEvents>(kind: Kind, event: DictationEvents[Kind]) => void,
): void {
  const [was, is] = [before.session, now.session];
  if (was.phase !== is.phase) emit('state', is.phase);
  if (was.isSpeaking !== is.isSpeaking) emit(is.isSpeaking ? 'speechstart' : 'speechend', null);
  if (was.live !== is.live) emit('partial', is.live);
  const known = was.id === is.id ? was.transcriptions : new Map<number, string>();
  for (const [number, text] of is.transcriptions) {
    // A control command has no text: its piece is told as empty.
    if (known.get(number) !== text) emit('final', { number, text: isNothing(text) ? '' : text });
  }
  for (const notice of now.notices) {
    if (!before.notices.some(({ kind }) => kind === notice.kind)) emit('error', notice);
  }
}
