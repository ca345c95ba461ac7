import { samplesToMs } from '../core/audio/audio-format.ts';
import { isBlank } from '../core/blank-text.ts';
import { joinTranscripts, textFlowOf } from '../core/queue/join-transcripts.ts';
import {
  isComing,
  type QueueItemHead,
  type QueueItemState,
  type TextDoubt,
} from '../core/queue/queue-item.ts';
import type { KeptRecording } from '../core/session/kept-recording.ts';

/** One dictation that waits: a session's chunks in the queue, put together. */
export type WaitingDictation = {
  readonly sessionId: string;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  readonly lengthMs: number;
  /** What there is of its text, in order. */
  readonly text: string;
  /** Some of it can go in now: nothing that is still to come belongs before it. */
  readonly isInsertable: boolean;
  readonly items: readonly QueueItemHead[];
  readonly doneItems: number;
  /** Why its text may not be all, each reason once. */
  readonly doubts: readonly TextDoubt[];
  /** What of it could not be encoded. */
  readonly kept: KeptRecording | null;
  readonly state: WaitingState;
};

/** Where it stands as a whole: as its least advanced chunk. */
export type WaitingState =
  | {
      readonly kind:
        | 'transcribed'
        | 'doubted'
        | 'sending'
        | 'waiting'
        | 'unauthorised'
        | 'parked'
        | 'language'
        | 'kept';
    }
  /** The network, or the server, failed; tried again at that time, ms since 1970. */
  | { readonly kind: 'network' | 'server'; readonly nextAttemptAtMs: number }
  /** The server makes the language ready, and so much of that is done, 0 to 1. */
  | { readonly kind: 'preparing'; readonly share: number };

/**
 * Puts chunks, in the order of speech, and kept recordings together by dictation: the oldest first.
 */
export function waitingDictations(
  items: readonly QueueItemHead[],
  keptRecordings: readonly KeptRecording[],
  isUnauthorised: boolean,
): readonly WaitingDictation[] {
  const keptById = new Map(keptRecordings.map((kept) => [kept.sessionId, kept]));
  const bySession = new Map<string, QueueItemHead[]>();
  for (const item of items) {
    bySession.set(item.sessionId, [...(bySession.get(item.sessionId) ?? []), item]);
  }
  for (const sessionId of keptById.keys()) {
    if (!bySession.has(sessionId)) bySession.set(sessionId, []);
  }
  return [...bySession]
    .map(([sessionId, own]) => {
      const kept = keptById.get(sessionId) ?? null;
      const texts = new Map(
        own.flatMap(({ number, state }) =>
          'text' in state ? [[number, state.text] as const] : [],
        ),
      );
      const text = joinTranscripts(texts, textFlowOf(own));
      const firstComing = own.findIndex(isComing);
      const parts = kept ? [...own, kept] : own;
      return {
        sessionId,
        startedAtMs: Math.min(
          ...own.map(({ createdAtMs }) => createdAtMs),
          ...(kept ? [kept.startedAtMs] : []),
        ),
        lengthMs: samplesToMs(parts.reduce((sum, part) => sum + part.durationSamples, 0)),
        text,
        isInsertable:
          firstComing === -1
            ? text !== ''
            : own
                .slice(0, firstComing)
                .some(({ state }) => state.kind === 'transcribed' && !isBlank(state.text)),
        items: own,
        doneItems: texts.size,
        doubts: [...new Set(own.flatMap(({ state }) => doubtIn(state) ?? []))],
        kept,
        state: kept ? ({ kind: 'kept' } as const) : stateOf(own, isUnauthorised),
      };
    })
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

function doubtIn(state: QueueItemState): TextDoubt | null {
  if (state.kind === 'doubted') return state.why;
  return state.kind === 'transcribed' ? state.doubt : null;
}

function stateOf(items: readonly QueueItemHead[], isUnauthorised: boolean): WaitingState {
  const states = items.map(({ state }) => state);
  const parked = states.find((state) => state.kind === 'parked');
  if (parked) return { kind: parked.error.code === 'language-missing' ? 'language' : 'parked' };
  if (states.some(({ kind }) => kind === 'sending')) return { kind: 'sending' };
  const waiting = states.filter((state) => state.kind === 'waiting');
  if (waiting.length === 0) {
    // A text that is still to be inserted goes before one that was.
    return { kind: states.some(({ kind }) => kind === 'transcribed') ? 'transcribed' : 'doubted' };
  }
  if (isUnauthorised) return { kind: 'unauthorised' };
  const failed = waiting.find(({ lastError }) => lastError !== null);
  if (!failed?.lastError) return { kind: 'waiting' };
  const { share } = failed.lastError;
  if (share !== undefined) return { kind: 'preparing', share };
  const isNetwork = ['http-network', 'http-timeout'].includes(failed.lastError.code);
  const nextAttemptAtMs = Math.min(...waiting.map((state) => state.nextAttemptAtMs));
  return { kind: isNetwork ? 'network' : 'server', nextAttemptAtMs };
}
