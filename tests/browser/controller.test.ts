import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDictationController } from '../../src/client/dictation-controller.ts';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import type { CaptureHandle } from '../../src/core/contracts/capture-port.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { DictationText, TextChunks } from '../../src/core/contracts/worker-api.ts';
import type { ChunkState } from '../../src/core/queue/queue-item.ts';
import { DEFAULT_KEEPING } from '../../src/core/recordings/recording.ts';
import { INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { lateItems } from '../../src/core/session/text-state.ts';
import type { EngineChoice } from '../../src/core/speech/speech-engine.ts';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import { verdictOf } from '../../src/field/editable-field.ts';
import { mountTyped, textOf } from '../helpers/editable-elements.ts';
import { isWebKit } from '../helpers/engine.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createFakeConnection, type FakeApi } from '../helpers/fake-connection.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { until } from '../helpers/until.ts';

const chunksOf = (...numbers: readonly number[]): TextChunks =>
  new Map(numbers.map((number) => [number, null]));

/** A promise that the test settles. */
function later<T>() {
  let resolve = (_value: T): void => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function setUp(prepare?: (api: FakeApi, index: number) => void, engine?: EngineChoice) {
  const workers = createFakeConnection(prepare);
  const store = createSnapshotStore();
  const clock = createFakeClock();
  const happened: string[] = [];
  let sessions = 0;
  const handles: CaptureHandle<MessagePort>[] = [];
  const capture = {
    preload: async () => {},
    open: vi.fn(async () => {
      const number = handles.length;
      happened.push(`open ${number}`);
      const handle = {
        device: { deviceId: 'm', label: 'M' },
        reconnect: vi.fn(),
        pause: vi.fn(),
        resume: vi.fn(),
        stop: vi.fn(async () => void happened.push(`stop ${number}`)),
        end: vi.fn(async () => void happened.push(`end ${number}`)),
      };
      handles.push(handle);
      return handle;
    }),
  };
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn() };
  const dictation = createDictationController({
    holder: { keeping: { ...DEFAULT_KEEPING, keepRecordings: 24 } },
    storage: navigator.storage,
    connection: workers.connection,
    capture,
    store,
    clock,
    log,
    newId: () => `s${sessions++}`,
    ...(engine ? { engine } : {}),
  });
  const api = () => workers.apis.at(-1) as FakeApi;
  const raised = () =>
    workers.apis
      .flatMap(({ report }) => report.mock.calls)
      .map(([event]) => event as { kind: string; notice?: string })
      .map(({ kind, notice }) => `${kind} ${notice}`);
  const hold = (dictationId: string, states: readonly ChunkState[]) => {
    const items = states.map((state, number) => makeQueueItem({ dictationId, number, state }));
    store.dispatch({
      kind: 'queue-changed',
      queue: { ...INITIAL_SNAPSHOT.queue, items, isLoaded: true, isRecovered: true },
    });
  };
  return {
    ...workers,
    dictation,
    store,
    clock,
    capture,
    handles,
    happened,
    log,
    api,
    raised,
    hold,
  };
}

const DONE: ChunkState = { kind: 'answered', text: 'hej', needsReview: null };

describe('a recording that is cancelled', () => {
  async function cancelled(prepare?: (api: FakeApi) => void) {
    const all = setUp(prepare);
    const { dictation, store } = all;
    const deliver = vi.fn(async () => true);
    await dictation.start({ deliver });
    store.dispatch({ kind: 'session-began', id: 's0' });
    store.dispatch({ kind: 'session-opened', device: { deviceId: 'm', label: 'M' } });
    dictation.cancel();
    return { ...all, deliver };
  }

  test('is shown as over at once, waits for nobody to finish, and goes nowhere', async () => {
    const { dictation, api, deliver, clock, happened } = await cancelled();
    const { session, cancelled: id } = dictation.getSnapshot();
    expect([session.phase, session.isRecording, id]).toEqual(['stopped', false, 's0']);
    await until(() => happened.includes('stop 0'));
    await until(() => api().finish.mock.calls.length > 0);
    expect(api().finishSpeech).not.toHaveBeenCalled();
    await clock.advance(9_900);
    expect(deliver).not.toHaveBeenCalled();
    expect(api().deleteRecording).not.toHaveBeenCalled();
  });

  test('is thrown away after 10 s, and whoever has its place is told that none comes', async () => {
    const { dictation, api, deliver, clock, hold } = await cancelled();
    hold('s0', [DONE, DONE]);
    await clock.advance(10_000);
    expect(dictation.getSnapshot().cancelled).toBeNull();
    await until(() => api().deleteRecording.mock.calls.length > 0);
    expect(api().deleteRecording.mock.calls).toEqual([['s0']]);
    expect(deliver.mock.calls).toEqual([
      [{ text: '', failedChunks: 0, chunksToReview: 0 }, expect.any(AbortSignal)],
    ]);
    // Where no recording is retained, what waits goes by itself.
    await until(() => api().discard.mock.calls.length === 2);
    expect(api().close.mock.calls[0]?.[1]).toEqual({ verdict: true, chunks: chunksOf(0, 1) });
  });

  test('is had back within that time: its text goes to its place, once', async () => {
    const { dictation, api, deliver, clock } = await cancelled();
    await clock.advance(9_000);
    dictation.undoCancel();
    dictation.undoCancel();
    await until(() => api().close.mock.calls.length > 0);
    await clock.advance(30_000);
    expect(deliver.mock.calls).toEqual([
      [{ text: 'hej', failedChunks: 0, chunksToReview: 0 }, expect.any(AbortSignal)],
    ]);
    expect(api().deleteRecording).not.toHaveBeenCalled();
    expect(dictation.getSnapshot().cancelled).toBeNull();
  });

  test('with a text that comes late: had back, it goes to its place when it has come', async () => {
    const { dictation, hold, deliver, store, api, clock } = await cancelled((created) => {
      const chunks = new Map();
      created.finish.mockResolvedValue({ text: '', chunks, failedChunks: 1, chunksToReview: 0 });
    });
    await clock.advance(1_000);
    dictation.undoCancel();
    await until(() => api().close.mock.calls.length > 0);
    store.dispatch({ kind: 'session-released' });
    hold('s0', [DONE]);
    await until(() => deliver.mock.calls.length > 0);
    expect(deliver.mock.calls).toEqual([
      [{ text: 'sent', failedChunks: 0, chunksToReview: 0 }, expect.any(AbortSignal)],
    ]);
  });

  test('leaves the way free for the next at once; cancelled too, that is the one to be had back', async () => {
    const { dictation, api, clock, deliver } = await cancelled();
    const second = vi.fn(async () => true);
    expect(await dictation.start({ deliver: second })).toBe(true);
    expect(dictation.getSnapshot().cancelled).toBe('s0');
    dictation.cancel();
    expect(dictation.getSnapshot().cancelled).toBe('s1');
    await until(() => api().deleteRecording.mock.calls.length > 0);
    expect(api().deleteRecording.mock.calls).toEqual([['s0']]);
    dictation.undoCancel();
    await until(() => second.mock.calls.length > 0);
    await clock.advance(30_000);
    expect(second.mock.calls[0]).toEqual([
      { text: 'hej', failedChunks: 0, chunksToReview: 0 },
      expect.any(AbortSignal),
    ]);
    expect(deliver.mock.calls).toEqual([
      [{ text: '', failedChunks: 0, chunksToReview: 0 }, expect.any(AbortSignal)],
    ]);
  });

  test('is in no list meanwhile, also when a part of it has failed', async () => {
    const { dictation, hold } = await cancelled();
    const error = { code: 'http-status' as const, message: '500' };
    hold('s0', [{ kind: 'refused', error }]);
    expect(lateItems(dictation.getSnapshot())).toEqual([]);
    dictation.undoCancel();
    expect(lateItems(dictation.getSnapshot())).toHaveLength(1);
  });

  test('while nothing is recorded, or it is ended already, nothing is cancelled', async () => {
    const { dictation } = setUp();
    dictation.cancel();
    await dictation.start({ deliver: async () => true });
    const stopped = dictation.stop();
    dictation.cancel();
    expect(await stopped).toMatchObject({ text: 'hej' });
    expect(dictation.getSnapshot().cancelled).toBeNull();
  });
});

describe('which engine a recording has', () => {
  test.each([
    ['is what the dictation was made with', {}, { engine: 'ort' }],
    ['or what the start says', { engine: 'kernel' }, { engine: 'kernel' }],
  ] as const)('%s', async (_name, given, expected) => {
    const { dictation, api } = setUp(undefined, { engine: 'ort' });
    await dictation.start(given);
    expect(api().begin).toHaveBeenCalledWith('s0', expect.objectContaining(expected));
  });
});

test('how storage is kept is asked of the browser: a first visit starts no worker for it', async () => {
  const { dictation, connection } = setUp();
  const worker = vi.spyOn(connection, 'worker');
  expect(await dictation.recordings.storage()).toMatchObject({
    isPersisted: expect.any(Boolean),
    // WebKitGTK does not say.
    quotaBytes: isWebKit ? null : expect.any(Number),
  });
  expect(worker).not.toHaveBeenCalled();
});

describe('a recording that cannot go on', () => {
  const ENDS = { kind: 'end-wanted', cause: 'max-duration' } as const;

  test('is ended, also when its notice was dismissed before the page had seen it', async () => {
    const { dictation, store, api } = setUp();
    await dictation.start();
    store.dispatch({ kind: 'session-began', id: 's0' });
    store.dispatch(ENDS);
    expect(store.getSnapshot().notices).toEqual([]);
    await until(() => api().finish.mock.calls.length > 0);
    expect(api().finish.mock.calls).toEqual([['s0']]);
  });

  test('is not ended by a notice about storage that stands from before', async () => {
    const { dictation, store, api } = setUp();
    await dictation.start();
    store.dispatch({ kind: 'session-began', id: 's0' });
    store.dispatch({ kind: 'notice-raised', notice: 'storage-full', error: null });
    store.dispatch({ kind: 'session-opened', device: { deviceId: 'm', label: 'M' } });
    await until(() => store.getSnapshot().session.phase === 'recording');
    expect(api().finishSpeech).not.toHaveBeenCalled();
    dictation.dispose();
  });
});

describe('a worker that dies while a late text is being inserted', () => {
  test('the next is told of exactly those chunks', async () => {
    const { dictation, apis, crash } = setUp();
    const inserted = later<boolean>();
    const insert = vi.fn(() => inserted.promise);
    const taken = dictation.takeText('old', insert);
    await until(() => insert.mock.calls.length > 0);
    crash();
    inserted.resolve(true);
    expect(await taken).toBe(true);
    expect(apis[0]?.close).not.toHaveBeenCalled();
    expect(apis[1]?.close.mock.calls).toEqual([['old', { verdict: true, chunks: chunksOf(2, 3) }]]);
  });

  test('and the one after that, if the next dies before it has answered', async () => {
    const { dictation, apis, crash } = setUp((api, index) => {
      if (index < 2) api.close.mockReturnValue(new Promise(() => {}));
    });
    const taken = dictation.takeText('old', async () => 'altered');
    await until(() => apis[0]?.close.mock.calls.length);
    crash();
    await until(() => apis[1]?.close.mock.calls.length);
    crash();
    expect(await taken).toBe('altered');
    expect(apis[2]?.close.mock.calls).toEqual([
      ['old', { verdict: 'altered', chunks: chunksOf(2, 3) }],
    ]);
  });

  test('the same between the answer and the insertion of a text that is not late', async () => {
    const { dictation, apis, crash } = setUp();
    const inserted = later<boolean>();
    const deliver = vi.fn(() => inserted.promise);
    await dictation.start({ deliver });
    const stopped = dictation.stop();
    await until(() => deliver.mock.calls.length > 0);
    crash();
    inserted.resolve(true);
    expect(await stopped).toMatchObject({ text: 'hej' });
    expect(apis[1]?.close.mock.calls).toEqual([['s0', { verdict: true, chunks: chunksOf(0, 1) }]]);
    expect(apis[1]?.recover).not.toHaveBeenCalled();
  });
});

describe('a start while something is under way', () => {
  test('recording: false, a line in the log, a notice', async () => {
    const { dictation, log, raised, capture } = setUp();
    expect(await dictation.start()).toBe(true);
    expect(await dictation.start()).toBe(false);
    expect(log.error).toHaveBeenCalledTimes(1);
    expect(raised()).toEqual(['notice already-recording']);
    expect(capture.open).toHaveBeenCalledTimes(1);
  });

  test('a worker that hangs while a late text goes in: it is told of that before anybody asks for the text anew', async () => {
    const { dictation, api } = setUp((created) => {
      created.close.mockReturnValueOnce(new Promise(() => {}));
    });
    const inserted = later<boolean>();
    const deliver = vi.fn(() => inserted.promise);
    await dictation.start({ deliver });
    void dictation.stop();
    await until(() => deliver.mock.calls.length > 0);
    void dictation.start();
    await until(() => api().close.mock.calls.length > 0);
    inserted.resolve(true);
    await until(() => api().close.mock.calls.length > 1);
    await dictation.takeText('s0', async () => true);
    const [told] = api().close.mock.invocationCallOrder.slice(1);
    const [asked] = api().claim.mock.invocationCallOrder;
    expect(told, 'in this order the worker has no text any more').toBeLessThan(asked ?? 0);
  });

  test('a delivery that does not end: the next recording begins, and the text is settled when it ends', async () => {
    const { dictation, api } = setUp();
    const inserted = later<boolean>();
    const deliver = vi.fn(() => inserted.promise);
    await dictation.start({ deliver });
    const stopped = dictation.stop();
    await until(() => deliver.mock.calls.length > 0);

    expect(await dictation.start()).toBe(true);
    expect(api().begin.mock.calls.map(([id]) => id)).toEqual(['s0', 's1']);
    expect(api().close.mock.calls).toEqual([['s0', null]]);
    expect(await dictation.takeText('s0', async () => true), 'it may still go in').toBe(false);

    inserted.resolve(true);
    await stopped;
    expect(api().close.mock.calls).toEqual([
      ['s0', null],
      ['s0', { verdict: true, chunks: chunksOf(0, 1) }],
    ]);
    await dictation.stop();
    expect(api().close.mock.calls.at(-1)).toEqual([
      's1',
      { verdict: true, chunks: chunksOf(0, 1) },
    ]);
  });

  test('still transcribing: what is no text yet comes late, and the recording starts at once', async () => {
    const waited = later<void>();
    const { dictation, api, happened } = setUp((created) => {
      created.finish.mockImplementation(async (id) => {
        if (id === 's0') await waited.promise;
        const left = id === 's0' ? 1 : 0;
        return { text: '', chunks: new Map(), failedChunks: left, chunksToReview: 0 };
      });
      created.stopWaiting.mockImplementation(async () => waited.resolve());
    });
    const deliver = vi.fn(async () => true);
    await dictation.start({ deliver });
    const stopped = dictation.stop();
    await until(() => api().finish.mock.calls.length > 0);
    expect(await dictation.start()).toBe(true);
    expect(api().stopWaiting.mock.calls).toEqual([['s0']]);
    expect(await stopped).toMatchObject({ failedChunks: 1 });
    expect(deliver).not.toHaveBeenCalled();
    expect(happened.indexOf('stop 0')).toBeLessThan(happened.indexOf('open 1'));
    expect(await dictation.start(), 'the second one is under way').toBe(false);
  });

  test('the text is awaited here until 20 s after the stop, whatever is begun meanwhile', async () => {
    const { dictation, clock } = setUp((created) => {
      created.finish.mockResolvedValue({
        text: '',
        chunks: new Map(),
        failedChunks: 1,
        chunksToReview: 0,
      });
    });
    const awaited = () => dictation.getSnapshot().awaited;
    await dictation.start({ deliver: async () => true });
    await dictation.stop();
    await dictation.start({ deliver: async () => true });
    await clock.advance(19_000);
    expect(awaited()).toEqual(['s0', 's1']);
    await clock.advance(1_000);
    expect(awaited()).toEqual(['s1']);
  });

  test('a text that the page refuses is listed at once', async () => {
    const { dictation } = setUp();
    await dictation.start({ deliver: async () => false });
    await dictation.stop();
    expect(dictation.getSnapshot().awaited).toEqual([]);
  });

  test('a text that is there before its session is over goes into its place all the same', async () => {
    const finished = later<DictationText>();
    const { dictation, hold, api } = setUp((created) => {
      created.finish.mockReturnValueOnce(finished.promise);
    });
    const deliver = vi.fn(async () => true);
    await dictation.start({ deliver });
    const stopped = dictation.stop();
    await until(() => api().finish.mock.calls.length > 0);
    hold('s0', [DONE]);
    const started = dictation.start();
    finished.resolve({ text: '', chunks: new Map(), failedChunks: 1, chunksToReview: 0 });
    await stopped;
    expect(await started).toBe(true);
    await until(() => api().close.mock.calls.length > 1);
    expect(deliver.mock.calls).toEqual([
      [{ text: 'sent', failedChunks: 0, chunksToReview: 0 }, expect.any(AbortSignal)],
    ]);
  });

  test('waiting for the end of speech: it waits no longer', async () => {
    const { dictation, api } = setUp((created) => {
      created.finishSpeech.mockReturnValueOnce(new Promise(() => {}));
    });
    await dictation.start();
    const stopped = dictation.stop();
    await until(() => api().finishSpeech.mock.calls.length > 0);
    expect(await dictation.start()).toBe(true);
    expect(await stopped).toMatchObject({ text: 'hej' });
  });

  test('three in a row: the one between goes on in the next worker, too', async () => {
    const finished = later<DictationText>();
    const begun = later<null>();
    const { dictation, apis, crash } = setUp((api, index) => {
      if (index > 0) return;
      api.finish.mockReturnValueOnce(finished.promise);
      api.begin.mockImplementation((id) => (id === 's1' ? begun.promise : Promise.resolve(null)));
    });
    await dictation.start();
    void dictation.stop();
    await vi.waitFor(() => expect(apis[0]?.finish).toHaveBeenCalled());
    const second = dictation.start();
    const ended = dictation.stop();
    const third = dictation.start();
    finished.resolve({ text: '', chunks: new Map(), failedChunks: 0, chunksToReview: 0 });
    await vi.waitFor(() => expect(apis[0]?.begin).toHaveBeenCalledWith('s1', expect.anything()));
    crash();
    expect(await second).toBe(true);
    expect(await ended).toMatchObject({ text: 'hej' });
    expect(await third).toBe(true);
  });

  test('a stop is answered within 20 s of its press, also where the worker has not come to it', async () => {
    const finished = later<DictationText>();
    const { dictation, clock, api } = setUp((created) => {
      created.finish.mockReturnValueOnce(finished.promise);
    });
    await dictation.start();
    void dictation.stop();
    await clock.advance(0);
    const deliver = vi.fn(async () => true);
    void dictation.start({ deliver });
    await clock.advance(1_000);
    let result: unknown = 'none';
    void dictation.stop().then((given) => {
      result = given;
    });
    await clock.advance(19_900);
    expect(result).toBe('none');
    await clock.advance(200);
    expect(result).toEqual({ text: '', failedChunks: 1, chunksToReview: 0 });
    // Its text comes all the same, and is waited for no more.
    finished.resolve({ text: '', chunks: new Map(), failedChunks: 0, chunksToReview: 0 });
    await until(() => deliver.mock.calls.length > 0);
    expect(api().stopWaiting).toHaveBeenCalledWith('s1');
  });

  test('a worker that does not come free: refused in the end, and said', async () => {
    const { dictation, clock, api, log } = setUp((created) => {
      created.finish.mockReturnValue(new Promise(() => {}));
      created.begin.mockImplementation(async (id) =>
        id === 's0' ? null : ({ code: 'wrong-phase', message: 'running' } as never),
      );
    });
    await dictation.start();
    void dictation.stop();
    await clock.advance(0);
    const started = dictation.start();
    // Two workers, one after the other, may not answer for 30 s each: what is said is kept meanwhile.
    await clock.advance(100_000);
    expect(api().begin).not.toHaveBeenCalledWith('s1', expect.anything());
    await clock.advance(20_000);
    expect(await started).toBe(false);
    expect(api().abandon).toHaveBeenCalledWith('s1', { code: 'wrong-phase', message: 'running' });
    expect(log.error).toHaveBeenCalledWith('running', 'wrong-phase');
  });

  test('disposed of: false, a line in the log, a notice', async () => {
    const { dictation, store, log } = setUp();
    dictation.dispose();
    expect(await dictation.start()).toBe(false);
    expect(log.error).toHaveBeenCalledTimes(1);
    expect(store.getSnapshot().notices.map(({ kind }) => kind)).toEqual(['disposed']);
  });

  test('a microphone that throws instead of answering: false, never a rejection', async () => {
    const { dictation, capture, api } = setUp();
    capture.open.mockImplementationOnce(() => {
      throw new TypeError('no such thing');
    });
    expect(await dictation.start()).toBe(false);
    expect(api().abandon).toHaveBeenCalledTimes(1);
    expect(await dictation.start()).toBe(true);
  });
});

describe('a text that does not go into the page', () => {
  const refusals: readonly (readonly [string, () => Promise<DeliveryVerdict>])[] = [
    ['refused', async () => false],
    ['thrown at', () => Promise.reject(new Error('the field is gone'))],
  ];

  test.each(refusals)(
    '%s: in the log, in the snapshot, until it is taken',
    async (_how, deliver) => {
      const { dictation, api, log, raised, hold } = setUp();
      hold('s0', [DONE]);
      await dictation.start({ deliver });
      await dictation.stop();
      expect(api().close.mock.calls).toEqual([['s0', null]]);
      expect(log.warn).toHaveBeenCalledWith('A text was not inserted and waits in the queue');
      expect(raised()).toEqual(['notice text-not-inserted']);
      hold('s0', [DONE]);
      expect(raised()).toHaveLength(1);
      hold('s0', []);
      expect(raised().at(-1)).toBe('notice-dismissed text-not-inserted');
    },
  );

  test.each(refusals)(
    '%s, and nothing was said: there is nothing to tell',
    async (_how, deliver) => {
      const { dictation, api, raised } = setUp((created) => {
        created.finish.mockResolvedValue({
          text: ' ',
          failedChunks: 0,
          chunksToReview: 0,
          chunks: new Map([[0, null]]),
        });
      });
      await dictation.start({ deliver });
      await dictation.stop();
      expect(api().close.mock.calls).toEqual([['s0', { verdict: true, chunks: chunksOf(0) }]]);
      expect(raised()).toEqual([]);
    },
  );

  test('for 30 s: it is offered, and one that goes in later is settled then', async () => {
    const { dictation, clock, api, raised } = setUp();
    const inserted = later<boolean>();
    await dictation.start({ deliver: () => inserted.promise });
    const stopped = dictation.stop();
    await clock.advance(29_999);
    expect(api().close).not.toHaveBeenCalled();
    await clock.advance(1);
    await stopped;
    expect(api().close.mock.calls).toEqual([['s0', null]]);
    expect(raised()).toEqual(['notice text-not-inserted']);
    inserted.resolve(true);
    await clock.advance(0);
    expect(api().markDelivered.mock.calls).toEqual([['s0', true, chunksOf(0, 1)]]);
  });
});

describe('a text that hangs on its way, and is taken from the list after 30 s', () => {
  test('goes in once: the first insertion finds that it is not wanted any more', async () => {
    const { dictation, clock, api } = setUp();
    const element = await mountTyped('textarea', 'ett');
    const field = createEditableField(element, { turnMs: 0, compositionMs: 3_600_000 });
    onTestFinished(() => field.dispose());
    const cursor = field.saveCursor();
    await dictation.start({
      deliver: async ({ text }, withdrawn) =>
        verdictOf(await field.insert(text, cursor, { withdrawn })),
    });
    element.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
    const stopped = dictation.stop();
    await clock.advance(30_000);
    await stopped;
    expect(api().close.mock.calls).toEqual([['s0', null]]);
    const copied = vi.fn(async (_text: string) => true);
    expect(await dictation.takeText('s0', copied)).toBe(true);
    expect(copied.mock.calls.map(([text]) => text)).toEqual(['sent']);

    element.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
    // Insertions follow one another: the one that hung has had its turn before this one.
    await field.insert('två', field.saveCursor());
    expect(textOf(element)).toBe('ett två');
    expect(api().close.mock.calls).toEqual([
      ['s0', null],
      ['s0', { verdict: true, chunks: chunksOf(2, 3) }],
    ]);
  });

  test('one that is in when the time is up is not offered: what is there decides', async () => {
    const { dictation, clock, api, raised } = setUp();
    const element = await mountTyped('textarea', 'ett');
    const field = createEditableField(element, { turnMs: 3_600_000 });
    onTestFinished(() => field.dispose());
    const cursor = field.saveCursor();
    await dictation.start({
      deliver: async ({ text }, withdrawn) =>
        verdictOf(await field.insert(text, cursor, { withdrawn })),
    });
    const stopped = dictation.stop();
    await expect.poll(() => textOf(element)).toBe('ett hej');
    await clock.advance(30_000);
    await stopped;
    expect(api().close.mock.calls).toEqual([['s0', { verdict: true, chunks: chunksOf(0, 1) }]]);
    expect(raised()).toEqual([]);
  });
});

test('nobody takes a text out of the list while it is recovered for its own place', async () => {
  const recovered = later<DictationText>();
  const { dictation, apis, crash } = setUp((created, index) => {
    if (index === 0) created.finish.mockReturnValue(new Promise(() => {}));
    else created.recover.mockReturnValue(recovered.promise);
  });
  const deliver = vi.fn(async () => true);
  await dictation.start({ deliver });
  const stopped = dictation.stop();
  await until(() => apis[0]?.finish.mock.calls.length);
  crash();
  await until(() => apis[1]?.recover.mock.calls.length);
  expect(await dictation.takeText('s0', async () => true)).toBe(false);
  expect(apis[1]?.claim).not.toHaveBeenCalled();
  recovered.resolve({ text: 'hej', chunks: new Map(), failedChunks: 0, chunksToReview: 0 });
  await stopped;
  expect(deliver).toHaveBeenCalledTimes(1);
});

describe('workers that die again and again', () => {
  test('the last minute stays in the worklet until one has written it down', async () => {
    let finished = 0;
    const { dictation, apis, crash, clock, handles, happened } = setUp((api, index) => {
      if (index < 5) api.endRecording.mockReturnValue(new Promise(() => {}));
      else finished = index;
    });
    const deliver = vi.fn(async () => true);
    await dictation.start({ deliver });
    for (let death = 0; death < 4; death += 1) {
      crash();
      await clock.advance(0);
    }
    // None was asked a fourth time at once, and nothing is thrown away.
    expect(apis[4]?.takeOver).not.toHaveBeenCalled();
    expect(happened).not.toContain('end 0');
    await clock.advance(1_000);
    expect(apis[4]?.takeOver).toHaveBeenCalledTimes(1);
    crash();
    await clock.advance(4_000);
    expect(apis[5]?.takeOver).toHaveBeenCalledTimes(1);
    await until(() => deliver.mock.calls.length > 0);
    expect(finished).toBe(5);
    expect(handles[0]?.reconnect).toHaveBeenCalledTimes(5);
    expect(happened.at(-1)).toBe('end 0');
  });

  test('are no reason to give up a recording that is asked for after that', async () => {
    const { dictation, apis, crash } = setUp((api, index) => {
      if (index === 3) api.begin.mockReturnValue(new Promise(() => {}));
    });
    dictation.prepare();
    for (let death = 0; death < 3; death += 1) crash();
    const started = dictation.start();
    await until(() => apis[3]?.begin.mock.calls.length);
    crash();
    expect(await started).toBe(true);
    expect(apis[4]?.takeOver).toHaveBeenCalledTimes(1);
  });

  test('in the end what nobody wrote is given up, and said; the journal is recovered', async () => {
    const { dictation, crash, clock, raised, api, happened } = setUp((created) => {
      created.endRecording.mockReturnValue(new Promise(() => {}));
    });
    const deliver = vi.fn(async () => true);
    await dictation.start({ deliver });
    for (const pauseMs of [0, 0, 0, 1_000, 4_000, 10_000]) {
      crash();
      await clock.advance(pauseMs);
    }
    expect(deliver).not.toHaveBeenCalled();
    crash();
    await clock.advance(0);
    expect(raised()).toContain('notice speech-lost');
    expect(api().recover).toHaveBeenCalledWith('s0', new Map());
    await until(() => deliver.mock.calls.length > 0);
    expect(happened.at(-1)).toBe('end 0');
  });
});

test('a recording that the page has given up is handed to no worker any more', async () => {
  const { dictation, apis, crash, clock, api } = setUp((created) => {
    created.endRecording.mockReturnValue(new Promise(() => {}));
    created.recover.mockReturnValue(new Promise(() => {}));
  });
  await dictation.start();
  for (const pauseMs of [0, 0, 0, 1_000, 4_000, 10_000, 0]) {
    crash();
    await clock.advance(pauseMs);
  }
  await until(() => api().recover.mock.calls.length > 0);
  // Those deaths are no reason any more to leave a recording where it is.
  await clock.advance(60_000);
  crash();
  await clock.advance(0);
  expect(api().takeOver).not.toHaveBeenCalled();
  expect(await dictation.start()).toBe(true);
  expect(apis.at(-1)?.begin).toHaveBeenCalledWith('s1', expect.anything());
});

test('a place that is held is seen by other tabs until it is let go, or everything is deleted here', async () => {
  const { dictation } = setUp();
  const places = async () =>
    ((await navigator.locks.query()).held ?? [])
      .map(({ name = '' }) => name)
      .filter((name) => name.startsWith('diktera:place:plats'));
  const letGo = await dictation.holdPlace('plats-1');
  await dictation.holdPlace('plats-2');
  expect((await places()).sort()).toEqual(['diktera:place:plats-1', 'diktera:place:plats-2']);
  letGo();
  await expect.poll(places).toEqual(['diktera:place:plats-2']);
  await dictation.wipe();
  expect(await places()).toEqual([]);
  await dictation.holdPlace('plats-3');
  dictation.dispose();
  await expect.poll(places).toEqual([]);
});
