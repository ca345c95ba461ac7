import type { AudioEncoderPort } from '../../src/core/audio/audio-types.ts';
import type { Clock, Random } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { QueueItemHead, QueueStore } from '../../src/core/queue/queue-item.ts';
import { chooseNext } from '../../src/core/queue/queue-policy.ts';
import { createItemUploader } from '../queue/item-uploader.ts';
import { createQueueCache } from '../queue/queue-cache.ts';
import type { QueueTabs } from '../queue/queue-tabs.ts';
import type { TranscribeRequest } from '../queue/transcribe-request.ts';

/** A page that sends keeps its turn: it is asked for again at the browser's next call. */
const TURN_WAIT_MS = 5_000;

export type DrainPorts = {
  readonly store: QueueStore;
  readonly request: TranscribeRequest;
  readonly tabs: Pick<QueueTabs, 'takeDrain' | 'isOrphan' | 'post' | 'listen'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
};

/**
 * Sends all that waits and no page has open, in the order and under the keys that a page would, in
 * its turn. Answers how many texts have come; they wait for a page, like all others. Rejects when
 * something still waits: it is to be called again.
 */
export async function drainQueue(ports: DrainPorts): Promise<number> {
  const { store, request, tabs, clock, random, log } = ports;
  const ending = new AbortController();
  const cancel = clock.after(TURN_WAIT_MS, () => ending.abort());
  const onLost = (): void => uploader.dispose();
  const release = await tabs.takeDrain(ending.signal, { isStolen: false, onLost }).finally(cancel);
  if (!release) throw new Error('A page sends what waits');

  const listening = new AbortController();
  const cache = createQueueCache({
    store,
    log,
    onChange: () => {},
    onStored: () => tabs.post({ kind: 'stored' }),
    onStorage: () => {},
  });
  const uploader = createItemUploader({
    cache,
    request: unsplit(request),
    encoder: NO_ENCODER,
    clock,
    random,
    log,
    onSplit: () => {},
  });
  tabs.listen(({ kind }) => {
    if (kind === 'sender-asked') tabs.post({ kind: 'sender-lives' });
  }, listening.signal);
  try {
    await cache.load((id) => uploader.isBusy(id));
    if (!cache.isRead) throw new Error('The queue cannot be read');
    return await sendAll();
  } finally {
    listening.abort();
    uploader.dispose();
    release();
  }

  async function sendAll(): Promise<number> {
    let texts = 0;
    for (const tried = new Set<string>(); ; ) {
      const next = chooseNext(dueNow(tried), clock.nowMs());
      if (!next) return texts;
      tried.add(next.id);
      // A page may have opened its session again.
      if (!(await tabs.isOrphan(next.sessionId))) continue;
      const result = await uploader.upload(next.id);
      cache.forgetAudio(next.id);
      if (result.kind === 'transcribed') texts += 1;
      if (result.kind === 'waits') throw new Error('Something still waits');
      if (uploader.refusal) return texts;
    }
  }

  /** The network is back, so nothing waits for its time. */
  function dueNow(tried: ReadonlySet<string>): QueueItemHead[] {
    return cache
      .list()
      .filter(({ id, state }) => state.kind === 'waiting' && !tried.has(id))
      .map((head) => ({ ...head, state: { ...head.state, nextAttemptAtMs: 0 } }));
  }
}

/** What is too large is split by a page: no codec works in a service worker. */
function unsplit(request: TranscribeRequest): TranscribeRequest {
  return async (item, signal) => {
    const outcome = await request(item, signal);
    return outcome.kind === 'too-large' ? { ...outcome, kind: 'retryable' } : outcome;
  };
}

const fail = async (): Promise<never> => {
  throw new DikteraError('encoding-failed', 'Nothing is encoded in a service worker');
};
const NO_ENCODER: AudioEncoderPort = { chooseType: fail, encode: fail, decode: fail };
