import { assertNever } from '../../src/core/assert-never.ts';
import type { AudioEncoderPort } from '../../src/core/audio-types.ts';
import type { Clock, Random } from '../../src/core/clock.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { joinTranscripts } from '../../src/core/join-transcripts.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { QueueItem, QueueItemHead, QueueStore } from '../../src/core/queue-item.ts';
import { dueInMs } from '../../src/core/queue-policy.ts';
import type { QueueState } from '../../src/core/snapshot.ts';
import type { SessionResult } from '../../src/core/worker-api.ts';
import { createBacklog } from './backlog.ts';
import { createItemUploader, type UploadResult } from './item-uploader.ts';
import { createLiveDelivery } from './live-delivery.ts';
import { createQueueLedger, type QueueLedger } from './queue-ledger.ts';
import { NO_OTHER_TABS, type QueueMessage, type QueueTabs, type SettledHow } from './queue-tabs.ts';
import { sessionChunks } from './session-chunks.ts';
import { createTextClaims } from './text-claims.ts';
import type { TranscribeRequest } from './transcribe-request.ts';
import { createTurns } from './turns.ts';

/** What an upload queue needs. */
export type UploadQueuePorts = {
  readonly store: QueueStore;
  readonly request: TranscribeRequest;
  /** For splitting chunks that are too large for the server. */
  readonly encoder: AudioEncoderPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Told of every change, at once. */
  readonly onChange: (queue: QueueState) => void;
  /** The store failed (chunks are kept in memory and sent all the same), or (null) works again. */
  readonly onStorage?: (error: ErrorInfo | null) => void;
  /** A chunk left the queue for good, here or in another tab. */
  readonly onSettled?: (id: string, how: SettledHow) => void;
  /** A chunk's parts stand in its place. */
  readonly onReplaced?: (id: string, parts: readonly QueueItemHead[]) => void;
  /** @default no other tabs */
  readonly tabs?: QueueTabs;
};

/** How a chunk's session sees it end. */
export type ChunkOutcome =
  /** The text; empty too if the user discarded the chunk. */
  | { readonly kind: 'transcribed'; readonly text: string }
  /** It leaves the session and stays in the queue. */
  | { readonly kind: 'left'; readonly error: ErrorInfo };

/** Chunks on their way to becoming text. Nothing is removed before its text is handed over. */
export type UploadQueue = {
  /** Begins to send what earlier days left; call it when crashed sessions have been recovered. */
  start(): void;
  /**
   * Takes a chunk of a live session: stores it, calls `onKept` with whether that worked, waits for it,
   * and uploads. A session's chunks go in the order of submitting, whatever else waits. Never rejects.
   */
  submit(
    item: QueueItem,
    onKept?: (isKept: boolean) => void | Promise<void>,
  ): Promise<ChunkOutcome>;
  /**
   * Takes a chunk of a dead session: stores it, calls `onKept` with whether that worked, and leaves it to
   * the backlog. Never rejects.
   */
  enqueue(item: QueueItem, onKept: (isKept: boolean) => void | Promise<void>): Promise<void>;
  /** A dead session is this tab's to send, though part of it could not be brought here. */
  adopt(sessionId: string): void;
  /** The text of a session whose worker died: gives what still waits of it one round, then joins. */
  resultOf(sessionId: string): Promise<SessionResult>;
  /** The texts given by `submit` or `resultOf` are in the user's hands: those chunks go. */
  handedOver(sessionId: string): Promise<void>;
  /** The network may be back. */
  wake(): void;
  /**
   * The user wants a waiting or parked chunk tried now, or (null) all that wait. Ends the pause after
   * a 401 or 403.
   */
  retry(itemId: string | null): Promise<void>;
  /** Gives a chunk up for good. */
  discard(itemId: string): Promise<void>;
  /** Gives up all chunks but those of the session `keptSessionId` and of other tabs' open sessions. */
  discardAll(keptSessionId: string | null): Promise<void>;
  /** Takes the text of a waiting session for this tab alone; `settle` must follow. See `TextClaims`. */
  claim(sessionId: string): Promise<string | null>;
  settle(sessionId: string, isInserted: boolean): Promise<void>;
  /** A session of this tab, or a dead one, was let go: all tabs look at what is left of it. */
  sessionClosed(): void;
  /** Whether anything of a session waits. */
  holds(sessionId: string): boolean;
  /** The chunks themselves. */
  readonly ledger: QueueLedger;
  snapshot(): QueueState;
  /** Stops requests and timers; what is under way leaves its session and stays in the store. */
  dispose(): void;
};

/** How soon storage that failed is tried again. */
const STORAGE_RETRY_MS = 5_000;

/** Makes the upload queue, and reads what the store holds. */
export function createUploadQueue(ports: UploadQueuePorts): UploadQueue {
  const { clock, random, log, onChange, onStorage = () => {}, tabs = NO_OTHER_TABS } = ports;
  const { onSettled = () => {}, onReplaced = () => {} } = ports;
  const lanes = createTurns();
  const closing = new AbortController();
  /** Chunks that a live session waits for: not the backlog's. */
  const live = new Set<string>();
  /** Chunks whose text has been given to a session. */
  const given = new Set<string>();
  /** Sessions of this tab; those of others are theirs while they are open. */
  const ownSessions = new Set<string>();
  /** Sessions that no tab has open. What is in neither set may be another tab's. */
  let orphanSessions: ReadonlySet<string> = new Set();
  let releaseDrain: (() => void) | undefined;
  let isStarted = false;
  let isLoaded = false;
  let cancelLook = (): void => {};

  const snapshot = (): QueueState => ({
    items: ledger.list().filter(({ sessionId }) => !isForeign(sessionId)),
    isUnauthorised: uploader.refusal !== null,
    isLoaded,
    unstoredItems: ledger.unstoredItems,
  });
  const publish = () => {
    if (!closing.signal.aborted) onChange(snapshot());
  };

  /** Storage that failed is tried again: what it did not take, and what it did not remove. */
  const lookLater = () => {
    cancelLook();
    cancelLook = clock.after(STORAGE_RETRY_MS, () => backlog.run());
  };

  const post = (message: QueueMessage) => {
    if (!closing.signal.aborted) tabs.post(message);
  };

  const ledger = createQueueLedger({
    store: ports.store,
    log,
    onChange: () => publish(),
    onStored: () => post({ kind: 'stored' }),
    onSettled: (id, how) => {
      onSettled(id, how);
      post({ kind: 'settled', id, how });
    },
    onReplaced,
    onStorage: (error) => {
      onStorage(error);
      if (error) lookLater();
    },
  });

  const uploader = createItemUploader({
    ...ports,
    ledger,
    onSplit: (id, partIds) => {
      if (live.delete(id)) for (const partId of partIds) live.add(partId);
    },
  });

  const isForeign = (sessionId: string) =>
    !orphanSessions.has(sessionId) && !ownSessions.has(sessionId);

  const backlogItems = (): readonly QueueItemHead[] =>
    ledger
      .list()
      .filter(({ state }) => state.kind === 'waiting')
      .filter(({ id, sessionId }) => !live.has(id) && !isForeign(sessionId));

  const makeDue = (item: QueueItemHead): void => {
    if (item.state.kind !== 'waiting' || dueInMs(item, clock.nowMs()) === 0) return;
    ledger.note(item.id, { ...item.state, nextAttemptAtMs: clock.nowMs() });
  };

  const backlog = createBacklog({
    clock,
    random,
    refresh,
    maySend: () => releaseDrain !== undefined && uploader.refusal === null,
    list: backlogItems,
    makeDue: () => backlogItems().forEach(makeDue),
    upload: uploadLate,
  });

  async function refresh(): Promise<boolean> {
    await ledger.load((id) => live.has(id) || uploader.isBusy(id));
    const sessions = new Set(ledger.list().map(({ sessionId }) => sessionId));
    const orphans = new Set<string>();
    for (const sessionId of sessions) {
      if (!ownSessions.has(sessionId) && (await tabs.isOrphan(sessionId))) orphans.add(sessionId);
    }
    orphanSessions = orphans;
    isLoaded = true;
    publish();
    return [...sessions].some(isForeign);
  }

  async function uploadLate(id: string): Promise<UploadResult> {
    const result = await uploader.upload(id);
    ledger.forgetAudio(id);
    // Nothing was said in it after all: there is nothing to offer.
    if (result.kind === 'transcribed' && result.text.trim() === '')
      await ledger.remove(id, 'delivered');
    return result;
  }

  const deliver = createLiveDelivery({ ledger, uploader, clock, live });

  async function keep(
    item: QueueItem,
    onKept: (isKept: boolean) => void | Promise<void>,
  ): Promise<void> {
    const isKept = await ledger.add(item);
    try {
      await onKept(isKept);
    } catch (thrown) {
      log.error('A kept chunk could not be noted', thrown);
    }
  }

  function heed(message: QueueMessage): void {
    switch (message.kind) {
      case 'stored':
        backlog.run();
        break;
      case 'settled':
        onSettled(message.id, message.how);
        backlog.run();
        break;
      case 'retry':
        uploader.forgetRefusal();
        publish();
        backlog.wake();
        break;
      case 'wiped':
        void discardAll(null);
        break;
      default:
        assertNever(message);
    }
  }

  /** What is live is needed by a recording, here or in another tab. */
  async function discardAll(keptSessionId: string | null): Promise<void> {
    await refresh();
    for (const { id, sessionId } of ledger.list()) {
      if (sessionId === keptSessionId || live.has(id) || isForeign(sessionId)) continue;
      await discard(id);
    }
  }

  async function discard(itemId: string): Promise<void> {
    const removed = ledger.remove(itemId, 'deleted');
    uploader.abort(itemId);
    await removed;
  }

  const claims = createTextClaims({ ledger, tabs, refresh, isForeign });

  tabs.listen(heed, closing.signal);
  backlog.run();

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      tabs.takeDrain(closing.signal).then(
        (release) => {
          if (closing.signal.aborted) release?.();
          else releaseDrain = release;
          backlog.run();
        },
        (thrown: unknown) =>
          log.error('The queue cannot be drained', toErrorInfo(thrown, 'storage-failed')),
      );
    },
    async submit(item, onKept = () => {}) {
      live.add(item.id);
      ownSessions.add(item.sessionId);
      const kept = keep(item, onKept);
      const delivery = await lanes.run(item.sessionId, async () => {
        await kept;
        return deliver(item.id);
      });
      if (delivery.kind === 'left') {
        backlog.run();
        return delivery;
      }
      for (const id of delivery.ids) given.add(id);
      backlog.wake();
      return { kind: 'transcribed', text: delivery.text };
    },
    async enqueue(item, onKept) {
      ownSessions.add(item.sessionId);
      await keep(item, onKept);
      ledger.forgetAudio(item.id);
      backlog.run();
    },
    adopt(sessionId) {
      ownSessions.add(sessionId);
      backlog.run();
    },
    async resultOf(sessionId) {
      ownSessions.add(sessionId);
      await refresh();
      await lanes.run(sessionId, async () => {
        for (const item of ledger.list()) {
          if (item.sessionId !== sessionId) continue;
          // What the backlog is sending already is waited for.
          if (item.state.kind !== 'waiting' && item.state.kind !== 'sending') continue;
          live.add(item.id);
          makeDue(item);
          const delivery = await deliver(item.id);
          if (delivery.kind === 'left') return;
        }
      });
      const chunks = sessionChunks(ledger.list(), sessionId);
      const transcriptions = new Map<number, string>();
      for (const { number, text, ids } of chunks) {
        if (text === null) continue;
        transcriptions.set(number, text);
        for (const id of ids) given.add(id);
      }
      backlog.run();
      return {
        transcription: joinTranscripts(transcriptions),
        failedChunks: chunks.length - transcriptions.size,
      };
    },
    async handedOver(sessionId) {
      const items = ledger.list().filter((item) => item.sessionId === sessionId);
      for (const { id } of items) if (given.delete(id)) await ledger.remove(id, 'delivered');
    },
    wake: () => backlog.wake(),
    async retry(itemId) {
      const state = itemId === null ? undefined : ledger.head(itemId)?.state;
      if (itemId !== null && (state?.kind === 'waiting' || state?.kind === 'parked')) {
        const lastError = state.kind === 'parked' ? state.error : state.lastError;
        const nextAttemptAtMs = clock.nowMs();
        await ledger.change(itemId, { state: { kind: 'waiting', nextAttemptAtMs, lastError } });
      }
      post({ kind: 'retry' });
      heed({ kind: 'retry' });
    },
    discard,
    async discardAll(keptSessionId) {
      await discardAll(keptSessionId);
      post({ kind: 'wiped' });
    },
    claim: claims.claim,
    settle: claims.settle,
    sessionClosed() {
      post({ kind: 'stored' });
      backlog.run();
    },
    holds: (sessionId) => ledger.list().some((item) => item.sessionId === sessionId),
    ledger,
    snapshot,
    dispose() {
      closing.abort();
      cancelLook();
      claims.dispose();
      uploader.dispose();
      backlog.dispose();
      releaseDrain?.();
    },
  };
}
