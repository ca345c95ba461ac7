import {
  compareQueueItems,
  type DoubtedState,
  type HandedTexts,
  type ItemChange,
  isWanting,
  type QueueItem,
  type QueueItemHead,
  type QueueItemState,
} from '../../src/core/queue/queue-item.ts';
import { createChangeStoring } from './change-storing.ts';
import { type ChunkName, createChunkStoring } from './chunk-storing.ts';
import { createGoneChunks } from './gone-chunks.ts';
import type { QueueCache, QueueCachePorts } from './queue-cache-port.ts';
import type { SettledHow } from './queue-tabs.ts';
import { createStoreWriter } from './store-writer.ts';
import { afterDelivery } from './transcribe-answer.ts';

const NOTHING_SETTLED = { gone: [], doubted: new Map(), endedSessionId: null } as const;

/** An empty cache; `load` fills it. */
export function createQueueCache(ports: QueueCachePorts): QueueCache {
  const { onChange, textsOf = () => [], onHanded = () => {} } = ports;
  const { onSettled = () => {}, onDoubted = () => {} } = ports;
  const { write, read } = createStoreWriter(ports);
  const heads = new Map<string, QueueItemHead>();
  const audios = new Map<string, QueueItem['audio']>();
  const storing = createChunkStoring({
    itemsOf,
    async put(items, cut, formerIds) {
      const isStored = await write('put', () => ports.store.put(items, cut, formerIds));
      for (const { id } of items) touch(id);
      return isStored;
    },
    onChange,
  });
  const changes = createChangeStoring({
    stateOf: (id) => heads.get(id)?.state,
    update: (id, values) => write('update', () => ports.store.update(id, values)),
    async settle({ endedSessionId, ...settled }) {
      let unwritten = settled.texts;
      const isSettled = await write('settle', async () => {
        unwritten = await ports.store.settle(settled, endedSessionId);
      });
      if (unwritten.length < settled.texts.length) onHanded();
      return isSettled ? unwritten : null;
    },
    onTried: touch,
  });
  const gone = createGoneChunks();
  /** For each load under way, what was changed here since it began: what it reads is older. */
  const changedMeanwhile = new Set<Set<string>>();
  let isRead = false;

  function touch(id: string): void {
    for (const changed of changedMeanwhile) changed.add(id);
  }

  function setHead(head: QueueItemHead): void {
    heads.set(head.id, head);
    touch(head.id);
    onChange();
  }

  function setItem({ audio, ...head }: QueueItem): void {
    audios.set(head.id, audio);
    gone.forget(head.id);
    setHead(head);
  }

  function erase(id: string): void {
    heads.delete(id);
    audios.delete(id);
    changes.forget(id);
  }

  function forget(id: string): void {
    const head = heads.get(id);
    erase(id);
    touch(id);
    if (head) storing.emptied(head);
    onChange();
  }

  function itemOf(id: string): QueueItem | undefined {
    const [head, audio] = [heads.get(id), audios.get(id)];
    return head && audio && { ...head, audio };
  }

  function itemsOf({ sessionId, number }: ChunkName): readonly QueueItem[] {
    const own = [...heads.values()].filter(
      (head) => head.sessionId === sessionId && head.number === number,
    );
    return own.flatMap(({ id }) => itemOf(id) ?? []);
  }

  function isAwaitingStore(id: string): boolean {
    const head = heads.get(id);
    return head !== undefined && storing.stateOf(head) !== null;
  }

  /** What the store did not take before, it may take now. */
  async function storeAgain(): Promise<void> {
    if (!(await changes.retrySettlements())) return;
    if (!(await storing.retry())) return;
    await changes.retryUpdates();
  }

  async function change(id: string, values: ItemChange): Promise<void> {
    const head = heads.get(id);
    if (!head) return;
    setHead({ ...head, ...values });
    if (storing.stateOf(head)) await storing.changed(head);
    else await changes.update(id, values);
  }

  function noteGone(id: string): void {
    gone.note(id, heads.get(id)?.durationSamples ?? Number.POSITIVE_INFINITY);
  }

  function leave(id: string, how: SettledHow, texts: readonly HandedTexts[] = []): void {
    onSettled(id, how, texts);
    noteGone(id);
    forget(id);
  }

  async function remove(id: string, how: SettledHow): Promise<void> {
    leave(id, how);
    await write('remove', () => ports.store.remove(id));
  }

  function note(id: string, state: QueueItemState): void {
    const head = heads.get(id);
    if (head) setHead({ ...head, state });
  }

  /** Whether memory alone has a chunk of a session, or a part of one. */
  function hasUnstoredItem(sessionId: string): boolean {
    return [...heads.values()].some(
      (head) => head.sessionId === sessionId && isAwaitingStore(head.id),
    );
  }

  function removeGone(head: QueueItemHead): void {
    // What came in its place and is not stored yet takes it away in the same step.
    if (storing.stateOf(head) !== null) return;
    const settled = { gone: [head.id], doubted: new Map(), texts: gone.textsOf(head.id) };
    // What fails is tried again at the next load.
    if (settled.texts.length === 0) void write('remove', () => ports.store.remove(head.id));
    else
      void write('settle', async () => {
        const texts = await ports.store.settle(settled, null);
        if (texts.length > 0) void changes.settle({ ...NOTHING_SETTLED, texts });
      });
  }

  /** What is longer was cut anew in another tab: what is known better here is of another. */
  function takeOver(head: QueueItemHead, isKnownBetter: boolean): void {
    const { id, durationSamples } = head;
    const known = heads.get(id)?.durationSamples ?? Number.POSITIVE_INFINITY;
    const isCutAnew = durationSamples > known && !isAwaitingStore(id);
    if (isKnownBetter && !isCutAnew) return;
    if (isCutAnew) {
      audios.delete(id);
      changes.forget(id);
    }
    heads.set(id, head);
  }

  return {
    list: () => [...heads.values()].sort(compareQueueItems),
    head: (id) => heads.get(id),
    async add(item, cut = null) {
      // Noted first: whoever sees the chunk must not take it for stored.
      const tried = storing.add(item, cut);
      setItem(item);
      await tried;
    },
    async fetch(id) {
      const known = itemOf(id);
      if (known) return known;
      const item = await ports.store.get(id);
      if (!item && heads.delete(id)) onChange();
      return item && { ...item, ...heads.get(id) };
    },
    forgetAudio(id) {
      if (!isAwaitingStore(id)) audios.delete(id);
    },
    note,
    change,
    get isRead() {
      return isRead;
    },
    get unstoredItems() {
      return [...heads.values()].filter((head) => storing.stateOf(head) === 'refused').length;
    },
    isOnItsWay(id) {
      const head = heads.get(id);
      return head !== undefined && storing.stateOf(head) === 'on-its-way';
    },
    isUnstored: isAwaitingStore,
    hasUnstored: (sessionId) => storing.has(sessionId) || hasUnstoredItem(sessionId),
    cut: (chunk, cut) => storing.add(chunk, cut),
    remove,
    async delivered(ids, verdict, overSessionId = null) {
      // A person asked for the text anew: the delivered one is not the one it waits for.
      const isAsked = ({ asks, state }: QueueItemHead) => asks > 0 && isWanting(state);
      const own = ids.flatMap((id) => heads.get(id) ?? []).filter((head) => !isAsked(head));
      const texts = textsOf(own, verdict);
      const goneIds: string[] = [];
      const doubted = new Map<string, DoubtedState>();
      for (const head of own) {
        const { id, state } = head;
        const then = afterDelivery(state, verdict);
        const ownTexts = textsOf([head], verdict);
        if (then === null) {
          leave(id, 'delivered', ownTexts);
          goneIds.push(id);
          continue;
        }
        onDoubted(id, then, ownTexts);
        if (isAwaitingStore(id)) void change(id, { state: then });
        else {
          note(id, then);
          doubted.set(id, then);
        }
      }
      const isOver = overSessionId !== null && !hasUnstoredItem(overSessionId);
      const endedSessionId = isOver ? overSessionId : null;
      if (isOver) storing.forget(overSessionId);
      else if (goneIds.length + doubted.size + texts.length === 0) return false;
      return (await changes.settle({ gone: goneIds, doubted, texts, endedSessionId })) && isOver;
    },
    settledElsewhere(id, durationSamples, texts) {
      // Not known here, or not as long: it may be read yet.
      gone.note(id, durationSamples, texts);
      if (heads.has(id)) forget(id);
    },
    async doubtedElsewhere(id, state, texts) {
      if (heads.get(id)?.state.kind !== 'transcribed') return;
      if (isAwaitingStore(id)) return change(id, { state });
      note(id, state);
      await changes.settle({ ...NOTHING_SETTLED, doubted: new Map([[id, state]]), texts });
    },
    async load(isOurs) {
      const changed = new Set<string>();
      changedMeanwhile.add(changed);
      const stored = await read('list', () => ports.store.list());
      isRead = stored !== null;
      changedMeanwhile.delete(changed);
      if (!stored) return;
      const isKnownBetter = (id: string) =>
        isOurs(id) || changed.has(id) || isAwaitingStore(id) || changes.has(id);
      const found = new Map(stored.map((head) => [head.id, toLoaded(head)]));
      for (const id of heads.keys()) if (!found.has(id) && !isKnownBetter(id)) forget(id);
      for (const [id, head] of found) {
        if (gone.has(head)) removeGone(head);
        else takeOver(head, isKnownBetter(id));
      }
      void storeAgain();
      onChange();
    },
  };
}

/** The sender is dead, or another tab, which does not share its state. */
function toLoaded(head: QueueItemHead): QueueItemHead {
  if (head.state.kind !== 'sending') return head;
  return { ...head, state: { kind: 'waiting', nextAttemptAtMs: 0, lastError: null } };
}
