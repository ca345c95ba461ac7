import type { Line, Realm, Scheduler } from '../scheduler.ts';

type Listener = (event: { readonly data: unknown; readonly origin: string }) => void;

/**
 * One end of a channel. Messages are not copied: nothing that is posted is changed afterwards, but
 * for frames, which come back first.
 */
export class FakePort {
  /** Whose it is: who made it, then who got it in a message. */
  realm: Realm | null;
  readonly #scheduler: Scheduler;
  readonly #line: Line = { lastDueMs: 0 };
  readonly #listeners = new Set<Listener>();
  readonly #others: [string, Listener][] = [];
  #peer: FakePort | null = null;
  #held: (() => void)[] | null = [];
  #onmessage: Listener | null = null;

  constructor(scheduler: Scheduler, realm: Realm | null) {
    this.#scheduler = scheduler;
    this.realm = realm;
  }

  static pair(scheduler: Scheduler, one: Realm | null, other: Realm | null): [FakePort, FakePort] {
    const ports: [FakePort, FakePort] = [
      new FakePort(scheduler, one),
      new FakePort(scheduler, other),
    ];
    ports[0].#peer = ports[1];
    ports[1].#peer = ports[0];
    return ports;
  }

  set onmessage(listener: Listener | null) {
    this.#onmessage = listener;
    this.start();
  }

  postMessage(data: unknown, transferred: readonly unknown[] = []): void {
    // Comlink's, when a proxy is collected: no story hangs on when that is.
    if (Object(data).type === 'RELEASE') return;
    const peer = this.#peer;
    if (!peer) return;
    const deliver = (): void => {
      this.#scheduler.soon(
        peer,
        () => {
          for (const port of transferred) if (port instanceof FakePort) port.realm = peer.realm;
          peer.#dispatch(data);
        },
        peer.#line,
      );
    };
    if (peer.#held) peer.#held.push(deliver);
    else deliver();
  }

  start(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const deliver of held) deliver();
  }

  close(): void {
    if (this.#peer) this.#peer.#peer = null;
    this.#peer = null;
  }

  addEventListener(type: string, listener: Listener): void {
    if (type === 'message') this.#listeners.add(listener);
    else this.#others.push([type, listener]);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Dispatches an event that is no message: an error. */
  tell(type: string, event: object): void {
    for (const [wanted, listener] of this.#others) {
      if (wanted === type) listener({ data: null, origin: '', ...event });
    }
  }

  #dispatch(data: unknown): void {
    if (!this.#peer) return;
    const event = { data, origin: '' };
    this.#onmessage?.(event);
    for (const listener of [...this.#listeners]) listener(event);
  }
}

/** The BroadcastChannels of one browser. */
export type Channels = {
  open(name: string): FakeChannel;
};

/** A channel as far as it is used here. */
export type FakeChannel = {
  postMessage(data: unknown): void;
  addEventListener(type: string, listener: Listener, options?: { signal: AbortSignal }): void;
  close(): void;
};

export function createChannels(scheduler: Scheduler): Channels {
  type Member = { readonly name: string; readonly realm: Realm | null; hear: Listener | null };
  const members = new Set<Member>();
  return {
    open(name) {
      const own: Member = { name, realm: scheduler.current, hear: null };
      const line: Line = { lastDueMs: 0 };
      members.add(own);
      own.realm?.onDeath.push(() => members.delete(own));
      return {
        postMessage(data) {
          for (const other of members) {
            if (other === own || other.name !== name) continue;
            scheduler.soon(other, () => other.hear?.({ data, origin: '' }), line);
          }
        },
        addEventListener(_type, listener, options) {
          own.hear = listener;
          options?.signal.addEventListener('abort', () => {
            own.hear = null;
          });
        },
        close: () => void members.delete(own),
      };
    },
  };
}
