import { vi } from 'vitest';
import type {
  CrashListener,
  WorkerClient,
  WorkerConnection,
} from '../../src/client/worker-connection.ts';
import type {
  ClaimedText,
  DeliveredChunks,
  DictationText,
  TextChunks,
} from '../../src/core/contracts/worker-api.ts';
import { DikteraError } from '../../src/core/errors.ts';

/** A worker's calls, answered at once unless a test says otherwise. */
export function createFakeApi() {
  return {
    begin: vi.fn(async (_id: string, _options: unknown) => null),
    connect: vi.fn(async () => {}),
    opened: vi.fn(async () => null),
    takeOver: vi.fn(async () => null),
    abandon: vi.fn(async () => {}),
    finishSpeech: vi.fn(async () => {}),
    endRecording: vi.fn(async () => true),
    stopWaiting: vi.fn(async (_id: string) => {}),
    finish: vi.fn(
      async (_id: string): Promise<DictationText> => ({
        text: 'hej',
        chunks: new Map([
          [0, null],
          [1, null],
        ]),
        failedChunks: 0,
        chunksToReview: 0,
      }),
    ),
    recover: vi.fn(
      async (_id: string, _delivered: TextChunks): Promise<DictationText> => ({
        text: 'räddat',
        chunks: new Map([[0, null]]),
        failedChunks: 0,
        chunksToReview: 0,
      }),
    ),
    claim: vi.fn(
      async (_id: string): Promise<ClaimedText | null> => ({
        text: 'sent',
        chunks: new Map([
          [2, null],
          [3, null],
        ]),
      }),
    ),
    markDelivered: vi.fn(async (_id: string, _verdict: unknown, _chunks: TextChunks) => {}),
    close: vi.fn(async (_id: string, _delivered: DeliveredChunks | null) => {}),
    report: vi.fn(async (_event: unknown) => {}),
    wipe: vi.fn(async () => {}),
    deleteRecording: vi.fn(async (_id: string) => {}),
    discard: vi.fn(async (_itemId: string) => {}),
  };
}

export type FakeApi = ReturnType<typeof createFakeApi>;

/** Workers that die when the test says so; each is replaced at once. */
export type FakeConnection = {
  readonly connection: WorkerConnection;
  /** All so far; the last one lives. */
  readonly apis: readonly FakeApi[];
  /** The living one dies; what it has not answered rejects. */
  crash(): void;
};

/** `prepare` may change how each worker answers. */
export function createFakeConnection(
  prepare: (api: FakeApi, index: number) => void = () => {},
): FakeConnection {
  const apis: FakeApi[] = [];
  let onCrash: CrashListener = () => false;
  let die = (_error: DikteraError): void => {};
  let current = start();

  function start(): WorkerClient {
    const api = createFakeApi();
    prepare(api, apis.length);
    apis.push(api);
    const death = new Promise<never>((_resolve, reject) => {
      die = reject;
    });
    death.catch(() => {});
    const call = <T>(answer: Promise<T>): Promise<T> => Promise.race([death, answer]);
    return { api, call } as unknown as WorkerClient;
  }

  return {
    apis,
    connection: {
      worker: () => current,
      hasWorker: () => true,
      ask: (question) => current.call(question(current.api)),
      tell: (command) => void command(current.api),
      onCrash: (listener) => {
        onCrash = listener;
      },
      dispose: () => {},
      revive: () => {},
    },
    crash() {
      const error = new DikteraError('worker-crashed', 'The test ended it');
      const dying = die;
      current = start();
      dying(error);
      onCrash(error, current);
    },
  };
}
