import { expect, test } from 'vitest';
import { holdPageLock } from '../../src/client/page-lock.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { takeClaim } from '../../workers/store/claim-lock.ts';
import { createDrainLock } from '../../workers/store/drain-lock.ts';
import { createSessionLocks } from '../../workers/store/session-lock.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

/** A realm of its own that takes a lock and keeps it until it is terminated. */
async function realmHolding(name: string): Promise<Worker> {
  const source = `navigator.locks.request(${JSON.stringify(name)}, () => {
    postMessage('held');
    return new Promise(() => {});
  });`;
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  await new Promise((resolve) => {
    worker.onmessage = resolve;
  });
  return worker;
}

test('a session is an orphan once its realm has died, and one alone recovers it', async () => {
  const sessionId = crypto.randomUUID();
  const locks = createSessionLocks(navigator.locks, browserClock);
  const realm = await realmHolding(`diktera:session:${sessionId}`);
  expect(await locks.isOrphan(sessionId)).toBe(false);
  expect(await locks.take(sessionId)).toBeUndefined();

  realm.terminate();
  await expect.poll(() => locks.isOrphan(sessionId)).toBe(true);
  const others = [
    locks,
    createSessionLocks(navigator.locks, browserClock),
    createSessionLocks(navigator.locks, browserClock),
  ];
  const taken = await Promise.all(others.map((other) => other.take(sessionId)));
  const releases = taken.filter((release) => release !== undefined);
  expect(releases).toHaveLength(1);
  expect(await others[2]?.isOrphan(sessionId)).toBe(false);

  releases[0]?.();
  releases[0]?.();
  await expect.poll(() => others[2]?.isOrphan(sessionId)).toBe(true);
});

test('the turn to drain can be taken from a realm that keeps it, which is told', async () => {
  let isLost = false;
  const kept = await createDrainLock(navigator.locks).take(undefined, {
    onLost: () => {
      isLost = true;
    },
  });
  expect(kept).toBeDefined();
  const release = await createDrainLock(navigator.locks).take(undefined, { isStolen: true });
  expect(release).toBeDefined();
  await expect.poll(() => isLost).toBe(true);
  kept?.();
  let isTaken = false;
  const next = createDrainLock(navigator.locks)
    .take()
    .then((given) => {
      isTaken = true;
      return given;
    });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(isTaken, 'what was lost is not given back twice').toBe(false);
  release?.();
  (await next)?.();
});

test('draining passes on when the tab that drains gives it back or dies', async () => {
  const realm = await realmHolding('diktera:sender');
  const drain = createDrainLock(navigator.locks);
  const stop = new AbortController();
  const stopped = drain.take(stop.signal);
  const turns: string[] = [];
  const first = drain.take().then((release) => {
    turns.push('first');
    return release;
  });
  const second = createDrainLock(navigator.locks)
    .take()
    .then((release) => {
      turns.push('second');
      return release;
    });
  stop.abort();
  expect(await stopped).toBeUndefined();
  expect(await drain.take(stop.signal)).toBeUndefined();
  expect(turns).toEqual([]);

  realm.terminate();
  const release = await first;
  expect(turns).toEqual(['first']);
  release?.();
  (await second)?.();
  expect(turns).toEqual(['first', 'second']);
});

test('without locks, or where they are refused, there is one tab', async () => {
  const refused = {
    request: () => Promise.reject(new DOMException('no', 'SecurityError')),
    query: () => Promise.reject(new DOMException('no', 'SecurityError')),
  } as unknown as LockManager;
  for (const manager of [undefined, refused]) {
    const locks = createSessionLocks(manager, browserClock);
    expect(await locks.isOrphan('s')).toBe(true);
    const release = await locks.take('s');
    expect(await locks.isOrphan('s')).toBe(false);
    expect(await locks.take('s')).toBeUndefined();
    release?.();
    expect(await locks.isOrphan('s')).toBe(true);
    (await createDrainLock(manager).take())?.();
  }
});

test('a session whose worker died is nobody else’s while its page has it open', async () => {
  const sessionId = crypto.randomUUID();
  const other = createSessionLocks(navigator.locks, browserClock);
  const release = holdPageLock(sessionId);
  await expect.poll(() => other.isOrphan(sessionId)).toBe(false);
  expect(await other.takeOrphan(sessionId)).toBeUndefined();
  // The page's next worker takes it all the same.
  const own = createSessionLocks(navigator.locks, browserClock);
  const releaseOwn = await own.take(sessionId);
  expect(releaseOwn).toBeDefined();
  releaseOwn?.();
  release();
  await expect.poll(() => other.isOrphan(sessionId)).toBe(true);
  (await other.takeOrphan(sessionId))?.();
});

test('a lock manager that never answers: nothing is taken, nothing is an orphan, and nobody waits', async () => {
  const never = () => new Promise<never>(() => {});
  const clock = createFakeClock();
  const silent = { request: never, query: never } as unknown as LockManager;
  const locks = createSessionLocks(silent, clock);
  const asked = Promise.all([
    locks.isOrphan('s'),
    locks.take('t'),
    locks.takeOrphan('u'),
    takeClaim(silent, 's', clock),
  ]);
  await clock.advance(5_000);
  expect(await asked).toEqual([false, undefined, undefined, undefined]);
});
