import { expect, test } from 'vitest';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { Journal, JournalCut } from '../../src/core/session/journal.ts';
import { createUploadQueue } from '../../workers/delivery/upload-queue.ts';
import { createAudioEncoder } from '../../workers/encoding/audio-encoder.ts';
import { audioFormats } from '../../workers/encoding/audio-formats.ts';
import { createChunkSender } from '../../workers/session/chunk-sender.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

test('the journal is trimmed past a chunk that the store took late, and not before', async () => {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const encoder = createAudioEncoder({
    clock,
    log,
    types: ['audio/wav'],
    formats: audioFormats(''),
  });
  const store = createMemoryQueueStore();
  let isFailing = true;
  const queue = createUploadQueue({
    store: {
      ...store,
      put: async (item) => {
        if (isFailing && item.number === 0) throw new Error('Aborted');
        await store.put(item);
      },
    },
    request: async ({ number }) => ({ kind: 'transcribed', text: `chunk ${number}`, doubt: null }),
    encoder,
    clock,
    random: () => 0,
    log,
    onChange: () => {},
  });
  const cuts: number[] = [];
  const setCut = async (_id: string, cut: JournalCut) => void cuts.push(cut.nextChunkNumber);
  const sender = createChunkSender({
    sessionId: 's',
    options: DEFAULT_SESSION_OPTIONS,
    startedAtMs: clock.nowMs(),
    encoder,
    queue,
    journal: { setCut } as unknown as Journal,
    accounts: createSampleAccounts(),
    log,
    dispatch: () => {},
    upload: 'later',
  });
  const send = (number: number) => {
    const range = { startSample: number * 1_000, endSample: (number + 1) * 1_000 };
    sender.send({
      number,
      ranges: [range],
      samples: new Float32Array(1_000),
      speechSamples: 0,
      endsInSpeech: false,
    });
    return sender.settled();
  };

  expect(await send(0)).toEqual({ isAllKept: false, unqueued: null, doubtfulChunks: 0 });
  expect(cuts).toEqual([]);
  expect(await send(1), 'the first is in memory alone').toMatchObject({ isAllKept: false });
  expect(cuts).toEqual([]);

  isFailing = false;
  await clock.advance(5_000);
  await expect.poll(() => queue.snapshot().unstoredItems).toBe(0);
  expect(await send(2)).toMatchObject({ isAllKept: true });
  expect(cuts).toEqual([3]);
  expect((await store.list()).map(({ id }) => id)).toEqual(['s:0', 's:1', 's:2']);
  queue.dispose();
});
