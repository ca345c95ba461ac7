import type { Random } from '../../src/core/clock.ts';
import type { Logger } from '../../src/core/logger.ts';
import { DICTATION_FIELD_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createHealthCheck, createServerWatch } from '../../workers/server-watch.ts';
import { createTranscribeRequest } from '../../workers/upload/transcribe-request.ts';
import { createUploadQueue } from '../../workers/upload/upload-queue.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';

/** Somebody who dictates: the page's queue, retries and look at the server, without the page. */
export type Speaker = {
  /** Hands in one chunk, whose speech has just ended. */
  say(chunk: SaidChunk): void;
  /** Stops all requests and timers. */
  leave(): void;
};

/** A chunk as it was cut. */
export type SaidChunk = {
  readonly id: string;
  readonly file: ArrayBuffer;
  readonly durationSamples: number;
};

/** What a speaker works with. */
export type SpeakerPorts = {
  /** The balancer, without a slash at the end. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly random: Random;
  /** Told once of each text. */
  readonly onText: (id: string, text: string) => void;
  /** Told of a chunk that only a person could have sent again. */
  readonly onRefused: (id: string, why: string) => void;
};

/** The page waits so long for a text after the stop; then it goes on in the background. */
const PATIENCE_MS = 20_000;

const SILENT: Logger = { error: () => {}, warn: () => {}, info: () => {} };

/** Makes a speaker, who has said nothing yet. Memory stands for the page's IndexedDB. */
export function createSpeaker(ports: SpeakerPorts): Speaker {
  const { url, fetch, random, onText, onRefused } = ports;
  const parts = { clock: browserClock, random, log: SILENT };

  const queue = createUploadQueue({
    ...parts,
    store: createMemoryQueueStore(),
    request: createTranscribeRequest({ url: `${url}/api/asr/vad`, clock: browserClock, fetch }),
    onServerNeeded: () => watch.need(),
    onChange({ items }) {
      for (const { id, state } of items) {
        if (state.kind === 'refused') onRefused(id, state.error.message);
        // Late: nobody's session waits for it any more.
        if (state.kind === 'answered' && late.delete(id)) hand(id, state.text);
      }
    },
  });
  const watch = createServerWatch({
    ...parts,
    look: createHealthCheck({ address: `${url}/api/health`, clock: browserClock, fetch }),
    dispatch: () => undefined,
    isNeeded: queue.needsServer,
    isSeen: async () => true,
    onLook: queue.serverSeen,
  });
  const late = new Set<string>();

  function hand(id: string, text: string): void {
    onText(id, text);
    void queue.cache.markDelivered(new Map([[id, true]]));
  }

  async function submit(item: QueueItem): Promise<void> {
    const { id } = item;
    const cancel = browserClock.after(PATIENCE_MS, () => queue.stopWaiting(id));
    const outcome = await queue.submit(item);
    cancel();
    if (outcome.kind === 'answered') hand(id, outcome.text);
    else late.add(id);
    // It may have come in the same moment.
    const { state } = queue.cache.head(id) ?? {};
    if (state?.kind === 'answered' && late.delete(id)) hand(id, state.text);
  }

  queue.start();
  return {
    say: ({ id, file: bytes, durationSamples }) =>
      void submit({
        id,
        dictationId: id,
        number: 0,
        options: { ...DICTATION_FIELD_OPTIONS, language: '' },
        createdAtMs: Date.now(),
        durationSamples,
        speechSamples: durationSamples,
        rounds: 0,
        asks: 0,
        state: { kind: 'pending', nextAttemptAtMs: 0, lastError: null },
        audio: { type: 'audio/webm', bytes, durationSamples },
      }),
    leave: queue.dispose,
  };
}
