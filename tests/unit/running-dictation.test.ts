import { describe, expect, test, vi } from 'vitest';
import { createRunningDictation } from '../../src/client/running-dictation.ts';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import type { TextInbox } from '../../src/client/text-inbox.ts';
import type { WorkerClient } from '../../src/client/worker-connection.ts';
import { createDeferred } from '../../src/core/async.ts';
import type { CaptureHandle, CaptureRequest } from '../../src/core/contracts/capture-port.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

// One tab: no Web Locks.
vi.stubGlobal('navigator', {});

/** A microphone that opens when the test says so. */
function newMicrophone() {
  const { promise, resolve, reject } = createDeferred<CaptureHandle<MessagePort>>();
  const end = vi.fn(async () => {});
  const device = { deviceId: 'm', label: 'M' };
  const handle = { device, end } as unknown as CaptureHandle<MessagePort>;
  const open = vi.fn((request: CaptureRequest<MessagePort>) => {
    request.framePort.close();
    return promise;
  });
  return { open, end, opens: () => resolve(handle), fails: reject };
}

function newOpening({ hasWorker = false, isWorkerGone = false } = {}) {
  const microphone = newMicrophone();
  const clock = createFakeClock();
  const worker = createDeferred<null>();
  if (!isWorkerGone) worker.resolve(null);
  const api = {
    begin: vi.fn(() => worker.promise),
    connect: vi.fn(async () => {}),
    opened: vi.fn(async () => null),
  };
  const client = {
    api,
    call: (answer: Promise<unknown>) => answer,
  } as unknown as WorkerClient;
  const startWorker = vi.fn(() => client);
  const onOpen = vi.fn();
  const dictation = createRunningDictation({
    id: 's',
    options: DEFAULT_SESSION_OPTIONS,
    deliver: undefined,
    deliverPiece: undefined,
    connection: { worker: startWorker, hasWorker: () => hasWorker },
    inbox: {} as TextInbox,
    reports: { raise: vi.fn() },
    store: createSnapshotStore(),
    clock,
    log: createRecordingLog(),
    onOver: vi.fn(),
  });
  const opening = dictation.open({
    capture: microphone,
    request: { deviceId: null, onLost: vi.fn() },
    free: null,
    onOpen,
  });
  return { dictation, opening, microphone, clock, api, worker, startWorker, onOpen };
}

describe('opening a session', () => {
  test('a worker that has to be started comes after the microphone, which it would only delay', async () => {
    const { opening, microphone, clock, startWorker, api, onOpen } = newOpening();
    expect(microphone.open).toHaveBeenCalledTimes(1);
    await clock.advance(149);
    expect(startWorker).not.toHaveBeenCalled();
    microphone.opens();
    expect(await opening).toBeNull();
    expect(startWorker).toHaveBeenCalledTimes(1);
    expect(api.begin).toHaveBeenCalledTimes(1);
    expect(onOpen).toHaveBeenCalledTimes(1);
  });

  test('while the browser asks the person, the worker is started all the same', async () => {
    const { opening, microphone, clock, startWorker } = newOpening();
    await clock.advance(150);
    expect(startWorker).toHaveBeenCalledTimes(1);
    microphone.opens();
    expect(await opening).toBeNull();
  });

  test('a worker that is there is asked at once', async () => {
    const { opening, microphone, api, onOpen } = newOpening({ hasWorker: true });
    expect(api.begin).toHaveBeenCalledTimes(1);
    expect(onOpen).not.toHaveBeenCalled();
    microphone.opens();
    expect(await opening).toBeNull();
  });

  test('a microphone that does not open is the reason given', async () => {
    const { opening, microphone } = newOpening();
    microphone.fails(new DikteraError('microphone-denied', 'no'));
    expect(await opening).toMatchObject({ code: 'microphone-denied' });
  });
});

describe('a session that no worker could begin', () => {
  const crash = new DikteraError('worker-crashed', 'gone');

  test('is refused where nothing can have been said, and the microphone let go', async () => {
    const { opening, microphone, clock, worker, dictation } = newOpening({ isWorkerGone: true });
    microphone.opens();
    await clock.advance(999);
    worker.reject(crash);
    expect(await opening).toMatchObject({ code: 'worker-crashed' });
    expect(microphone.end).toHaveBeenCalledTimes(1);
    expect(dictation.isEnding()).toBe(false);
  });

  test('keeps its microphone, which has what was said, for one that can', async () => {
    const { opening, microphone, clock, worker, onOpen, dictation } = newOpening({
      isWorkerGone: true,
    });
    microphone.opens();
    await clock.advance(1_500);
    worker.reject(crash);
    expect(await opening).toBeNull();
    expect(microphone.end).not.toHaveBeenCalled();
    expect(onOpen).toHaveBeenCalledTimes(1);
    expect(dictation.isEnding(), 'to be written down by one that can').toBe(true);
  });
});

describe('a session that is no longer wanted while it is being opened', () => {
  test('is given up at once, starts no worker, and the microphone is let go when it comes', async () => {
    const { opening, microphone, clock, dictation, startWorker, onOpen } = newOpening();
    dictation.letGo();
    expect(await opening).toMatchObject({ code: 'wrong-phase' });
    microphone.opens();
    await clock.advance(1_000);
    expect(startWorker).not.toHaveBeenCalled();
    expect(onOpen).not.toHaveBeenCalled();
    expect(microphone.end).toHaveBeenCalledTimes(1);
  });

  test('lets the microphone go, too, when the worker has begun already', async () => {
    const { opening, microphone, clock, dictation, onOpen } = newOpening({ hasWorker: true });
    await clock.advance(0);
    dictation.letGo();
    microphone.opens();
    expect(await opening).toMatchObject({ code: 'wrong-phase' });
    await clock.advance(0);
    expect(onOpen).not.toHaveBeenCalled();
    expect(microphone.end).toHaveBeenCalledTimes(1);
  });

  test('is given up, too, when its worker has been ended and will never answer', async () => {
    const { opening, microphone, clock, dictation } = newOpening({
      hasWorker: true,
      isWorkerGone: true,
    });
    dictation.letGo();
    expect(await opening).toMatchObject({ code: 'wrong-phase' });
    microphone.opens();
    await clock.advance(0);
    expect(microphone.end).toHaveBeenCalledTimes(1);
  });

  test('ends one that is open', async () => {
    const { opening, microphone, clock, dictation } = newOpening();
    microphone.opens();
    await opening;
    expect(microphone.end).not.toHaveBeenCalled();
    dictation.letGo();
    await clock.advance(0);
    expect(microphone.end).toHaveBeenCalledTimes(1);
  });
});
