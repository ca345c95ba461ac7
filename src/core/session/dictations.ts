import { samplesToMs } from '../audio/audio-format.ts';
import type { ErrorInfo } from '../errors.ts';
import {
  isBeingSent,
  isComing,
  joinTranscripts,
  type QueueItemHead,
  type ReviewReason,
  reviewReason,
  textFlowOf,
  waitingState,
} from '../queue/queue-item.ts';
import type { Recording } from '../recordings/recording.ts';
import type { KeptRecording, Snapshot } from './snapshot.ts';
import { type LateSources, lateItems, lateKept } from './text-state.ts';

/** The state of a dictation as a whole: that of its least advanced chunk. */
type DictationState =
  | {
      readonly kind: /** In another tab, or about to be completed from its journal. */
        | 'recording'
        /** With the server, or another page, and on its way to text. */
        | 'writing'
        /** To be sent. */
        | 'waiting'
        | 'unauthorised'
        /** The server lacks its language. */
        | 'language'
        /** The server will never take it as it is. */
        | 'refused'
        /** Its sound could not be encoded. */
        | 'unencoded'
        /** Its text is here and in nobody's hands. */
        | 'ready'
        /** Its text is in the user's hands, or there is none, and it may not be all. */
        | 'needs-review'
        | 'delivered'
        | 'in-bin';
    }
  /** The network, or the server, failed; tried again at that time, ms since 1970. */
  | { readonly kind: 'network' | 'server'; readonly nextAttemptAtMs: number }
  /** The server makes the language ready, and so much of that is done, 0 to 1. */
  | { readonly kind: 'preparing'; readonly share: number }
  /** A text is in the user's hands, and another was asked for; `late` says why it is not there. */
  | { readonly kind: 'rewriting'; readonly late: 'network' | 'server' | null };

/** Something that a person can do with a dictation. */
export type DictationAction =
  | 'play'
  | 'save'
  | 'insert'
  | 'copy'
  /** Have sent now what waits, or have written down anew what needs review. */
  | 'try'
  /** Have all of it written down once more, as another text of it. */
  | 'again'
  | 'delete'
  | 'undo';

/** One dictation, made of all that is known of it. */
export type ListedDictation = {
  readonly id: string;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  /** The length of the sound that there is of it. */
  readonly lengthMs: number;
  /** Not in the user's hands, or to be reviewed: it stands on top. */
  readonly isWaiting: boolean;
  readonly state: DictationState;
  /** Why its text may not be all, each reason once. */
  readonly needsReview: readonly ReviewReason[];
  /** The queue's part of its text, in order; empty if there is none. */
  readonly text: string;
  /** The beginning of that, or of the newest text it was given; empty if there is none. */
  readonly words: string;
  /** Chunks that wait for the user, and how many of them are text; null where none do. */
  readonly parts: { readonly done: number; readonly all: number } | null;
  readonly can: ReadonlySet<DictationAction>;
  /** The likeliest wish of a person; null for none in particular. */
  readonly likely: 'insert' | 'try' | 'again' | null;
  /** The chunks, raw speech and recording that it is made of. */
  readonly items: readonly QueueItemHead[];
  readonly kept: KeptRecording | null;
  readonly recording: Recording | null;
};

/** The parts of a snapshot that the list is made of. */
export type DictationSources = LateSources & Pick<Snapshot, 'recordings'>;

/**
 * Every dictation there is, once: first those that wait, the oldest first, as they will be
 * inserted; then the others, the newest first. Not those of this page whose text is on its ordinary
 * way.
 */
export function dictationsOf(sources: DictationSources): readonly ListedDictation[] {
  const { recordings, queue, session, awaited, cancelled } = sources;
  const recordingById = new Map(recordings.list.map((recording) => [recording.id, recording]));
  const keptById = new Map(lateKept(sources).map((kept) => [kept.dictationId, kept]));
  const itemsById = new Map<string, QueueItemHead[]>();
  for (const id of keptById.keys()) itemsById.set(id, []);
  for (const item of lateItems(sources)) {
    itemsById.set(item.dictationId, [...(itemsById.get(item.dictationId) ?? []), item]);
  }
  const waiting = [...itemsById].map(([id, items]) =>
    waitingDictation(
      { id, items, kept: keptById.get(id) ?? null, recording: recordingById.get(id) ?? null },
      queue.isUnauthorised,
    ),
  );
  const recent = recordings.list.filter((recording) => {
    const { id, state, transcripts } = recording;
    if (itemsById.has(id)) return false;
    if (state.kind === 'in-bin') return true;
    if (id === session.id || id === cancelled) return false;
    return !awaited.includes(id) || (state.kind === 'delivered' && transcripts > 0);
  });
  return [...waiting.sort((a, b) => a.startedAtMs - b.startedAtMs), ...recent.map(recentDictation)];
}

type Parts = Pick<ListedDictation, 'id' | 'items' | 'kept' | 'recording'>;

function waitingDictation(
  { id, items, kept, recording }: Parts,
  isUnauthorised: boolean,
): ListedDictation {
  const texts = new Map(
    items.flatMap(({ number, state }) => ('text' in state ? [[number, state.text] as const] : [])),
  );
  const text = joinTranscripts(texts, textFlowOf(items));
  const state = kept ? ({ kind: 'unencoded' } as const) : stateOf(items, isUnauthorised);
  const needsReview = [...new Set(items.flatMap(({ state }) => reviewReason(state) ?? []))];
  const can = new Set<DictationAction>(['play', 'save', 'delete']);
  if (isInsertable(items, text)) can.add('insert');
  if (text !== '') can.add('copy');
  if (state.kind !== 'ready') can.add('try');
  const isWhole = recording !== null && isMade(recording) && hasSound(recording);
  if (isWhole) can.add('again');
  const own = kept ? [...items, kept] : items;
  const ownSamples = own.reduce((sum, { durationSamples }) => sum + durationSamples, 0);
  const ownStart = Math.min(
    ...own.map((part) => ('createdAtMs' in part ? part.createdAtMs : part.startedAtMs)),
  );
  return {
    ...{ id, items, kept, recording, state, needsReview, text, can },
    startedAtMs: recording?.startedAtMs ?? ownStart,
    lengthMs: samplesToMs((isWhole && recording?.durationSamples) || ownSamples),
    isWaiting: true,
    words: text || (recording?.firstWords ?? ''),
    parts: items.length === 0 ? null : { done: texts.size, all: items.length },
    likely: likelyOf(state, needsReview, can),
  };
}

function likelyOf(
  { kind }: DictationState,
  needsReview: readonly ReviewReason[],
  can: ReadonlySet<DictationAction>,
): ListedDictation['likely'] {
  // A text that the page changed is here whole.
  const isWhole = kind === 'ready' || needsReview.includes('altered');
  if (isWhole && can.has('insert')) return 'insert';
  const goesOn = kind === 'writing' || kind === 'waiting' || kind === 'preparing';
  return goesOn || !can.has('try') ? null : 'try';
}

function recentDictation(recording: Recording): ListedDictation {
  const { id, startedAtMs, durationSamples, firstWords, needsReview, rewriting } = recording;
  const state = recentState(recording);
  const isRefused = rewriting?.isRefused === true;
  const can = new Set<DictationAction>();
  if (state.kind === 'in-bin') can.add('undo');
  else if (isMade(recording)) {
    can.add('delete');
    if (firstWords !== '') can.add('insert').add('copy');
    if (hasSound(recording)) can.add('play').add('save').add('again');
  }
  const isForReview = (needsReview !== null && rewriting === null) || isRefused;
  return {
    ...{ id, startedAtMs, state, can, recording, kept: null, items: [], text: '', parts: null },
    lengthMs: samplesToMs(durationSamples),
    isWaiting: false,
    words: firstWords,
    needsReview: needsReview === null ? [] : [needsReview],
    likely: isForReview && can.has('again') ? 'again' : can.has('insert') ? 'insert' : null,
  };
}

function recentState({ state, needsReview, rewriting }: Recording): DictationState {
  if (state.kind === 'in-bin' || state.kind === 'recording') return state;
  if (rewriting?.isRefused) return { kind: 'refused' };
  if (rewriting) return { kind: 'rewriting', late: rewriting.error && failedAt(rewriting.error) };
  // None of it is in this page's queue: another one has it.
  if (state.kind === 'waiting') return { kind: 'writing' };
  return { kind: needsReview === null ? 'delivered' : 'needs-review' };
}

const hasSound = ({ durationSamples }: Recording): boolean => durationSamples > 0;

/** It is neither being recorded nor deleted. */
const isMade = ({ state }: Recording): boolean =>
  state.kind === 'waiting' || state.kind === 'delivered';

/** Some of it can go in now: nothing that is still to come belongs before it. */
function isInsertable(items: readonly QueueItemHead[], text: string): boolean {
  const firstComing = items.findIndex(isComing);
  if (firstComing === -1) return text !== '';
  const ready = items
    .slice(0, firstComing)
    .flatMap(({ number, state }) =>
      state.kind === 'answered' ? [[number, state.text] as const] : [],
    );
  return joinTranscripts(new Map(ready)) !== '';
}

function stateOf(items: readonly QueueItemHead[], isUnauthorised: boolean): DictationState {
  const states = items.map(({ state }) => state);
  const refused = states.find((state) => state.kind === 'refused');
  if (refused) return { kind: refused.error.code === 'language-missing' ? 'language' : 'refused' };
  if (states.some(isBeingSent)) return { kind: 'writing' };
  const waiting = states.flatMap((state) => waitingState(state) ?? []);
  if (waiting.length === 0) {
    // A text that is still to be inserted goes before one that was.
    return { kind: states.some(({ kind }) => kind === 'answered') ? 'ready' : 'needs-review' };
  }
  if (isUnauthorised) return { kind: 'unauthorised' };
  const error = waiting.find(({ lastError }) => lastError !== null)?.lastError;
  if (!error) return { kind: 'waiting' };
  if (error.share !== undefined) return { kind: 'preparing', share: error.share };
  const nextAttemptAtMs = Math.min(...waiting.map((state) => state.nextAttemptAtMs));
  return { kind: failedAt(error), nextAttemptAtMs };
}

function failedAt({ code }: ErrorInfo): 'network' | 'server' {
  return code === 'http-network' || code === 'http-timeout' ? 'network' : 'server';
}

/** The extent of deleting everything, to be said before it is done. */
export type RemovalSummary = {
  readonly count: number;
  readonly lengthMs: number;
  readonly bytes: number;
  /** The number of those that are not text yet. */
  readonly waiting: number;
  /** All of it can be had back for a while. */
  readonly isUndoable: boolean;
};

/** Every dictation that can be deleted, also such as are on their way. */
export function removalOf(sources: DictationSources): RemovalSummary {
  const gone = removable(sources);
  return {
    count: gone.length,
    lengthMs: gone.reduce((sum, { lengthMs }) => sum + lengthMs, 0),
    bytes: gone.reduce((sum, { recording }) => sum + (recording?.bytes ?? 0), 0),
    waiting: gone.filter(({ isWaiting, state }) =>
      isWaiting
        ? state.kind !== 'ready' && state.kind !== 'needs-review'
        : state.kind === 'writing',
    ).length,
    isUndoable: gone.every(hasBin),
  };
}

/** Those dictations, the ones that wait first. */
export function removable(sources: DictationSources): readonly ListedDictation[] {
  return dictationsOf({ ...sources, awaited: [] }).filter(({ can }) => can.has('delete'));
}

/** Deleted, it lies in a bin for a while: there is a recording of it, and nothing else is raw. */
export function hasBin({ recording, kept }: ListedDictation): boolean {
  return recording !== null && kept === null && isMade(recording);
}
