import { isBlank } from '../../src/core/blank-text.ts';
import type { CancelTimer } from '../../src/core/clock.ts';
import type { JournalCut } from '../../src/core/queue/journal-cut.ts';
import type { QueueItem, QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { dueInMs, isSignedOut } from '../../src/core/queue/queue-policy.ts';
import { rewrittenBy } from '../../src/core/recordings/rewriting-session.ts';
import type { QueueState, ServerState } from '../../src/core/session/snapshot.ts';
import { languagesOf, spokenLanguage } from '../../src/core/session/spoken-language.ts';
import { createBacklog } from './backlog.ts';
import { createDrainTurn } from './drain-turn.ts';
import { createItemUploader, type UploadResult } from './item-uploader.ts';
import { createLiveChunks } from './live-chunks.ts';
import { createLiveDelivery } from './live-delivery.ts';
import { createQueueCache } from './queue-cache.ts';
import { createQueueCommands } from './queue-commands.ts';
import { createQueueMessageHandler } from './queue-message-handler.ts';
import { NO_OTHER_TABS, type QueueMessage } from './queue-tabs.ts';
import { createServerNeed, SLOW_REQUEST_MS } from './server-need.ts';
import { createSessionDelivery } from './session-delivery.ts';
import { createSessionOwners } from './session-owners.ts';
import { createTextClaims } from './text-claims.ts';
import type { UploadQueue, UploadQueuePorts } from './upload-queue-port.ts';

/** How soon storage that failed is tried again. */
const STORAGE_RETRY_MS = 5_000;

/** Makes the upload queue, and reads what the store holds. */
export function createUploadQueue(ports: UploadQueuePorts): UploadQueue {
  const { clock, random, log, onChange, onStorage = () => {}, tabs = NO_OTHER_TABS } = ports;
  const { onSettled = () => {}, onServerNeeded = () => {}, onAnswered = () => {} } = ports;
  const { onLanguageMissed = () => {} } = ports;
  const closing = new AbortController();
  const live = createLiveChunks();
  const owners = createSessionOwners(tabs.isOrphan);
  const { isForeign } = owners;
  const turn = createDrainTurn({
    tabs: { takeDrain: tabs.takeDrain, post: (message) => post(message) },
    clock,
    log,
    hasWork: () => backlogItems().length > 0,
    onTurn: () => backlog.run(),
  });
  let isLoaded = false;
  let isRecovered = false;
  let server: ServerState = { kind: 'unknown' };
  let cancelLook = (): void => {};

  const snapshot = (): QueueState => ({
    items: cache.list().filter(({ sessionId }) => !isForeign(sessionId) && !rewrittenBy(sessionId)),
    isUnauthorised: uploader.refusal !== null || cache.list().some(isSignedOut),
    isLoaded,
    isRecovered: isRecovered && owners.isAllBrought,
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
    log,
    onChange: () => publish(),
    onStored: () => post({ kind: 'stored' }),
    onSettled: (id, how, texts) => {
      onSettled(id, how);
      const durationSamples = cache.head(id)?.durationSamples ?? 0;
      post({ kind: 'settled', id, how, durationSamples, texts });
    },
    ...(ports.textsOf ? { textsOf: ports.textsOf } : {}),
    ...(ports.onHanded ? { onHanded: ports.onHanded } : {}),
    onDoubted: (id, state, texts) => post({ kind: 'doubted', id, state, texts }),
    onStorage: (error) => {
      onStorage(error);
      if (error) lookLater();
    },
  });

  const uploader = createItemUploader({ ...ports, cache });

  const isOurs = ({ id, sessionId }: QueueItemHead): boolean =>
    !live.has(id) && !cache.isOnItsWay(id) && !isForeign(sessionId);

  const backlogItems = (): readonly QueueItemHead[] =>
    cache
      .list()
      .filter(({ state }) => state.kind === 'waiting')
      .filter(isOurs);

  const makeDue = (item: QueueItemHead): void => {
    if (item.state.kind !== 'waiting' || dueInMs(item, clock.nowMs()) === 0) return;
    cache.note(item.id, { ...item.state, nextAttemptAtMs: clock.nowMs() });
  };

  const backlog = createBacklog({
    clock,
    random,
    refresh,
    maySend: () => turn.isOurs && uploader.refusal === null,
    list: backlogItems,
    makeDue: () => backlogItems().forEach(makeDue),
    upload: uploadLate,
  });

  const need = createServerNeed({
    clock,
    random,
    uploader,
    list: () => (turn.isOurs && uploader.refusal === null ? cache.list().filter(isOurs) : []),
    wake: () => backlog.wake(),
  });

  /** Whichever tab sends: it is told, and looks at the server at once. */
  function wakeHere(): void {
    // Somebody may have signed in meanwhile.
    if (uploader.refusal) uploader.forgetRefusal();
    backlog.wake();
    if (turn.isOurs) onServerNeeded();
  }

  async function refresh(): Promise<boolean> {
    await cache.load((id) => live.has(id) || uploader.isBusy(id));
    await claims.settleRest();
    const sessionIds = new Set(cache.list().map(({ sessionId }) => sessionId));
    const hasForeign = await owners.look(sessionIds);
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
      .filter(({ state }) => state.kind === 'parked' && state.error.code === 'language-missing');
  }

  const missesLanguage = (): boolean => missed().length > 0;

  async function sendInLearntLanguages(): Promise<void> {
    if (languagesOf(server).length === 0) return;
    for (const { id, sessionId, options } of missed()) {
      const isLearnt = spokenLanguage(options, server)?.isMissing === false;
      if (isLearnt && !isForeign(sessionId)) await commands.makeDue(id);
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
    if (result.kind === 'transcribed') succeeded();
    return result;
  }

  /**
   * An answer without a word, for which no session waits: there is nothing to offer but perhaps the
   * audio.
   */
  async function settleWordless(): Promise<void> {
    for (const { id, sessionId, state } of cache.list()) {
      if (state.kind !== 'transcribed' || !isBlank(state.text)) continue;
      // Part of a text that a recording waits for.
      if (rewrittenBy(sessionId)) continue;
      if (live.has(id) || sessions.isGiven(id) || isForeign(sessionId)) continue;
      await cache.delivered([id], true);
    }
  }

  const sessions = createSessionDelivery({
    cache,
    live,
    deliver: createLiveDelivery({ cache, uploader, live }),
    makeDue,
    isServerQuiet: () => uploader.isQuiet,
    clock,
    onLate: () => backlog.run(),
  });

  async function keep(item: QueueItem, cut?: JournalCut | null): Promise<void> {
    await cache.add(item, cut);
    if (!live.has(item.id)) backlog.run();
  }

  const commands = createQueueCommands({
    cache,
    uploader,
    clock,
    refresh,
    isNeeded: async (id, sessionId) =>
      live.has(id) || isForeign(sessionId) || (await tabs.isNeeded(sessionId)),
  });
  const claims = createTextClaims({ cache, tabs, refresh, isForeign });
  const handleMessage = createQueueMessageHandler({
    backlog,
    turn,
    uploader,
    commands,
    cache,
    onSettled,
    wake: wakeHere,
    publish,
  });

  tabs.listen(handleMessage, closing.signal);
  backlog.run();

  return {
    start: turn.ask,
    async submit(item, cut) {
      owners.adopt(item.sessionId);
      const outcome = await sessions.submit(item, () => keep(item, cut));
      if (outcome.kind === 'left') backlog.run();
      else {
        succeeded();
        backlog.wake();
      }
      return outcome;
    },
    async enqueue(item, cut = null) {
      const storedSamples = cache.head(item.id)?.durationSamples ?? 0;
      if (storedSamples >= item.durationSamples) await cache.cut(item, cut);
      else await keep(item, cut);
      cache.forgetAudio(item.id);
    },
    async resume(sessionId, delivered) {
      await refresh();
      owners.adopt(sessionId);
      if (delivered?.size) void claims.settlePieces(sessionId, true, delivered);
      if (!cache.isRead) return null;
      const resumed = sessions.resumption.resume(sessionId);
      for (const { outcome } of resumed) void Promise.resolve(outcome).then(backlog.run);
      return resumed;
    },
    async look() {
      await refresh();
      return cache.isRead;
    },
    adopt(sessionId) {
      owners.adopt(sessionId);
      backlog.run();
    },
    disown: owners.disown,
    async resultOf(sessionId) {
      owners.adopt(sessionId);
      await refresh();
      const result = await sessions.resultOf(sessionId);
      backlog.run();
      return result;
    },
    hurry: sessions.hurry,
    stopWaiting(sessionId) {
      sessions.stopWaiting(sessionId);
      // What is under way goes on as the backlog's, unless that is another tab's.
      if (!turn.isOurs) {
        for (const item of cache.list()) if (item.sessionId === sessionId) uploader.yield(item.id);
      }
      lookIfSlow();
      backlog.run();
    },
    acknowledge: sessions.acknowledge,
    wake() {
      post({ kind: 'wake' });
      wakeHere();
    },
    needsServer: need.isNeeded,
    missesLanguage,
    serverSeen(sight, seen = server) {
      const before = languagesOf(server).join();
      server = seen;
      need.seen(sight);
      // Refused all the same by a server that claims to have it, it waits for a person.
      if (before === languagesOf(server).join()) return;
      void sendInLearntLanguages().then(backlog.run);
    },
    async retry(itemId) {
      if (itemId !== null) await commands.makeDue(itemId);
      const asked: QueueMessage = { kind: 'retry', itemId };
      post(asked);
      handleMessage(asked);
    },
    discard: commands.discard,
    async discardAll(spared) {
      await commands.discardAll(spared);
      post({ kind: 'wiped', spared });
    },
    claim: claims.claim,
    settle: claims.settle,
    settlePieces: claims.settlePieces,
    recovered() {
      if (isRecovered) return;
      isRecovered = true;
      publish();
    },
    sessionClosed() {
      post({ kind: 'stored' });
      backlog.run();
    },
    holds: (sessionId) => cache.list().some((item) => item.sessionId === sessionId),
    cache,
    snapshot,
    dispose() {
      closing.abort();
      cancelLook();
      claims.dispose();
      uploader.dispose();
      backlog.dispose();
      turn.dispose();
    },
  };
}
