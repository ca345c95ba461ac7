import { assertNever } from '../../src/core/assert-never.ts';
import { type CancelTimer, type Clock, isSince, type Random } from '../../src/core/clock.ts';
import type { TextChunks } from '../../src/core/contracts/worker-api.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import {
  isClosed,
  type JournalCut,
  joinTranscripts,
  type QueueItem,
  type QueueItemHead,
  waitingState,
} from '../../src/core/queue/queue-item.ts';
import { isSignedOut } from '../../src/core/queue/queue-policy.ts';
import { saysNothing } from '../../src/core/queue/taken-back.ts';
import { rewrittenBy } from '../../src/core/recordings/recording-record.ts';
import type { QueueState, ServerState } from '../../src/core/session/snapshot.ts';
import { languagesOf, spokenLanguage } from '../../src/core/session/spoken-language.ts';
import { createBacklog, createServerNeed, type ServerSight, SLOW_REQUEST_MS } from './backlog.ts';
import { createDictationDelivery, type ResumedChunk } from './dictation-delivery.ts';
import { type ChunkOutcome, DictationEntries } from './dictation-entry.ts';
import { createItemUploader, type UploadResult } from './item-uploader.ts';
import { createQueueCache, formerOf, type QueueCachePorts } from './queue-cache.ts';
import { createDrainTurn, NO_OTHER_TABS, type QueueMessage, type QueueTabs } from './queue-tabs.ts';
import type { TranscribeRequest } from './transcribe-request.ts';

/** Delay before storage that failed is tried again. */
const STORAGE_RETRY_MS = 5_000;

type UploadQueuePorts = Pick<
  QueueCachePorts,
  'store' | 'log' | 'onSettled' | 'startOf' | 'onDelivered'
> & {
  /** @default nothing is known yet */
  readonly entries?: DictationEntries;
  readonly request: TranscribeRequest;
  readonly clock: Clock;
  readonly random: Random;
  /** Called at once with every change. */
  readonly onChange: (queue: QueueState) => void;
  /** The store failed (chunks are kept in memory and sent all the same), or (null) works again. */
  readonly onStorage?: (error: ErrorInfo | null) => void;
  /** Something waits here for the server's return: `serverSeen` is to be told of it. */
  readonly onServerNeeded?: () => void;
  /** The server has sent a text. */
  readonly onAnswered?: () => void;
  /** Something waits here for a language that the server lacks. */
  readonly onLanguageMissed?: () => void;
  /** @default no other tabs */
  readonly tabs?: QueueTabs;
};

/**
 * Chunks on their way to becoming text, those of recordings and those of earlier days. Nothing is
 * removed before its text is handed over. Nothing here rejects but `claim` and `endClaim`.
 */
export type UploadQueue = ReturnType<typeof createUploadQueue>;

/** Makes the upload queue, and reads what the store holds. */
export function createUploadQueue(ports: UploadQueuePorts) {
  const { clock, random, log, onChange, onStorage = () => {}, tabs = NO_OTHER_TABS } = ports;
  const { onSettled = () => {}, onServerNeeded = () => {}, onAnswered = () => {} } = ports;
  const { onLanguageMissed = () => {} } = ports;
  const closing = new AbortController();
  const { entries = new DictationEntries() } = ports;
  let isLoaded = false;
  let isRecovered = false;
  let server: ServerState = { kind: 'unknown' };
  let cancelLook = (): void => {};

  const isForeign = (id: string): boolean => entries.isForeign(id);
  const turn = createDrainTurn({
    tabs: { takeDrain: tabs.takeDrain, post: (message) => post(message) },
    clock,
    log,
    hasWork: () => backlogItems().length > 0,
    onTurn: () => backlog.run(),
  });

  const snapshot = (): QueueState => ({
    items: cache
      .list()
      .filter(({ dictationId }) => !isForeign(dictationId) && !rewrittenBy(dictationId)),
    isUnauthorised: uploader.refusal !== null || cache.list().some(isSignedOut),
    isLoaded,
    isRecovered: isRecovered && entries.isAllBrought,
    unstoredItems: cache.unstoredItems,
  });
  const publish = () => {
    if (closing.signal.aborted) return;
    onChange(snapshot());
    if (need.isNeeded()) onServerNeeded();
    if (missesLanguage()) onLanguageMissed();
  };

  /** Storage that failed is tried again: what it did not take, and what it did not remove. */
  const lookLater = () => {
    cancelLook();
    cancelLook = clock.after(STORAGE_RETRY_MS, () => backlog.run());
  };

  const post = (message: QueueMessage) => {
    if (!closing.signal.aborted) tabs.post(message);
  };

  const cache = createQueueCache({
    store: ports.store,
    entries,
    clock,
    log,
    onChange: () => publish(),
    onStored: () => post({ kind: 'stored' }),
    onSettled,
    tell: post,
    ...(ports.startOf ? { startOf: ports.startOf } : {}),
    ...(ports.onDelivered ? { onDelivered: ports.onDelivered } : {}),
    onStorage: (error) => {
      onStorage(error);
      if (error) lookLater();
    },
  });

  const uploader = createItemUploader({ ...ports, cache, entries });

  const isOurs = (item: QueueItemHead): boolean =>
    !entries.isAwaited(item) && !cache.isOnItsWay(item.id) && !isForeign(item.dictationId);

  const backlogItems = (): readonly QueueItemHead[] =>
    cache
      .list()
      .filter(({ state }) => waitingState(state))
      .filter(isOurs);

  const delivery = createDictationDelivery({
    cache,
    uploader,
    entries,
    tabs,
    refresh,
    clock,
    onLate: () => backlog.run(),
  });

  const backlog = createBacklog({
    clock,
    random,
    refresh,
    maySend: () => turn.isOurs && uploader.refusal === null,
    list: backlogItems,
    makeDue: () => backlogItems().forEach(delivery.makeDue),
    upload: uploadLate,
  });

  const need = createServerNeed({
    clock,
    random,
    uploader,
    list: () => (turn.isOurs && uploader.refusal === null ? cache.list().filter(isOurs) : []),
    wake: () => backlog.wake(),
  });

  /** Ends the pause after a refusal, and has the tab that sends look at the server at once. */
  function wakeHere(): void {
    // Somebody may have signed in meanwhile.
    if (uploader.refusal) uploader.forgetRefusal();
    backlog.wake();
    if (turn.isOurs) onServerNeeded();
  }

  /** Reads the store anew; true if some of it is other tabs'. */
  async function refresh(): Promise<boolean> {
    const isAwaited = (id: string) => {
      const head = cache.head(id);
      return head !== undefined && entries.isAwaited(head);
    };
    await cache.load((id) => isAwaited(id) || uploader.isBusy(id));
    await delivery.markRest();
    const ids = new Set(cache.list().map(({ dictationId }) => dictationId));
    const hasForeign = await entries.refresh(ids, tabs.isOrphan);
    if (!isLoaded) await sendInLearntLanguages();
    isLoaded = true;
    await settleWordless();
    publish();
    return hasForeign;
  }

  function succeeded(): void {
    need.succeeded();
    onAnswered();
  }

  function missed(): readonly QueueItemHead[] {
    return cache
      .list()
      .filter(({ state }) => state.kind === 'refused' && state.error.code === 'language-missing');
  }

  const missesLanguage = (): boolean => missed().length > 0;

  async function sendInLearntLanguages(): Promise<void> {
    if (languagesOf(server).length === 0) return;
    for (const { id, dictationId, options } of missed()) {
      const isLearnt = spokenLanguage(options, server)?.isMissing === false;
      if (isLearnt && !isForeign(dictationId)) await makeDue(id);
    }
  }

  /** A network that swallows requests does not say so. */
  function lookIfSlow(): CancelTimer {
    return clock.after(SLOW_REQUEST_MS, () => need.isNeeded() && onServerNeeded());
  }

  async function uploadLate(id: string): Promise<UploadResult> {
    const cancel = lookIfSlow();
    const result = await uploader.upload(id).finally(cancel);
    cache.forgetAudio(id);
    await settleWordless();
    if (result.kind === 'answered') succeeded();
    return result;
  }

  /**
   * Answers for which nobody waits and that have nothing to offer but their audio: those without a
   * word, and what is left of a dictation where all of it was taken back.
   */
  async function settleWordless(): Promise<void> {
    const settled: string[] = [];
    for (const item of cache.list()) {
      const { id, dictationId, state } = item;
      if (state.kind !== 'answered' || !isLeft(item)) continue;
      // Its page tells by the numbers what a command is said of.
      const isWordless =
        saysNothing(state.text) && !(item.isLive && (await tabs.isNeeded(dictationId)));
      if (isWordless || (await isTakenBack(dictationId))) settled.push(id);
    }
    for (const id of settled) await cache.markDelivered(new Map([[id, true]]));
  }

  /** Nobody waits for it, and it is no part of a text that a recording waits for. */
  function isLeft(item: QueueItemHead): boolean {
    if (rewrittenBy(item.dictationId) || isForeign(item.dictationId)) return false;
    return !(entries.isAwaited(item) || entries.isGiven(item));
  }

  /**
   * True if a waiting dictation has no text left after "stryk det". False while a page needs it:
   * there the command may strike words in the field.
   */
  async function isTakenBack(id: string): Promise<boolean> {
    const texts = new Map<number, string>();
    for (const item of cache.list()) {
      const { dictationId, number, state } = item;
      if (dictationId !== id || state.kind === 'delivered') continue;
      if (state.kind !== 'answered' || !isLeft(item)) return false;
      texts.set(number, state.text);
    }
    if (entries.of(id).claim || joinTranscripts(texts) !== '') return false;
    return !(await tabs.isNeeded(id));
  }

  async function keep(item: QueueItem, cut?: JournalCut | null): Promise<void> {
    await cache.add(item, cut);
    if (!entries.isAwaited(item)) backlog.run();
  }

  /** A chunk that waits, that the server refused or whose text needs review is due now. */
  async function makeDue(id: string): Promise<void> {
    const head = cache.head(id);
    const due = { kind: 'pending', nextAttemptAtMs: clock.nowMs() } as const;
    switch (head?.state.kind) {
      case 'pending':
        if (head.state.isSending) return;
        return cache.change(id, { state: { ...due, lastError: head.state.lastError } });
      case 'refused':
        return cache.change(id, { state: { ...due, lastError: head.state.error } });
      case 'delivered':
        return cache.change(id, {
          asks: head.asks + 1,
          state: { ...due, lastError: null },
          ...formerOf(head),
        });
      default:
        return;
    }
  }

  async function discard(id: string): Promise<void> {
    const removed = cache.remove(id, 'deleted');
    uploader.abort(id);
    await removed;
  }

  /** Spared are also chunks that somebody waits for, and those of sessions of open tabs. */
  async function discardEach(
    items: readonly QueueItemHead[],
    spared: ReadonlySet<string>,
  ): Promise<void> {
    for (const item of items) {
      const { id, dictationId } = item;
      if (spared.has(dictationId) || entries.isAwaited(item) || isForeign(dictationId)) continue;
      if (!(await tabs.isNeeded(dictationId))) await discard(id);
    }
  }

  /** A person wants something tried now: a server that refused us is asked again. */
  function retryHere(itemId: string | null): void {
    uploader.forgetRefusal();
    publish();
    if (itemId === null) backlog.wake();
    else backlog.urge(itemId);
  }

  function hear(message: QueueMessage): void {
    switch (message.kind) {
      case 'stored':
        backlog.run();
        break;
      case 'settled':
        onSettled(message.id, message.how);
        cache.settledElsewhere(message.id, message.durationSamples);
        // Its round would go on until the next answer, and send again what is deleted.
        uploader.abort(message.id);
        backlog.run();
        break;
      case 'delivered':
        for (const { id, state } of message.delivery.chunks) {
          if (isClosed(state)) uploader.abort(id);
        }
        cache.deliveredElsewhere(message.delivery);
        backlog.run();
        break;
      case 'sender-asked':
        turn.answer();
        break;
      case 'sender-lives':
        turn.heard();
        break;
      case 'wake':
        wakeHere();
        break;
      case 'retry':
        retryHere(message.itemId);
        break;
      case 'wiped': {
        // The other tab has deleted the stored chunks itself, so only unstored ones go here: a tab
        // that was suspended hears of it late, when newer chunks may be in the store.
        const { spared, askedAtMs } = message;
        const unstored = cache.list().filter(({ id, createdAtMs }) => {
          return cache.isUnstored(id) && !isSince(createdAtMs, askedAtMs, clock);
        });
        void discardEach(unstored, spared);
        break;
      }
      default:
        assertNever(message);
    }
  }

  tabs.listen(hear, closing.signal);
  backlog.run();

  return {
    /** Begins to send what earlier days left; call it when crashed sessions have been recovered. */
    start: turn.ask,
    /**
     * Takes a chunk of a live session: stores it, and in the same step cuts the session's journal
     * behind it (null: that stays as it is); then uploads, stored or not. A session's chunks go in
     * the order of submitting, whatever else waits.
     */
    async submit(item: QueueItem, cut?: JournalCut | null): Promise<ChunkOutcome> {
      entries.adopt(item.dictationId);
      const outcome = await delivery.submit(item, () => keep(item, cut));
      if (outcome.kind === 'left') backlog.run();
      else {
        succeeded();
        backlog.wake();
      }
      return outcome;
    },
    /**
     * Takes a chunk of a dead session: stores it as `submit` does, and leaves it to the backlog,
     * which has it when the session is adopted. The store must have been read before. A stored one
     * that is as long or longer stays: it has more of the same.
     */
    async enqueue(item: QueueItem, cut: JournalCut | null = null): Promise<void> {
      const storedSamples = cache.head(item.id)?.durationSamples ?? 0;
      if (storedSamples >= item.durationSamples) await cache.cut(item, cut);
      else await keep(item, cut);
      cache.forgetAudio(item.id);
    },
    /**
     * Takes over a session whose worker died: its chunks without a text are sent. Null if the store
     * can't be read, since its chunks are unknown then. `delivered` are in the page already.
     */
    async resume(
      dictationId: string,
      delivered?: TextChunks,
    ): Promise<readonly ResumedChunk[] | null> {
      await refresh();
      entries.adopt(dictationId);
      if (delivered?.size) void delivery.markDelivered(dictationId, true, delivered);
      if (!cache.isRead) return null;
      const resumed = delivery.resume(dictationId);
      for (const { outcome } of resumed) void Promise.resolve(outcome).then(backlog.run);
      return resumed;
    },
    /** Reads the store anew; false if it can't be read. */
    async look(): Promise<boolean> {
      await refresh();
      return cache.isRead;
    },
    /** A dead session is this tab's to send: what can be brought here of it is here. */
    adopt(dictationId: string): void {
      entries.adopt(dictationId);
      backlog.run();
    },
    /** Part of a session is in its journal alone: a recovery is to bring it first. */
    disown: (dictationId: string): void => entries.withhold(dictationId),
    /** The text of a dead session: gives what still waits of it one round, then joins. */
    async resultOf(dictationId: string) {
      entries.adopt(dictationId);
      await refresh();
      const result = await delivery.resultOf(dictationId);
      backlog.run();
      return result;
    },
    /** A live session's stop was asked for: a piece that fails now is not tried again for it. */
    finalize: (dictationId: string): void => entries.of(dictationId).finalize(),
    /** Nobody waits for a session's texts any more: its chunks under way leave it. */
    stopWaiting(dictationId: string): void {
      delivery.stopWaiting(dictationId);
      // Requests under way go on as the backlog's, unless that is another tab's.
      if (!turn.isOurs) {
        for (const item of cache.list())
          if (item.dictationId === dictationId) uploader.yield(item.id);
      }
      lookIfSlow();
      backlog.run();
    },
    /** The network may be back: the tab that sends is told, whichever it is. */
    wake(): void {
      post({ kind: 'wake' });
      wakeHere();
    },
    /** True if something waits here because of the network or the server. */
    needsServer: need.isNeeded,
    /** True if something was refused here for its language. */
    missesLanguage,
    /** The server was looked at; what waited for a language that it has learnt is sent again. */
    serverSeen(sight: ServerSight, seen: ServerState = server): void {
      const before = languagesOf(server).join();
      server = seen;
      need.seen(sight);
      // Refused all the same by a server that claims to have it, it waits for a person.
      if (before === languagesOf(server).join()) return;
      void sendInLearntLanguages().then(backlog.run);
    },
    /**
     * The user wants a pending or refused chunk tried now, one to review written down anew, or
     * (null) all that wait tried. Ends the pause after a 401 or 403.
     */
    async retry(itemId: string | null): Promise<void> {
      if (itemId !== null) await makeDue(itemId);
      post({ kind: 'retry', itemId });
      retryHere(itemId);
    },
    /** Gives a chunk up for good. */
    discard,
    /** Gives up all chunks but those of the sessions spared, of open ones, and awaited ones. */
    async discardAll(spared: ReadonlySet<string>, askedAtMs: number): Promise<void> {
      await refresh();
      await discardEach(cache.list(), spared);
      post({ kind: 'wiped', spared, askedAtMs });
    },
    claim: delivery.claim,
    endClaim: delivery.endClaim,
    offer: delivery.offer,
    markDelivered: delivery.markDelivered,
    /** Dead sessions were looked for: what can be brought of them is here. */
    recovered(): void {
      if (isRecovered) return;
      isRecovered = true;
      publish();
    },
    /** A session of this tab, or a dead one, was let go: all tabs look at what is left of it. */
    sessionClosed(): void {
      post({ kind: 'stored' });
      backlog.run();
    },
    /** True if anything of a session waits. */
    holds: (dictationId: string): boolean =>
      cache.list().some((item) => item.dictationId === dictationId),
    /** The chunks themselves. */
    cache,
    snapshot,
    /** Stops requests and timers; what is under way leaves its session and stays in the store. */
    dispose(): void {
      closing.abort();
      cancelLook();
      entries.dispose();
      uploader.dispose();
      backlog.dispose();
      turn.dispose();
    },
  };
}
