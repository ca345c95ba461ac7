import type { DeliveryVerdict, StartOptions } from '../core/contracts/dictation.ts';
import { isWanting, type QueueItemHead } from '../core/queue/queue-item.ts';
import type { SnapshotStore } from './snapshot-store.ts';

type Deliver = NonNullable<StartOptions['deliver']>;

/** What late texts need. */
export type LateTextsPorts = {
  readonly store: SnapshotStore;
  /** Gives a session's text to `insert`, for this tab alone; false if that was not to be. */
  readonly takeText: (
    sessionId: string,
    insert: (text: string, withdrawn: AbortSignal) => Promise<DeliveryVerdict>,
  ) => Promise<DeliveryVerdict>;
};

/** Dictations whose text was not whole when they ended, and whose place in the field is kept. */
export type LateTexts = {
  /** Has the text delivered when the last of the session's chunks has become text. */
  await(sessionId: string, deliver: Deliver): void;
  dispose(): void;
};

/** Makes late texts: whole ones are delivered once, in order; whatever fails is left to the list. */
export function createLateTexts({ store, takeText }: LateTextsPorts): LateTexts {
  const awaited = new Map<string, { readonly deliver: Deliver; isSeen: boolean }>();

  async function take(sessionId: string, deliver: Deliver, doubtfulChunks: number): Promise<void> {
    const insert = async (transcription: string, withdrawn: AbortSignal) =>
      deliver({ transcription, failedChunks: 0, doubtfulChunks }, withdrawn);
    await takeText(sessionId, insert).catch(() => false);
  }

  /** The text went another way: the place kept for it is given up. */
  function giveUp(deliver: Deliver, doubtfulChunks: number): void {
    const nothing = { transcription: '', failedChunks: 0, doubtfulChunks };
    void (async () => deliver(nothing, new AbortController().signal))().catch(() => {});
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
      // A snapshot may be older than the end of the session: what was never there is not gone.
      wanted.isSeen ||= items.length > 0;
      if (!wanted.isSeen || items.some(({ state }) => isWanting(state))) continue;
      awaited.delete(sessionId);
      const doubtfulChunks = new Set(items.filter(isDoubtful).map(({ number }) => number)).size;
      const hasText = items.some(({ state }) => state.kind === 'transcribed');
      if (hasText) void take(sessionId, wanted.deliver, doubtfulChunks);
      else giveUp(wanted.deliver, doubtfulChunks);
    }
  }

  const stop = store.subscribe(look);
  return {
    await(sessionId, deliver) {
      awaited.set(sessionId, { deliver, isSeen: false });
      look();
    },
    dispose() {
      stop();
      awaited.clear();
    },
  };
}

function isDoubtful({ state }: QueueItemHead): boolean {
  return state.kind === 'doubted' || (state.kind === 'transcribed' && state.doubt !== null);
}
