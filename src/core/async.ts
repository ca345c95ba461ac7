import type { Clock } from './clock.ts';

/** The part of an `AbortSignal` that is used here: this room knows no realm's globals. */
type Abort = {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/** A promise and the means to settle it; `Promise.withResolvers` is too young for our browsers. */
export type Deferred<T> = {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
};

/** A promise to be settled from outside; settling it again does nothing. */
export function createDeferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/**
 * Fulfilled after `delayMs` on the given clock, or as soon as `signal` is aborted. Never rejects.
 */
export function sleep(clock: Clock, delayMs: number, signal?: Abort): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    signal?.addEventListener('abort', finish);
  });
}

/**
 * Settles as `promise` does, unless `signal` is aborted first: then it rejects with the signal's
 * reason, also where the work behind the promise takes no notice of the signal.
 */
export function untilAborted<T>(promise: Promise<T>, signal: Abort): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlisten = (): void => signal.removeEventListener('abort', abort);
    const abort = (): void => {
      unlisten();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(unlisten);
  });
}
