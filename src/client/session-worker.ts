import * as Comlink from 'comlink';
import type { CaptureHandle } from '../core/contracts/capture-port.ts';
import type { SessionTakeover } from '../core/contracts/worker-api.ts';
import { DikteraError, type ErrorInfo } from '../core/errors.ts';
import type { WorkerClient } from './worker-client.ts';

/** What can be asked of the worker that has a session. */
export type Ask<T> = (api: WorkerClient['api']) => Promise<T>;

/**
 * A session's worker, whichever it is just now: when one dies, the next goes on with the session.
 */
export type SessionWorker = {
  /**
   * Asks the session's worker; if it dies before it answers, the one that goes on with the session.
   * So what is asked must be harmless when done twice. Rejects when no worker goes on.
   */
  call<T>(ask: Ask<T>): Promise<T>;
  /** The microphone is open: its frames go to whoever has the session. */
  attach(capture: CaptureHandle<MessagePort>): void;
  /** The worker died; `next` goes on, and gets from the worklet what is not in the journal. */
  moveTo(next: WorkerClient, takeover: SessionTakeover): void;
  /** The worker died, and none goes on. */
  giveUp(error: DikteraError): void;
};

export type SessionWorkerPorts = {
  /**
   * Gives the worker that begins the session; called when it is first asked, so that a microphone
   * can be opened before.
   */
  readonly first: () => WorkerClient;
  /** Told when a worker could not go on with the session. */
  readonly onRefused: (refusal: ErrorInfo) => void;
};

/** Makes a session's worker; nobody has the session until somebody is asked for the first time. */
export function createSessionWorker({ first, onRefused }: SessionWorkerPorts): SessionWorker {
  let owner: Promise<WorkerClient> | null = null;
  /**
   * The same once it is known who, so that asking need not wait: what is asked first is sent first.
   */
  let known: WorkerClient | null = null;
  let capture: CaptureHandle<MessagePort> | null = null;
  /** The port of a worker that took over before the microphone was open. */
  let waitingPort: MessagePort | null = null;

  async function takeOver(
    next: WorkerClient,
    takeover: SessionTakeover,
    framePort: MessagePort,
  ): Promise<WorkerClient> {
    const given = Comlink.transfer(framePort, [framePort]);
    const refusal = await next.call(next.api.takeOver(takeover, given));
    if (!refusal) return next;
    onRefused(refusal);
    throw new DikteraError(refusal.code, refusal.message);
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

  /** The worker that has the session, or is about to get it. */
  function current(): Promise<WorkerClient> {
    if (owner !== null) return owner;
    known = first();
    owner = Promise.resolve(known);
    return owner;
  }

  return {
    async call(ask) {
      for (;;) {
        const asked = current();
        try {
          const { api, call } = known ?? (await asked);
          return await call(ask(api));
        } catch (error) {
          // If another has taken over meanwhile, that one is asked.
          if (asked === owner) throw error;
        }
      }
    },
    attach(opened) {
      capture = opened;
      if (waitingPort) opened.reconnect(waitingPort);
      waitingPort = null;
    },
    moveTo(next, takeover) {
      const { port1, port2 } = new MessageChannel();
      setOwner(takeOver(next, takeover, port1));
      if (capture) capture.reconnect(port2);
      else waitingPort = port2;
    },
    giveUp: (error) => setOwner(Promise.reject(error)),
  };
}
