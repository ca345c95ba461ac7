import type { Scheduler } from '../scheduler.ts';
import { type Disk, FakeKeyRange, FakeRequest } from './database.ts';
import type { FakeLocks } from './locks.ts';
import { type Channels, FakePort } from './ports.ts';
import { FakeBlob, FakeForm } from './server.ts';

/** The browser that the running story is played in. */
export type Globals = {
  readonly scheduler: Scheduler;
  readonly disk: Disk;
  readonly locks: FakeLocks;
  readonly channels: Channels;
  readonly fetch: typeof globalThis.fetch;
  /** Told what a page or a worker writes to its console. */
  readonly onConsole: (...line: readonly unknown[]) => void;
};

const NAMES = [
  'indexedDB',
  'IDBKeyRange',
  'IDBRequest',
  'navigator',
  'BroadcastChannel',
  'MessageChannel',
  'FormData',
  'Blob',
  'Response',
  'Notification',
  'fetch',
  'console',
  'Intl',
] as const;

/** As in WebKit, nobody gets the bytes of a form: it is sent as it is. */
class FormOfNoBytes {
  arrayBuffer(): Promise<never> {
    return Promise.reject(new TypeError('No bytes'));
  }
}

/** A worker loads what the browser knows of languages, which takes its time. */
class Nothing {}

/**
 * Puts a made browser in the place of node's globals; which realm asks is known by whose task runs.
 * The answer takes it away.
 */
export function installGlobals(globals: Globals): () => void {
  const { scheduler, disk, locks, channels, fetch, onConsole } = globals;
  const made: Record<(typeof NAMES)[number], unknown> = {
    indexedDB: disk.factory,
    IDBKeyRange: FakeKeyRange,
    IDBRequest: FakeRequest,
    navigator: { locks, storage: { estimate: async () => ({ quota: 1e12, usage: 0 }) } },
    BroadcastChannel: function BroadcastChannel(name: string) {
      return channels.open(name);
    },
    MessageChannel: function MessageChannel() {
      const { current } = scheduler;
      const [port1, port2] = FakePort.pair(scheduler, current, current);
      return { port1, port2 };
    },
    FormData: FakeForm,
    Blob: FakeBlob,
    Response: FormOfNoBytes,
    Notification: { permission: 'default' },
    fetch,
    Intl: Object.assign(Object.create(Intl), { NumberFormat: Nothing, DateTimeFormat: Nothing }),
    console: { ...console, error: onConsole, warn: onConsole },
  };
  const before = NAMES.map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const name of NAMES) {
    Object.defineProperty(globalThis, name, {
      value: made[name],
      configurable: true,
      writable: true,
    });
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  };
}
