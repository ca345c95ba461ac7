import { expect, test } from 'vitest';
import { DikteraError } from '../../src/core/errors.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import {
  DEFAULT_KEEPING,
  type Keeping,
  NO_RECORDINGS,
  type RecordingsState,
} from '../../src/core/recordings/recording.ts';
import type { JournalRecording } from '../../src/core/session/journal.ts';
import { createAudioEncoder } from '../../workers/audio/audio-encoder.ts';
import { WAV } from '../../workers/audio/audio-formats.ts';
import { createRecordings } from '../../workers/recordings/recordings.ts';
import type { Journal } from '../../workers/store/journal.ts';
import { DictationEntries } from '../../workers/upload/dictation-entry.ts';
import type { RequestOutcome } from '../../workers/upload/transcribe-request.ts';
import { createUploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { testHeader } from '../helpers/journal-session.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { createMemoryRecordingStore } from '../helpers/memory-recording-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { until } from '../helpers/until.ts';

const SECOND = 16_000;
const FRAME = 1_536;
const HOUR_MS = 3_600_000;
const { removePii, fixSpelling, fast, language } = DEFAULT_SESSION_OPTIONS;
const OPTIONS = { removePii, fixSpelling, fast, language };
const A_DAY: Keeping = { ...DEFAULT_KEEPING, keepRecordings: 24 };
const START = { id: 's', startedAtMs: 1_000, options: DEFAULT_SESSION_OPTIONS };

type Answer = (item: QueueItem) => Promise<RequestOutcome>;

const says =
  (text: string): Answer =>
  async () => ({ kind: 'answered', text, needsReview: null });
const never: Answer = () => new Promise(() => {});
const NO_NETWORK: RequestOutcome = {
  kind: 'retryable',
  error: { code: 'http-network', message: 'none' },
  retryAfterMs: null,
};

/** What is on disk, and workers that come and go. */
function createBrowser() {
  const recordings = createMemoryRecordingStore();
  const stores = { queue: createMemoryQueueStore(recordings.note), recordings };
  const journals = new Map<string, JournalRecording>();
  const log = createRecordingLog();
  /** Sessions that somebody has. */
  const held = new Set<string>();
  let workers = 0;
  const rules = { apply: async (heard: string) => heard };

  async function openWorker(answer: Answer = never, keeping = A_DAY) {
    const clock = createFakeClock();
    workers += 1;
    const sent: QueueItem[] = [];
    let state: RecordingsState = NO_RECORDINGS;
    const kept: number[] = [];
    const packer = createAudioEncoder({ clock, log, formats: [WAV] });
    const entries = new DictationEntries();
    const queue = createUploadQueue({
      entries,
      store: stores.queue,
      request: (item) => {
        sent.push(item);
        return answer(item);
      },
      clock,
      random: () => 0,
      log,
      onChange: () => recordings.queueChanged(),
      startOf: (id) => recordings.startOf(id),
      onDelivered: () => recordings.delivered(),
    });
    const journal: Pick<Journal, 'keepFrom' | 'list' | 'read'> = {
      keepFrom: (_id, sample) => void kept.push(sample),
      list: async () => [...journals.values()].map(({ header }) => header),
      read: async (id) => journals.get(id),
    };
    const recordings = createRecordings({
      store: stores.recordings,
      packer,
      journal,
      queue,
      locks: { take: async () => async () => {}, isOrphan: async (id) => !held.has(id) },
      isPlaceHeld: async (id) => id === 'held',
      rules,
      entries,
      channel: { tell() {}, listen() {} },
      random: () => workers,
      keeping,
      clock,
      log,
      dispatch: (event) => {
        if (event.kind === 'recordings-changed') state = event.recordings;
      },
    });
    queue.start();
    queue.recovered();
    await clock.advance(10);
    await recordings.look();
    await clock.advance(10);

    /** Records so many seconds, and says what is numbered by them. */
    async function record(seconds: number, start = START): Promise<void> {
      const recorder = recordings.begin(start);
      const samples = seconds * SECOND;
      for (let at = 0; at < samples; at += FRAME) {
        const length = Math.min(FRAME, samples - at);
        recorder.append(at, new Int16Array(length).fill(8_192));
      }
      await recorder.end();
      await clock.advance(10);
    }
    async function deliver(
      text: string,
      dictationId = 's',
      number = 0,
      heard?: string,
    ): Promise<void> {
      const needsReview = null;
      const words = { text, ...(heard !== undefined && { heard }), needsReview };
      const state = { kind: 'answered', ...words } as const;
      await queue.cache.add(makeQueueItem({ dictationId, number, state }));
      await queue.markDelivered(dictationId, true, new Map([[number, null]]), 'waits');
      await clock.advance(10);
    }
    return {
      queue,
      recordings,
      clock,
      sent,
      kept,
      record,
      deliver,
      list: () => state.list,
      first: () => state.list[0],
      state: () => state,
    };
  }
  return { openWorker, stores, journals, log, held, rules };
}

test('a recording is whole: every sample, whatever was said in it, and the raw sound may go', async () => {
  const worker = await createBrowser().openWorker();
  await worker.record(130);
  expect(worker.first()).toMatchObject({
    id: 's',
    startedAtMs: 1_000,
    durationSamples: 130 * SECOND,
    options: OPTIONS,
    transcripts: 0,
    rewriting: null,
  });
  expect(worker.state().usedBytes).toBe(130 * SECOND * 2);
  // Held from the first sample, let go stretch by stretch.
  expect(worker.kept[0]).toBe(0);
  expect(worker.kept.at(-1)).toBe(Number.POSITIVE_INFINITY);
  expect(worker.kept.length).toBeGreaterThanOrEqual(4);
  const audio = await worker.recordings.audio('s');
  expect(audio?.type).toBe('audio/wav');
  expect(audio?.bytes.byteLength).toBe(44 + 130 * SECOND * 2);
  expect(await worker.recordings.audio('other')).toBeNull();
});

test('what was delivered before anything of it was stored stands in it, once, in the order of speech', async () => {
  const worker = await createBrowser().openWorker();
  worker.recordings.begin(START);
  await worker.deliver('and then this', 's', 1);
  await worker.deliver('first that', 's', 0);
  await worker.record(1);
  expect(worker.first()).toMatchObject({
    state: { kind: 'delivered' },
    firstWords: 'first that and then this',
    transcripts: 1,
  });
  expect(await worker.recordings.transcripts('s')).toMatchObject([
    { text: 'first that\nand then this', by: { kind: 'first' }, needsReview: null },
  ]);
});

test('a text stands in its recording in the very step in which its chunk goes', async () => {
  const { openWorker, stores } = createBrowser();
  const worker = await openWorker();
  worker.recordings.begin(START);
  const state = { kind: 'answered', text: 'said', needsReview: null } as const;
  await worker.queue.cache.add(makeQueueItem({ dictationId: 's', state }));
  const { markDelivered } = stores.queue;
  let text: string | undefined;
  stores.queue.markDelivered = async (delivery) => {
    const rest = await markDelivered(delivery);
    text = (await stores.recordings.get('s'))?.texts[0]?.text;
    return rest;
  };
  await worker.queue.markDelivered('s', true, new Map([[0, null]]), 'waits');
  expect(text).toBe('said');
});

test('a late text does not bring back a recording that was deleted', async () => {
  const { openWorker, stores } = createBrowser();
  const worker = await openWorker();
  await worker.record(1);
  await worker.recordings.delete('s');
  await worker.clock.advance(31_000);
  await worker.deliver('too late', 's', 0);
  expect(await stores.recordings.get('s')).toBeUndefined();
});

test('what waits in the queue makes it wait, and a doubted text is marked', async () => {
  const worker = await createBrowser().openWorker(async () => NO_NETWORK);
  await worker.queue.cache.add(makeQueueItem({ dictationId: 's' }));
  await worker.record(1);
  expect(worker.first()?.state).toEqual({ kind: 'waiting' });
  const text = { kind: 'answered', text: 'half of', needsReview: 'incomplete' } as const;
  await worker.queue.cache.change('s:0', { state: text });
  await worker.queue.markDelivered('s', true, new Map([[0, 'incomplete']]), 'waits');
  await worker.clock.advance(10);
  expect(worker.first()).toMatchObject({
    state: { kind: 'delivered' },
    firstWords: 'half of',
    needsReview: 'incomplete',
  });
});

test('a text that died with its worker is not taken for silence, nor in the place of words that are known', async () => {
  const worker = await createBrowser().openWorker(async () => NO_NETWORK);
  for (const number of [0, 1]) {
    const durationSamples = 32_000;
    const id = `s:${number}`;
    await worker.queue.cache.add(
      makeQueueItem({ id, dictationId: 's', number, durationSamples, speechSamples: 32_000 }),
    );
  }
  await worker.record(1);
  const text = { kind: 'answered', text: 'known', needsReview: null } as const;
  await worker.queue.cache.change('s:0', { state: text });
  await worker.queue.markDelivered('s', true, new Map([[0, null]]), 'waits');
  await worker.clock.advance(10);
  await worker.queue.markDelivered('s', true, new Map([[1, null]]), 'waits');
  await worker.clock.advance(10);
  expect(await worker.recordings.transcripts('s')).toMatchObject([
    { text: 'known', needsReview: 'empty' },
  ]);
});

test('a day later it is gone, what waits is not; with no hours nothing is kept at all', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker(async () => NO_NETWORK);
  await worker.record(1);
  await worker.queue.cache.add(makeQueueItem({ dictationId: 'waits' }));
  await worker.record(1, { ...START, id: 'waits' });
  await worker.clock.advance(23.9 * HOUR_MS);
  expect(worker.list().length).toBe(2);
  await worker.clock.advance(0.3 * HOUR_MS);
  expect(worker.list().map(({ id }) => id)).toEqual(['waits']);

  const keeping = { ...DEFAULT_KEEPING, keepRecordings: 0 };
  const none = await createBrowser().openWorker(never, keeping);
  await none.record(1);
  expect(none.list()).toEqual([]);
  expect(none.kept).toEqual([]);
  expect(none.state().keeping).toEqual(keeping);
});

test('a dead session is completed from its journal, without what is kept already', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker();
  const dying = worker.recordings.begin(START);
  for (let at = 0; at < 70 * SECOND; at += FRAME) dying.append(at, new Int16Array(FRAME));
  await worker.clock.advance(10);
  const [first] = await browser.stores.recordings.ranges('s');
  expect(first?.endSample).toBeLessThanOrEqual(60 * SECOND);

  // The journal has some of what is kept, and the rest; a hole is in it.
  const audio = (from: number, to: number) =>
    ({
      kind: 'audio',
      startSample: from * SECOND,
      pcm: new Int16Array((to - from) * SECOND),
    }) as const;
  browser.journals.set('s', {
    header: { ...testHeader('s'), startedAtMs: 1_000 },
    cut: { nextChunkNumber: 0, cutUpToSample: 0, isInSpeech: false },
    parts: [audio(20, 80), audio(90, 100)],
    taken: [],
    notes: [],
  });
  const next = await browser.openWorker();
  expect(next.first()?.state).toEqual({ kind: 'recording' });
  await next.recordings.delete('s');
  await next.recordings.complete('s');
  browser.journals.delete('s');
  await next.clock.advance(10);
  expect(next.first()).toMatchObject({
    durationSamples: 90 * SECOND,
    state: { kind: 'delivered' },
  });
  const ranges = await browser.stores.recordings.ranges('s');
  expect(ranges.at(-1)).toEqual({ startSample: 90 * SECOND, endSample: 100 * SECOND });
  // Once more is the same.
  await next.recordings.complete('s');
  expect(await browser.stores.recordings.ranges('s')).toEqual(ranges);
});

test('one that nobody has open and that has no journal has ended', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker();
  const dying = worker.recordings.begin(START);
  for (let at = 0; at < 70 * SECOND; at += FRAME) dying.append(at, new Int16Array(FRAME));
  await worker.clock.advance(10);
  expect((await browser.openWorker()).first()?.state).toEqual({ kind: 'delivered' });
});

test('one that somebody is about to let go has ended soon after', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker();
  const dying = worker.recordings.begin(START);
  for (let at = 0; at < 70 * SECOND; at += FRAME) dying.append(at, new Int16Array(FRAME));
  await worker.clock.advance(10);
  browser.held.add('s');
  const next = await browser.openWorker();
  expect(next.first()?.state).toEqual({ kind: 'recording' });
  browser.held.delete('s');
  await next.clock.advance(10_000);
  expect(next.first()?.state).toEqual({ kind: 'delivered' });
});

test('the bin gives back for half a minute, and not by the hands of the clock', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker();
  await worker.record(1);
  await worker.recordings.delete('s');
  await worker.clock.advance(29_000);
  expect(worker.first()?.state).toEqual({ kind: 'in-bin' });
  worker.clock.jump(-HOUR_MS);
  await worker.recordings.undoDelete('s');
  await worker.clock.advance(2 * HOUR_MS);
  expect(worker.first()?.state).toEqual({ kind: 'delivered' });
  expect(worker.sent).toEqual([]);

  await worker.recordings.deleteAll(new Set());
  await worker.clock.advance(10);
  await worker.clock.advance(30_000);
  const next = await browser.openWorker();
  expect(await browser.stores.recordings.stretches('s')).toEqual([]);
  await next.recordings.undoDelete(null);
  expect(next.list()).toEqual([]);
});

test('the bin is the deleting page’s own: no other shows it, and it does not outlive that page', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker();
  await worker.record(1);
  await worker.recordings.delete('s');
  const { binnedBy } = (await browser.stores.recordings.get('s')) ?? {};
  browser.held.add(String(binnedBy));
  const other = await browser.openWorker();
  expect(other.list()).toEqual([]);
  await other.recordings.undoDelete(null);
  await other.clock.advance(60_000);
  expect(await browser.stores.recordings.get('s')).toMatchObject({ isInBin: true });
  browser.held.clear();
  await other.clock.advance(5_100);
  expect(await browser.stores.recordings.stretches('s')).toEqual([]);

  const last = await browser.openWorker();
  await last.record(1, { ...START, id: 't' });
  await last.recordings.delete('t');
  const next = await browser.openWorker();
  expect(next.list()).toEqual([]);
  expect(await browser.stores.recordings.stretches('t')).toEqual([]);
});

test('what the page deletes as it goes is gone at once', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker();
  await worker.record(1);
  await worker.recordings.delete('s');
  worker.recordings.emptyBin();
  await worker.clock.advance(10);
  expect(await browser.stores.recordings.get('s')).toBeUndefined();
});

test('deleting all spares what is recorded, and what a page has a place for', async () => {
  const worker = await createBrowser().openWorker();
  for (const id of ['a', 'held', 'b']) await worker.record(1, { ...START, id });
  const open = worker.recordings.begin({ ...START, id: 'open' });
  for (let at = 0; at < 61 * SECOND; at += FRAME) open.append(at, new Int16Array(FRAME));
  await worker.clock.advance(10);
  await worker.recordings.deleteAll(new Set(['open']));
  await worker.clock.advance(10);
  const states = Object.fromEntries(worker.list().map(({ id, state }) => [id, state.kind]));
  expect(states).toEqual({ a: 'in-bin', b: 'in-bin', held: 'delivered', open: 'recording' });
});

test('deleted before it was text, and had back, it is written down again', async () => {
  const heard: string[] = [];
  const worker = await createBrowser().openWorker(async ({ dictationId }) => {
    heard.push(dictationId);
    return dictationId === 's'
      ? NO_NETWORK
      : { kind: 'answered', text: 'again', needsReview: null };
  });
  await worker.queue.cache.add(makeQueueItem({ dictationId: 's' }));
  await worker.record(1);
  // As the waiting list does.
  await worker.queue.discard('s:0');
  await worker.recordings.discarded('s');
  await worker.clock.advance(10);
  expect(worker.first()?.state).toEqual({ kind: 'in-bin' });
  await worker.recordings.undoDelete('s');
  await until(async () => {
    await worker.clock.advance(1_000);
    return worker.first()?.transcripts === 1;
  });
  expect(worker.first()).toMatchObject({ state: { kind: 'delivered' }, firstWords: 'again' });
  expect(worker.queue.cache.list()).toEqual([]);
});

test('what a recovery brings of it after all is not thrown away with what was, however late that is', async () => {
  const { openWorker, stores } = createBrowser();
  const worker = await openWorker();
  await worker.queue.cache.add(makeQueueItem({ dictationId: 's' }));
  await worker.record(1);
  await worker.queue.discard('s:0');
  const { change } = stores.recordings;
  stores.recordings.change = async () => {
    throw new DikteraError('storage-failed', 'Refused');
  };
  await worker.recordings.discarded('s');
  stores.recordings.change = change;
  await worker.queue.cache.add(makeQueueItem({ dictationId: 's', number: 1 }));
  await worker.recordings.look();
  await worker.clock.advance(10);
  expect(worker.queue.cache.list().map(({ id }) => id)).toEqual(['s:1']);
  expect(worker.first()?.state).toEqual({ kind: 'waiting' });
});

test('what was heard stays with a text, and the rules can be applied to it anew', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker();
  await worker.record(2);
  await worker.deliver('Hej.', 's', 0, 'Eh, hej.');
  await worker.deliver('Tjugo kronor.', 's', 1);
  const [first] = await worker.recordings.transcripts('s');
  expect(first).toMatchObject({ text: 'Hej.\nTjugo kronor.', heard: 'Eh, hej.\nTjugo kronor.' });
  // Nothing is added where nothing has changed.
  browser.rules.apply = async () => 'Hej.\nTjugo kronor.';
  expect(await worker.recordings.applyRules('s')).toBe(true);
  expect(await worker.recordings.transcripts('s')).toHaveLength(1);
  browser.rules.apply = async (heard) => heard.replace('Tjugo kronor', '20 kr');
  expect(await worker.recordings.applyRules('s')).toBe(true);
  const [, anew] = await worker.recordings.transcripts('s');
  expect(anew).toMatchObject({
    text: 'Eh, hej.\n20 kr.',
    heard: 'Eh, hej.\nTjugo kronor.',
    by: { kind: 'rules' },
  });
  expect(await worker.recordings.applyRules('other')).toBe(false);
});

test('written down again, all of it goes, in pieces that a server takes, and nothing is offered', async () => {
  const worker = await createBrowser().openWorker(says('words'));
  await worker.record(200);
  await worker.deliver('first');
  expect(await worker.recordings.transcribeAgain('s', { language: 'fi' })).toBe(true);
  await worker.clock.advance(10);
  await until(async () => {
    await worker.clock.advance(100);
    return worker.first()?.transcripts === 2;
  });
  const seconds = worker.sent.map(({ durationSamples }) => durationSamples / SECOND);
  expect(seconds.reduce((sum, one) => sum + one, 0)).toBe(200);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(90);
  expect(worker.sent.every(({ options }) => options.language === 'fi')).toBe(true);
  expect(worker.first()).toMatchObject({ state: { kind: 'delivered' }, rewriting: null });
  expect(worker.queue.snapshot().items).toEqual([]);
  const [, again] = await worker.recordings.transcripts('s');
  expect(again).toMatchObject({
    text: worker.sent.map(() => 'words').join('\n'),
    by: { kind: 'again', ...OPTIONS, language: 'fi' },
  });
  await until(() => worker.queue.cache.list().length === 0);
});

test('what was asked for survives the worker, wherever it dies, and comes once', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker(async () => NO_NETWORK);
  await worker.record(200);
  await worker.recordings.transcribeAgain('s', {});
  // A round of tries.
  await worker.clock.advance(5_000);
  expect(worker.first()?.rewriting).toMatchObject({ error: NO_NETWORK.error, isRefused: false });
  const items = await browser.stores.queue.list();
  expect(items.length).toBeGreaterThan(2);
  // It died before the last piece was stored, and another was answered.
  await browser.stores.queue.remove(items.at(-1)?.id ?? '');
  const text = { kind: 'answered', text: '', needsReview: null } as const;
  await browser.stores.queue.update(items[0]?.id ?? '', { state: text });

  const next = await browser.openWorker(says('words'));
  await until(async () => {
    await next.clock.advance(60_000);
    return next.first()?.transcripts === 1;
  });
  // It died before the pieces were removed.
  const piece = next.sent[0];
  if (piece) await browser.stores.queue.put({ ...piece, state: text });
  const last = await browser.openWorker(says('words'));
  await until(async () => {
    await last.clock.advance(60_000);
    return (await browser.stores.queue.list()).length === 0;
  });
  expect((await last.recordings.transcripts('s')).map((one) => one.text)).toEqual([
    items
      .slice(1)
      .map(() => 'words')
      .join('\n'),
  ]);
});

test('what the server refuses is said, and asking anew takes its place', async () => {
  const error = { code: 'http-status', message: '400' } as const;
  let answer: RequestOutcome = { kind: 'rejected', status: 400, error };
  const worker = await createBrowser().openWorker(async () => answer);
  await worker.record(1);
  await worker.recordings.transcribeAgain('s', {});
  await worker.clock.advance(100);
  expect(worker.first()?.rewriting).toMatchObject({ error, isRefused: true });
  answer = { kind: 'answered', text: 'now', needsReview: null };
  await worker.recordings.transcribeAgain('s', {});
  await until(async () => {
    await worker.clock.advance(1_000);
    return worker.first()?.transcripts === 1;
  });
  expect(worker.queue.cache.list()).toEqual([]);
  expect(await worker.recordings.transcribeAgain('other', {})).toBe(false);
  await worker.recordings.delete('s');
  expect(await worker.recordings.transcribeAgain('s', {})).toBe(false);
});

test('on a full disk what is delivered makes room for what is being said', async () => {
  const browser = createBrowser();
  const worker = await browser.openWorker();
  await worker.record(1, { ...START, id: 'old' });
  const put = browser.stores.recordings.putStretch;
  let isFull = true;
  browser.stores.recordings.putStretch = async (...given) => {
    if (!isFull) return put(...given);
    const gone = (await browser.stores.recordings.list()).length === 0;
    if (gone) return put(...given);
    const cause = new DOMException('full', 'QuotaExceededError');
    throw new DikteraError('storage-failed', 'full', { cause });
  };
  await worker.record(1);
  expect(worker.list().map(({ id }) => id)).toEqual(['s']);
  expect(worker.state().error).toBeNull();
  isFull = false;
});

test('where storage is refused the list says why, and nothing holds the journal', async () => {
  const browser = createBrowser();
  const refused = () => Promise.reject(new DikteraError('storage-failed', 'refused'));
  Object.assign(browser.stores.recordings, { putStretch: refused, list: refused, change: refused });
  const worker = await browser.openWorker();
  await worker.record(61);
  expect(worker.list()).toEqual([]);
  expect(worker.state()).toMatchObject({ isLoaded: false, error: { message: 'refused' } });
  expect(worker.kept.at(-1)).toBe(Number.POSITIVE_INFINITY);
});

test('one whose sound found no room has ended, too, once its text stands in it', async () => {
  const { openWorker, stores, held } = createBrowser();
  const worker = await openWorker();
  held.add('s');
  const full = new DikteraError('storage-failed', 'full', {
    cause: { name: 'QuotaExceededError' },
  });
  const { putStretch } = stores.recordings;
  stores.recordings.putStretch = () => Promise.reject(full);
  await worker.record(10);
  stores.recordings.putStretch = putStretch;
  expect(worker.list()).toEqual([]);
  await worker.deliver('en text utan ljud');
  expect(worker.first()).toMatchObject({ state: { kind: 'delivered' }, transcripts: 1 });
});
