import { BROWSER, type Owner, type Realm, type Scheduler } from '../scheduler.ts';

type Grant = (lock: { readonly name: string } | null) => unknown;

type Request = {
  readonly name: string;
  readonly mode: LockMode;
  readonly realm: Realm | null;
  readonly grant: Grant;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
};

/** Web Locks of one browser, as far as they are used here. */
export type FakeLocks = Pick<LockManager, 'request' | 'query'> & {
  /** The holders of a lock. */
  holders(name: string): readonly (Realm | null)[];
};

/** A worker that is ended while it hangs lets go of its locks so much later at most. */
const LATE_RELEASE_MS = 2_000;

/** Makes the locks; each realm's go with it. */
export function createLocks(scheduler: Scheduler): FakeLocks {
  const held = new Map<string, Set<Request>>();
  const waiting = new Map<string, Request[]>();
  const watched = new WeakSet<Realm>();

  function heldOf(name: string): Set<Request> {
    const found = held.get(name) ?? new Set();
    held.set(name, found);
    return found;
  }

  function waitingOf(name: string): Request[] {
    const found = waiting.get(name) ?? [];
    waiting.set(name, found);
    return found;
  }

  function isFree(request: Request): boolean {
    const holders = [...heldOf(request.name)];
    return holders.length === 0 || [...holders, request].every(({ mode }) => mode === 'shared');
  }

  function pump(name: string): void {
    const line = waitingOf(name);
    while (line[0] && isFree(line[0])) give(line.shift() as Request);
  }

  function give(request: Request): void {
    const holders = heldOf(request.name);
    holders.add(request);
    scheduler.soon(request, () => {
      const release = (settle: () => void): void => {
        if (!holders.delete(request)) return;
        settle();
        scheduler.soon(BROWSER, () => pump(request.name));
      };
      if (!holders.has(request)) return;
      Promise.resolve(request.grant({ name: request.name })).then(
        (value) => release(() => request.resolve(value)),
        (error) => release(() => request.reject(error)),
      );
    });
  }

  function steal(request: Request): void {
    const holders = heldOf(request.name);
    for (const former of holders) {
      holders.delete(former);
      const stolen = new DOMException('Stolen', 'AbortError');
      scheduler.soon(former, () => former.reject(stolen));
    }
    give(request);
  }

  /** All that a dead realm has and waits for. */
  function forget(realm: Realm): void {
    const delayMs = realm.isFrozen ? scheduler.random() * LATE_RELEASE_MS : scheduler.random() * 5;
    scheduler.after(delayMs, BROWSER, () => {
      for (const holders of held.values()) {
        for (const request of holders) if (request.realm === realm) holders.delete(request);
      }
      for (const [name, line] of waiting) {
        waiting.set(
          name,
          line.filter((request) => request.realm !== realm),
        );
      }
      for (const name of new Set([...held.keys(), ...waiting.keys()])) pump(name);
    });
  }

  function watch(realm: Realm | null): Owner {
    if (realm && !watched.has(realm)) {
      watched.add(realm);
      realm.onDeath.push(() => forget(realm));
    }
    return { realm };
  }

  function request(name: string, options: LockOptions, grant: Grant): Promise<unknown> {
    const owner = watch(scheduler.current);
    return new Promise((resolve, reject) => {
      const mode = options.mode ?? 'exclusive';
      const own: Request = { name, mode, realm: owner.realm, grant, resolve, reject };
      const { signal } = options;
      signal?.addEventListener('abort', () => {
        const line = waitingOf(name);
        const index = line.indexOf(own);
        if (index >= 0) line.splice(index, 1);
        if (!heldOf(name).has(own)) reject(signal.reason);
      });
      scheduler.soon(BROWSER, () => {
        if (signal?.aborted || owner.realm?.isDead) return;
        if (options.steal) return steal(own);
        if (options.ifAvailable && (waitingOf(name).length > 0 || !isFree(own))) {
          scheduler.soon(owner, () => Promise.resolve(grant(null)).then(resolve, reject));
          return;
        }
        waitingOf(name).push(own);
        pump(name);
      });
    });
  }

  return {
    holders: (name) => [...(held.get(name) ?? [])].map(({ realm }) => realm),
    request: ((name: string, ...rest: [LockOptions, Grant] | [Grant]) =>
      rest.length === 1
        ? request(name, {}, rest[0])
        : request(name, ...rest)) as LockManager['request'],
    query() {
      const owner = watch(scheduler.current);
      return new Promise((resolve) => {
        scheduler.soon(BROWSER, () => {
          const names = [...held].flatMap(([name, holders]) => [...holders].map(() => ({ name })));
          scheduler.soon(owner, () => resolve({ held: names, pending: [] }));
        });
      });
    },
  };
}
