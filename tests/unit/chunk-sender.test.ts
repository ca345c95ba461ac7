import { expect, test } from 'vitest';
import { DikteraError } from '../../src/core/errors.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { createAudioEncoder } from '../../workers/audio/audio-encoder.ts';
import { WAV } from '../../workers/audio/audio-formats.ts';
import { createChunkSender } from '../../workers/session/chunk-sender.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { createUploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

/** A sender of chunks of 1,000 samples, to a store that does not take the first one. */
function setUp() {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const wav = createAudioEncoder({ clock, log, formats: [WAV] });
  const broken = new Set<number>();
  const encoder: typeof wav = {
    ...wav,
    encode(samples) {
      if (broken.has(samples[0] ?? 0)) throw new DikteraError('encoding-failed', 'Made to fail');
      return wav.encode(samples);
    },
  };
  const store = createMemoryQueueStore();
  const cuts: number[] = [];
  const disk = { isFailing: true };
  const queue = createUploadQueue({
    store: {
      ...store,
      async put(item, cut) {
        if (disk.isFailing && item.number === 0) throw new Error('Aborted');
        if (cut) cuts.push(cut.nextChunkNumber);
        return store.put(item);
      },
      async cut({ nextChunkNumber }) {
        cuts.push(nextChunkNumber);
      },
    },
    request: async ({ number }) => ({
      kind: 'answered',
      text: `chunk ${number}`,
      needsReview: null,
    }),
    clock,
    random: () => 0,
    log,
    onChange: () => {},
  });
  const sender = createChunkSender({
    dictationId: 's',
    options: DEFAULT_SESSION_OPTIONS,
    startedAtMs: clock.nowMs(),
    encoder,
    queue,
    isJournalCut: true,
    accounts: createSampleAccounts(),
    log,
    dispatch: () => {},
    spokenSamples: 0,
    endsTold: new Map([
      [1, 2_000],
      [2, 2_500],
    ]),
    upload: 'later',
  });
  const send = (number: number) => {
    const range = { startSample: number * 1_000, endSample: (number + 1) * 1_000 };
    sender.send({
      number,
      ranges: [range],
      samples: new Float32Array(1_000).fill(number),
      speechSamples: 0,
      endsInSpeech: false,
    });
    return sender.settled();
  };
  return { clock, queue, store, disk, broken, cuts, sender, send };
}

test('the journal is cut behind a chunk that the store took late, and not before', async () => {
  const { clock, queue, store, disk, cuts, send } = setUp();
  expect(await send(0)).toEqual({ unqueued: null, chunksToReview: 0 });
  expect(cuts).toEqual([]);
  await send(1);
  expect(cuts, 'the first is in memory alone').toEqual([]);
  expect(queue.cache.hasUnstored('s')).toBe(true);

  disk.isFailing = false;
  await clock.advance(5_000);
  await expect.poll(() => queue.snapshot().unstoredItems).toBe(0);
  expect(cuts).toEqual([1, 2]);
  await send(2);
  expect(cuts).toEqual([1, 2, 3]);
  expect(queue.cache.hasUnstored('s')).toBe(false);
  expect((await store.list()).map(({ id }) => id)).toEqual(['s:0', 's:1', 's:2']);
  queue.dispose();
});

test('what could not be encoded keeps its journal, but not what was delivered before it', async () => {
  const { queue, broken, cuts, sender, send } = setUp();
  broken.add(2);
  await send(0);
  await send(1);
  expect(await send(2)).toMatchObject({ unqueued: { durationSamples: 1_000 } });
  await sender.allHanded();
  expect(cuts, 'memory alone has the first').toEqual([]);
  await queue.cache.markDelivered(new Map([['s:0', true]]));
  await expect.poll(() => cuts).toEqual([1]);
  await queue.cache.load(() => false);
  await expect.poll(() => cuts).toEqual([1, 2]);
  queue.dispose();
});

test('what stands in the page is not offered again where it is cut as it was, and else is', async () => {
  const { queue, sender, send } = setUp();
  const chunks = new Map([1, 2].map((number) => [number, null]));
  sender.delivered({ verdict: true, chunks });
  await send(1);
  expect(queue.cache.list()).toEqual([]);
  await send(2);
  expect(queue.cache.list().map(({ number }) => number)).toEqual([2]);
});
