import type { Clock } from '../core/clock.ts';
import type { DeliveryVerdict, StartOptions } from '../core/contracts/dictation.ts';
import { isWanting, type QueueItemHead } from '../core/queue/queue-item.ts';
import type { QueueState } from '../core/session/snapshot.ts';
import type { PlaceHold } from './place-hold.ts';
import type { SnapshotStore } from './snapshot-store.ts';

type Deliver = NonNullable<StartOptions['deliver']>;

/** A text that is there and is not given is asked for again: no change may tell when it can be had. */
const ASK_AGAIN_MS = 1_000;

/** What late texts need. */
export type LateTextsPorts = {
  readonly store: SnapshotStore;
  /**
   * Gives a session's text to `insert`, for this tab alone; null if it is not to be had now. May
   * reject before it has given it.
   */
  readonly takeText: (
    sessionId: string,
    insert: (text: string, withdrawn: AbortSignal) => Promise<DeliveryVerdict>,
  ) => Promise<DeliveryVerdict | null>;
  readonly clock: Clock;
};

/** Dictations whose text was not whole when they ended, and whose place in the field is kept. */
export type LateTexts = {
  /**
   * Has the text delivered when the last of the session's chunks has become text; then the place is
   * let go.
   */
  await(sessionId: string, deliver: Deliver, place: PlaceHold): void;
  dispose(): void;
};

type Awaited = {
  readonly deliver: Deliver;
  readonly place: PlaceHold;
  /** Something of it has been in the queue. */
  isSeen: boolean;
  /** It has just been asked for. */
  isAsked: boolean;
};

/**
 * Makes late texts: whole ones are delivered once, in order; whatever fails is left to the list.
 */
export function createLateTexts({ store, takeText, clock }: LateTextsPorts): LateTexts {
  const awaited = new Map<string, Awaited>();

  async function take(sessionId: string, wanted: Awaited, doubtfulChunks: number): Promise<void> {
    wanted.isAsked = true;
    const insert = async (text: string, withdrawn: AbortSignal) => {
      awaited.delete(sessionId);
      return wanted.deliver({ text, failedChunks: 0, doubtfulChunks }, withdrawn);
    };
    await takeText(sessionId, insert).catch(() => null);
    if (awaited.get(sessionId) !== wanted) return wanted.place.release();
    // Another tab has it just now, or the worker died.
    clock.after(ASK_AGAIN_MS, () => {
      wanted.isAsked = false;
      look();
    });
  }

  /** The text went another way: the place kept for it is given up. */
  function giveUp(sessionId: string, { deliver, place }: Awaited, doubtfulChunks: number): void {
    awaited.delete(sessionId);
    void place.release();
    void deliverNothing(deliver, doubtfulChunks);
  }

  function look(): void {
    const { queue, session, kept } = store.getSnapshot();
    // A worker started anew knows nothing at first.
    if (awaited.size === 0 || !queue.isLoaded) return;
    const keptIds = new Set(kept.map((recording) => recording.sessionId));
    for (const [sessionId, wanted] of awaited) {
      // Not over yet, or not all of it is where it can become text.
      if (sessionId === session.id || keptIds.has(sessionId)) continue;
      const items = queue.items.filter((item) => item.sessionId === sessionId);
      wanted.isSeen ||= items.length > 0;
      if (wanted.isAsked || isComing(items, wanted, queue)) continue;
      const doubtfulChunks = new Set(items.filter(isDoubtful).map(({ number }) => number)).size;
      const hasText = items.some(({ state }) => state.kind === 'transcribed');
      if (hasText) void take(sessionId, wanted, doubtfulChunks);
      else giveUp(sessionId, wanted, doubtfulChunks);
    }
  }

  const stop = store.subscribe(look);
  return {
    await(sessionId, deliver, place) {
      awaited.set(sessionId, { deliver, place, isSeen: false, isAsked: false });
      look();
    },
    dispose() {
      stop();
      awaited.clear();
    },
  };
}

/** Tells whoever has kept a place for a text that none comes there. Never rejects. */
export async function deliverNothing(deliver: Deliver, doubtfulChunks = 0): Promise<void> {
  const nothing = { text: '', failedChunks: 0, doubtfulChunks };
  try {
    await deliver(nothing, new AbortController().signal);
  } catch {
    // Nothing is lost.
  }
}

function isComing(
  items: readonly QueueItemHead[],
  { isSeen }: Awaited,
  { isRecovered }: QueueState,
): boolean {
  if (items.length > 0) return items.some(({ state }) => isWanting(state));
  // A snapshot may be older than the end of the session: what was never there is not gone. And a
  // worker started anew brings what a dead one had in its memory alone.
  return !isSeen || !isRecovered;
}

function isDoubtful({ state }: QueueItemHead): boolean {
  return state.kind === 'doubted' || (state.kind === 'transcribed' && state.doubt !== null);
}
