import * as Comlink from 'comlink';
import { untilAborted } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import type { CaptureHandle } from '../core/contracts/capture-port.ts';
import type { DictationTakeover, DictationWorkerApi } from '../core/contracts/worker-api.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import { createHeartbeat } from '../core/heartbeat.ts';
import type { Logger } from '../core/logger.ts';
import type { SnapshotPatch } from '../core/session/snapshot-reducer.ts';
import { watchLife } from '../platform/locks.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** A worker's calls, as the page has them. */
export type RemoteApi = Comlink.Remote<DictationWorkerApi<MessagePort>>;

/** A question to a worker. */
export type Ask<T> = (api: RemoteApi) => Promise<T>;

/** One worker. */
export type WorkerClient = {
  readonly api: RemoteApi;
  /**
   * The answer of a call, or a DikteraError when the worker is gone first, `worker-crashed` or, if
   * it was disposed of, `disposed`: Comlink alone would wait for ever.
   */
  call<T>(answer: Promise<T>): Promise<T>;
};

type WorkerConnectionPorts = {
  readonly createWorker: () => Worker;
  /** Called with each worker that is started. @default nothing */
  readonly onStart?: (api: RemoteApi) => void;
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Called when a worker died, with its replacement, which has sent nothing yet. True if the running
 * session goes on there: then the page keeps showing it.
 */
export type CrashListener = (error: DikteraError, next: WorkerClient) => boolean;

/** Keeps a dictation worker at hand. */
export type WorkerConnection = ReturnType<typeof createWorkerConnection>;

/** Seconds without a sign: words are at stake while recording, and only requests under way else. */
const SILENCE_LIMIT_TICKS = { recording: 5, else: 10 } as const;

/** Keeps a dictation worker at hand: starts it when first needed, and anew after a crash. */
export function createWorkerConnection(ports: WorkerConnectionPorts) {
  const { createWorker, onStart, store, clock, log } = ports;
  let current: (WorkerClient & { end(why: DikteraError): void }) | null = null;
  let onCrash: CrashListener = () => false;

  const isRecording = (): boolean => store.getSnapshot().session.isRecording;
  const isAtRest = (): boolean => store.getSnapshot().session.phase === 'idle';

  function start(crash: DikteraError | null): WorkerClient {
    const worker = createWorker();
    const api = Comlink.wrap<DictationWorkerApi<MessagePort>>(worker);
    onStart?.(api);
    const gone = new AbortController();
    const heartbeat = createHeartbeat({
      clock,
      ping: () => api.ping(),
      silenceLimitTicks: () => SILENCE_LIMIT_TICKS[isRecording() ? 'recording' : 'else'],
      isAtRest,
      onSilent: (ticks) => die(`The dictation worker has not answered for ${ticks} s`),
    });
    const stopLifeWatch = watchLife(
      (name) => api.holdLifeLock(name),
      () => die('The dictation worker is gone'),
    );
    const client = {
      api,
      // A race with a promise of the worker's end would keep every answer until then.
      call<T>(answer: Promise<T>): Promise<T> {
        heartbeat.attend();
        return untilAborted(answer, gone.signal);
      },
      end(why: DikteraError): void {
        heartbeat.stop();
        stopLifeWatch();
        worker.terminate();
        gone.abort(why);
      },
    };

    /** It has been ended before another is started: two never work at once. */
    function die(message: string): void {
      if (gone.signal.aborted) return;
      const error = new DikteraError('worker-crashed', message);
      client.end(error);
      start(error);
    }

    // An error thrown inside does not end a worker; a script that does not load never starts one.
    worker.addEventListener('error', (event) => {
      log.error('The dictation worker reported an error', event.message);
      heartbeat.suspect();
    });
    worker.addEventListener('messageerror', () => {
      log.error('The dictation worker sent something that cannot be read');
      heartbeat.suspect();
    });
    current = client;
    if (crash) succeed(client, crash);
    const onPatch = (patch: SnapshotPatch): void => {
      heartbeat.sign();
      if (client === current) store.apply(patch);
      if (!isAtRest()) heartbeat.attend();
    };
    // Last, so that its first snapshot holds what goes on in it.
    void api.subscribe(Comlink.proxy(onPatch));
    return client;
  }

  function succeed(client: WorkerClient, crash: DikteraError): void {
    if (onCrash(crash, client)) return;
    const error = toErrorInfo(crash, 'worker-crashed');
    store.dispatch({ kind: 'worker-lost', error });
    // The new worker's snapshot replaces the old one's: it must hold the notice too.
    void client.api.report({ kind: 'notice', notice: 'worker-crashed', error });
  }

  /** The running worker, which loads its model by itself. */
  const worker = (): WorkerClient => current ?? start(null);

  return {
    worker,
    /** Starts it ahead of time. A page that can have none, as in jsdom, is told when it records. */
    warm(): void {
      try {
        worker();
      } catch {}
    },
    hasWorker: () => current !== null,
    /** Asks the running worker; rejects as `WorkerClient.call`. */
    async ask<T>(question: Ask<T>): Promise<T> {
      const { api, call } = worker();
      return call(question(api));
    },
    /** Has the running worker do something that nobody waits for: the snapshot shows it. */
    tell(command: Ask<void>): void {
      command(worker().api).catch((thrown: unknown) => {
        log.error('A command was not carried out whole', toErrorInfo(thrown, 'storage-failed'));
      });
    },
    /** Sets who is told of a crash. */
    onCrash(listener: CrashListener): void {
      onCrash = listener;
    },
    /**
     * Ends the worker, and starts no other before `revive`: what is asked meanwhile, and what it
     * has not answered, rejects with `disposed`.
     */
    dispose(): void {
      const error = new DikteraError('disposed', 'The dictation has been disposed of');
      current?.end(error);
      current = {
        // It hears everything and answers nothing.
        api: Comlink.wrap<DictationWorkerApi<MessagePort>>(new MessageChannel().port1),
        call: () => Promise.reject(error),
        end() {},
      };
    },
    /** A worker is wanted again. */
    revive(): void {
      current = null;
    },
  };
}

/** Workers that crash so often within this time will not stop crashing. */
const CRASH_WINDOW_MS = 60_000;
const CRASHES_BEFORE_END = 3;

/** The fate of a session whose worker has crashed. */
type AfterCrash =
  | 'go-on'
  /** Go on only to write down what was said, and end. */
  | 'end'
  /** Leave it for a while: the next one would only crash as well. */
  | 'give-up';

/** Counts crashes of workers; the answer says what to do after this one. */
export function createCrashCount(clock: Clock): () => AfterCrash {
  let crashedAtMs: readonly number[] = [];
  return () => {
    const nowMs = clock.nowMs();
    crashedAtMs = [...crashedAtMs.filter((atMs) => nowMs - atMs < CRASH_WINDOW_MS), nowMs];
    if (crashedAtMs.length < CRASHES_BEFORE_END) return 'go-on';
    return crashedAtMs.length === CRASHES_BEFORE_END ? 'end' : 'give-up';
  };
}

/**
 * The worker that has a dictation: when one dies, the next takes over. None has it before the first
 * call, so that the microphone can open before a worker starts. `first` gives the worker that
 * begins; `onRefused` is called when one could not take over.
 */
export function createSessionWorker(
  first: () => WorkerClient,
  onRefused: (refusal: ErrorInfo) => void,
) {
  let owner: Promise<WorkerClient> | null = null;
  /**
   * The owner once it is known, so that asking need not wait: what is asked first is sent first.
   */
  let known: WorkerClient | null = null;
  let capture: CaptureHandle<MessagePort> | null = null;
  /** The port of a worker that took over before the microphone was open. */
  let waitingPort: MessagePort | null = null;

  /** The worker that has the session, or is about to get it. */
  function current(): Promise<WorkerClient> {
    if (owner !== null) return owner;
    known = first();
    owner = Promise.resolve(known);
    return owner;
  }

  function setOwner(next: Promise<WorkerClient>): void {
    owner = next;
    known = null;
    next.then(
      (client) => {
        if (owner === next) known = client;
      },
      () => {}, // The next call rejects.
    );
  }

  async function takeOver(
    next: WorkerClient,
    takeover: DictationTakeover,
    framePort: MessagePort,
  ): Promise<WorkerClient> {
    const given = Comlink.transfer(framePort, [framePort]);
    const refusal = await next.call(next.api.takeOver(takeover, given));
    if (!refusal) return next;
    onRefused(refusal);
    throw new DikteraError(refusal.code, refusal.message);
  }

  /**
   * Asks the session's worker; if it dies before it answers, the one that takes the session over.
   * `ask` must therefore be harmless when done twice. Rejects when no worker takes over.
   */
  async function call<T>(ask: Ask<T>): Promise<T> {
    for (;;) {
      const asked = current();
      try {
        const client = known ?? (await asked);
        return await client.call(ask(client.api));
      } catch (error) {
        // If another has taken over meanwhile, that one is asked.
        if (asked === owner) throw error;
      }
    }
  }

  return {
    call,
    /** The microphone is open: its frames go to whoever has the session. */
    attach(opened: CaptureHandle<MessagePort>): void {
      capture = opened;
      if (waitingPort) opened.reconnect(waitingPort);
      waitingPort = null;
    },
    /**
     * Another worklet goes on with the recording, since the one before was stuck: its frames go to
     * whoever has the session, from the first sample on that is not there.
     */
    reconnect(dictationId: string): void {
      const { port1, port2 } = new MessageChannel();
      capture?.reconnect(port2);
      let framePort: MessagePort | null = port1;
      const given = call(async (api) => {
        const port = framePort;
        framePort = null;
        // A worker that takes over instead gets a port of its own.
        if (port) await api.reconnect(dictationId, Comlink.transfer(port, [port]));
      });
      given.catch(() => {}); // No worker goes on: reported elsewhere.
    },
    /** The worker died; `next` goes on, and gets from the worklet what is not in the journal. */
    moveTo(next: WorkerClient, takeover: DictationTakeover): void {
      const { port1, port2 } = new MessageChannel();
      setOwner(takeOver(next, takeover, port1));
      if (capture) capture.reconnect(port2);
      else waitingPort = port2;
    },
    /** The worker died, and none goes on. */
    giveUp: (error: DikteraError): void => setOwner(Promise.reject(error)),
  };
}
