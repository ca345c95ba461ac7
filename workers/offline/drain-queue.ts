import type { Clock, Random } from '../../src/core/clock.ts';
import type { Logger } from '../../src/core/logger.ts';
import { type QueueItemHead, waitingState } from '../../src/core/queue/queue-item.ts';
import { chooseNext } from '../../src/core/queue/queue-policy.ts';
import { deadline } from '../../src/platform/deadline.ts';
import type { ChunkStore } from '../store/chunk-store.ts';
import { DictationEntries } from '../upload/dictation-entry.ts';
import { createItemUploader } from '../upload/item-uploader.ts';
import { createQueueCache } from '../upload/queue-cache.ts';
import type { QueueMessage, QueueTabs } from '../upload/queue-tabs.ts';
import type { TranscribeRequest } from '../upload/transcribe-request.ts';

/** A page that sends keeps its turn: it is asked for again at the browser's next call. */
const TURN_WAIT_MS = 5_000;

type DrainPorts = {
  readonly store: ChunkStore;
  readonly request: TranscribeRequest;
  readonly tabs: Pick<QueueTabs, 'takeDrain' | 'isOrphan' | 'post' | 'listen'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
};

/**
 * Sends all that waits and no page has open, in the order and under the keys that a page would, in
 * its turn. Answers how many texts have come; they wait for a page, like all others. Rejects when
 * something still waits, or could not be written down: it is to be called again.
 */
export async function drainQueue(ports: DrainPorts): Promise<number> {
  const { store, tabs, clock, random, log } = ports;
  const ending = new AbortController();
  let isStored = true;
  const entries = new DictationEntries();
  const cache = createQueueCache({
    store,
    entries,
    clock,
    log,
    onChange: () => {},
    onStored: () => tabs.post({ kind: 'stored' }),
    onStorage: (error) => {
      isStored = error === null;
    },
  });
  const uploader = createItemUploader({
    cache,
    entries,
    request: ports.request,
    clock,
    random,
    log,
  });
  tabs.listen(hear, ending.signal);
  try {
    return await inTurn(async () => {
      await cache.load((id) => uploader.isBusy(id));
      if (!cache.isRead) throw new Error('The queue cannot be read');
      return sendAll();
    });
  } finally {
    ending.abort();
    uploader.dispose();
  }

  function hear(message: QueueMessage): void {
    switch (message.kind) {
      case 'sender-asked':
        tabs.post({ kind: 'sender-lives' });
        break;
      case 'settled':
        uploader.abort(message.id);
        cache.settledElsewhere(message.id, message.durationSamples);
        break;
      case 'delivered':
        for (const { id } of message.delivery.chunks) uploader.abort(id);
        cache.deliveredElsewhere(message.delivery);
        break;
      case 'wiped':
        // Nothing of it may go out any more; what was spared waits for the next call.
        uploader.dispose();
        break;
      default:
    }
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const waiting = deadline(clock, TURN_WAIT_MS);
    const how = { isStolen: false, onLost: () => uploader.dispose() };
    const release = await tabs.takeDrain(waiting.signal, how).finally(waiting.end);
    if (!release) throw new Error('A page sends what waits');
    try {
      return await work();
    } finally {
      release();
    }
  }

  async function sendAll(): Promise<number> {
    let texts = 0;
    const tried = new Set<string>();
    while (!uploader.refusal) {
      const next = chooseNext(dueNow(tried), clock.nowMs());
      if (!next) break;
      tried.add(next.id);
      // A page may have opened its session again.
      if (!(await tabs.isOrphan(next.dictationId))) continue;
      if (await isSent(next.id)) texts += 1;
    }
    return texts;
  }

  async function isSent(id: string): Promise<boolean> {
    const { kind } = await uploader.upload(id);
    cache.forgetAudio(id);
    if (!isStored) throw new Error('What came cannot be written down');
    if (kind === 'waits') throw new Error('Something still waits');
    return kind === 'answered';
  }

  /** The network is back, so nothing waits for its time. */
  function dueNow(tried: ReadonlySet<string>): QueueItemHead[] {
    return cache
      .list()
      .filter(({ id }) => !tried.has(id))
      .flatMap((head) => {
        const state = waitingState(head.state);
        return state ? [{ ...head, state: { ...state, nextAttemptAtMs: 0 } }] : [];
      });
  }
}
