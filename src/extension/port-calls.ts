import { createDeferred, type Deferred } from '../core/async.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';

/** A function of the other side. Its answer rejects when the port ends first. */
export type FarFunction = (...args: readonly unknown[]) => Promise<unknown>;

/** Messages of a port: calls by name, calls of functions passed as arguments, and answers. */
type Message =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly name: string;
      readonly args: readonly unknown[];
    }
  | {
      readonly kind: 'apply';
      readonly id: number;
      readonly of: number;
      readonly args: readonly unknown[];
    }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: ErrorInfo }
  | { readonly kind: 'abort'; readonly signal: number }
  | { readonly kind: 'told'; readonly value: unknown };

/** A value that JSON has not: Chrome's ports carry nothing else. */
type Packed =
  | { readonly $: 'nothing' }
  | { readonly $: 'map'; readonly of: readonly unknown[] }
  | { readonly $: 'bytes'; readonly of: string }
  | { readonly $: 'function'; readonly of: number }
  | { readonly $: 'signal'; readonly of: number; readonly isAborted: boolean };

/** Bytes put into a string at a time: more arguments than that are too many for one call. */
const BYTES_AT_ONCE = 32_768;

type Ways = {
  /** Carries out a call of the other side. */
  readonly handle: (name: string, args: readonly unknown[]) => unknown;
  /** Hears what the other side tells without waiting for an answer. */
  readonly hear: (value: unknown) => void;
  /** Called once, when the other side is gone. */
  readonly onEnd: () => void;
};

/**
 * Calls through a port of `chrome.runtime`, both ways. Values may hold maps, bytes, functions
 * (called on the side they came from) and abort signals. Calls without an answer when the port ends
 * reject with `worker-crashed`.
 */
export function connectCalls(port: chrome.runtime.Port, ways: Ways) {
  let ids = 0;
  let isOver = false;
  const waiting = new Map<number, Deferred<unknown>>();
  const functions = new Map<number, (...args: readonly unknown[]) => unknown>();
  const farSignals = new Map<number, AbortController>();

  const gone = (): DikteraError => new DikteraError('worker-crashed', 'The other side is gone');

  function send(message: Message): void {
    if (!isOver) port.postMessage(message);
  }

  function asked(message: (id: number) => Message): Promise<unknown> {
    if (isOver) return Promise.reject(gone());
    ids += 1;
    const answer = createDeferred<unknown>();
    waiting.set(ids, answer);
    try {
      send(message(ids));
    } catch (error) {
      // Too large for a message, or the port has just gone.
      waiting.delete(ids);
      return Promise.reject(error);
    }
    return answer.promise;
  }

  function pack(value: unknown): unknown {
    if (typeof value === 'function') {
      ids += 1;
      functions.set(ids, value as (...args: readonly unknown[]) => unknown);
      return { $: 'function', of: ids } satisfies Packed;
    }
    // A message would turn `undefined` into null.
    if (value === undefined) return { $: 'nothing' } satisfies Packed;
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof Map)
      return { $: 'map', of: [...value].map((entry) => entry.map(pack)) } satisfies Packed;
    if (value instanceof ArrayBuffer) return { $: 'bytes', of: toBase64(value) } satisfies Packed;
    if (value instanceof AbortSignal) {
      ids += 1;
      const signal = ids;
      value.addEventListener('abort', () => send({ kind: 'abort', signal }), { once: true });
      return { $: 'signal', of: signal, isAborted: value.aborted } satisfies Packed;
    }
    if (Array.isArray(value)) return value.map(pack);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, pack(each)]));
  }

  function unpack(value: unknown): unknown {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(unpack);
    if ('$' in value) return unpackOne(value as Packed);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unpack(each)]));
  }

  function unpackOne(packed: Packed): unknown {
    switch (packed.$) {
      case 'nothing':
        return undefined;
      case 'map':
        return new Map(packed.of.map((entry) => unpack(entry) as [unknown, unknown]));
      case 'bytes':
        return fromBase64(packed.of);
      case 'function': {
        const { of } = packed;
        const far: FarFunction = (...args) =>
          asked((id) => ({ kind: 'apply', id, of, args: args.map(pack) }));
        return far;
      }
      case 'signal': {
        const controller = new AbortController();
        if (packed.isAborted) controller.abort();
        else farSignals.set(packed.of, controller);
        return controller.signal;
      }
    }
  }

  async function answer(id: number, work: () => unknown): Promise<void> {
    try {
      send({ kind: 'answer', id, value: pack(await work()) });
    } catch (error) {
      send({ kind: 'failure', id, error: toErrorInfo(error, 'worker-crashed') });
    }
  }

  function receive(message: Message): void {
    switch (message.kind) {
      case 'call':
        return void answer(message.id, () => ways.handle(message.name, message.args.map(unpack)));
      case 'apply':
        return void answer(message.id, () =>
          functions.get(message.of)?.(...message.args.map(unpack)),
        );
      case 'answer':
        waiting.get(message.id)?.resolve(unpack(message.value));
        return void waiting.delete(message.id);
      case 'failure': {
        const { code, message: text } = message.error;
        waiting.get(message.id)?.reject(new DikteraError(code, text));
        return void waiting.delete(message.id);
      }
      case 'abort':
        farSignals.get(message.signal)?.abort();
        return void farSignals.delete(message.signal);
      case 'told':
        ways.hear(unpack(message.value));
    }
  }

  function end(): void {
    if (isOver) return;
    isOver = true;
    for (const { reject } of waiting.values()) reject(gone());
    // Texts in transit must not be inserted any more: the other side offers them again.
    for (const controller of farSignals.values()) controller.abort();
    waiting.clear();
    functions.clear();
    farSignals.clear();
    ways.onEnd();
  }

  port.onMessage.addListener((message) => receive(message as Message));
  port.onDisconnect.addListener(end);

  return {
    call: (name: string, ...args: readonly unknown[]): Promise<unknown> =>
      asked((id) => ({ kind: 'call', id, name, args: args.map(pack) })),
    tell: (value: unknown): void => send({ kind: 'told', value: pack(value) }),
  };
}

function toBase64(bytes: ArrayBuffer): string {
  const all = new Uint8Array(bytes);
  let text = '';
  for (let at = 0; at < all.length; at += BYTES_AT_ONCE)
    text += String.fromCharCode(...all.subarray(at, at + BYTES_AT_ONCE));
  return btoa(text);
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
}
