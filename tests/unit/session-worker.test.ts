import { describe, expect, test, vi } from 'vitest';
import type { WorkerClient } from '../../src/client/worker-connection.ts';
import { createCrashCount, createSessionWorker } from '../../src/client/worker-connection.ts';
import type { CaptureHandle } from '../../src/core/contracts/capture-port.ts';
import type { DictationTakeover } from '../../src/core/contracts/worker-api.ts';
import { DikteraError, type ErrorInfo } from '../../src/core/errors.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { IDLE_SESSION } from '../../src/core/session/snapshot.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const TAKEOVER: DictationTakeover = {
  dictationId: 's',
  options: DEFAULT_SESSION_OPTIONS,
  session: { ...IDLE_SESSION, id: 's', phase: 'recording' },
  notices: [],
  delivered: new Map(),
};

const CRASH = new DikteraError('worker-crashed', 'gone');

/** A worker that answers as told, and can die. */
function newWorker(name: string, refusal: ErrorInfo | null = null) {
  let die = (): void => {};
  const death = new Promise<never>((_resolve, reject) => {
    die = () => reject(CRASH);
  });
  death.catch(() => {});
  let takenOver = (): void => {};
  const api = {
    finishSpeech: vi.fn(async () => name),
    hangs: vi.fn(() => new Promise<string>(() => {})),
    takeOver: vi.fn(
      () =>
        new Promise<ErrorInfo | null>((resolve) => {
          takenOver = () => resolve(refusal);
        }),
    ),
  };
  const client = {
    api,
    call: (answer: Promise<unknown>) => Promise.race([answer, death]),
  } as unknown as WorkerClient;
  return { client, api, die, takeOver: () => takenOver() };
}

function newCapture() {
  const reconnect = vi.fn((port: MessagePort) => port.close());
  return { reconnect, capture: { reconnect } as unknown as CaptureHandle<MessagePort> };
}

const ask = (api: WorkerClient['api']) =>
  (api as unknown as { finishSpeech(): Promise<string> }).finishSpeech();
const askForEver = (api: WorkerClient['api']) =>
  (api as unknown as { hangs(): Promise<string> }).hangs();

describe("a session's worker", () => {
  test('what a dying worker did not answer is asked of the one that goes on, once that is ready', async () => {
    const [first, second] = [newWorker('first'), newWorker('second')];
    const worker = createSessionWorker(() => first.client, vi.fn());
    const { reconnect, capture } = newCapture();
    worker.attach(capture);
    let calls = 0;
    const answer = worker.call((api) => {
      calls += 1;
      return calls === 1 ? askForEver(api) : ask(api);
    });
    await Promise.resolve();
    worker.moveTo(second.client, TAKEOVER);
    first.die();
    expect(reconnect).toHaveBeenCalledTimes(1);
    await Promise.resolve();
    expect(second.api.finishSpeech).not.toHaveBeenCalled();
    second.takeOver();
    expect(await answer).toBe('second');
    expect(first.api.finishSpeech).not.toHaveBeenCalled();
  });

  test('the second dies while it takes over: the third is asked', async () => {
    const workers = [newWorker('first'), newWorker('second'), newWorker('third')] as const;
    const onRefused = vi.fn();
    const worker = createSessionWorker(() => workers[0].client, onRefused);
    const { reconnect, capture } = newCapture();
    worker.attach(capture);
    worker.moveTo(workers[1].client, TAKEOVER);
    workers[0].die();
    const answer = worker.call(ask);
    worker.moveTo(workers[2].client, TAKEOVER);
    workers[1].die();
    workers[2].takeOver();
    expect(await answer).toBe('third');
    expect(reconnect).toHaveBeenCalledTimes(2);
    expect(onRefused).not.toHaveBeenCalled();
  });

  test('a worker that takes over before the microphone is open gets its frames when it is', async () => {
    const [first, second] = [newWorker('first'), newWorker('second')];
    const worker = createSessionWorker(() => first.client, vi.fn());
    worker.moveTo(second.client, TAKEOVER);
    first.die();
    second.takeOver();
    expect(await worker.call(ask)).toBe('second');
    const { reconnect, capture } = newCapture();
    worker.attach(capture);
    expect(reconnect).toHaveBeenCalledTimes(1);
  });

  test('none goes on: refused, or given up, who asks hears why', async () => {
    const refusal: ErrorInfo = { code: 'storage-failed', message: 'no' };
    const [first, second] = [newWorker('first'), newWorker('second', refusal)];
    const onRefused = vi.fn();
    const worker = createSessionWorker(() => first.client, onRefused);
    worker.moveTo(second.client, TAKEOVER);
    first.die();
    const answer = worker.call(ask);
    second.takeOver();
    await expect(answer).rejects.toMatchObject({ code: 'storage-failed' });
    expect(onRefused).toHaveBeenCalledWith(refusal);

    const other = createSessionWorker(() => newWorker('first').client, onRefused);
    other.giveUp(CRASH);
    await expect(other.call(ask)).rejects.toBe(CRASH);
    expect(onRefused).toHaveBeenCalledTimes(1);
  });
});

test('workers that die three times in a minute end the recording; deaths far apart do not', async () => {
  const clock = createFakeClock();
  const count = createCrashCount(clock);
  const seen: string[] = [];
  for (const pauseMs of [0, 40_000, 40_000, 10_000, 1_000]) {
    await clock.advance(pauseMs);
    seen.push(count());
  }
  expect(seen).toEqual(['go-on', 'go-on', 'go-on', 'end', 'give-up']);
});
