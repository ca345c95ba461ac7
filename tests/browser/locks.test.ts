import { expect, test, vi } from 'vitest';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { hasOtherBuilds, holdInUse, whileNoneInUse } from '../../src/platform/build-locks.ts';
import {
  createDictationLocks,
  createVisibleTabs,
  holdOpen,
  holdPlace,
  inheritClaim,
  isPlaceHeld,
  openDictationIds,
  takeClaim,
  takeTurnToSend,
  watchLife,
} from '../../src/platform/locks.ts';
import { blobUrl } from '../helpers/capture-edges.ts';
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
  const dictationId = crypto.randomUUID();
  const locks = createDictationLocks(browserClock);
  const realm = await realmHolding(`diktera:session:${dictationId}`);
  expect(await locks.isOrphan(dictationId)).toBe(false);
  expect(await locks.take(dictationId)).toBeUndefined();

  realm.terminate();
  await expect.poll(() => locks.isOrphan(dictationId)).toBe(true);
  const others = [locks, createDictationLocks(browserClock), createDictationLocks(browserClock)];
  const taken = await Promise.all(others.map((other) => other.take(dictationId)));
  const releases = taken.filter((release) => release !== undefined);
  expect(releases).toHaveLength(1);
  expect(await others[2]?.isOrphan(dictationId)).toBe(false);

  releases[0]?.();
  releases[0]?.();
  await expect.poll(() => others[2]?.isOrphan(dictationId)).toBe(true);
});

const ever = new AbortController().signal;
const plain = { isStolen: false, onLost: () => {} };

test('the turn to send can be taken from a realm that keeps it, which is told', async () => {
  const onLost = vi.fn();
  const kept = await takeTurnToSend('', ever, { ...plain, onLost });
  expect(kept).toBeDefined();
  const release = await takeTurnToSend('', ever, { ...plain, isStolen: true });
  expect(release).toBeDefined();
  await expect.poll(() => onLost.mock.calls.length).toBe(1);
  await kept?.();
  const onTaken = vi.fn((given) => given);
  const next = takeTurnToSend('', ever, plain).then(onTaken);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(onTaken, 'what was lost is not given back twice').not.toHaveBeenCalled();
  await release?.();
  await (await next)?.();
  expect(onLost).toHaveBeenCalledTimes(1);
});

test('sending passes on when the tab that sends gives its turn back or dies', async () => {
  const realm = await realmHolding('diktera:sender');
  const stop = new AbortController();
  const stopped = takeTurnToSend('', stop.signal, plain);
  const turns: string[] = [];
  const [first, second] = ['first', 'second'].map((name) =>
    takeTurnToSend('', ever, plain).then((release) => {
      turns.push(name);
      return release;
    }),
  );
  stop.abort();
  expect(await stopped).toBeUndefined();
  expect(await takeTurnToSend('', stop.signal, plain)).toBeUndefined();
  expect(turns).toEqual([]);

  realm.terminate();
  const release = await first;
  expect(turns).toEqual(['first']);
  await release?.();
  await (await second)?.();
  expect(turns).toEqual(['first', 'second']);
});

test('without locks, or where they are refused, there is one tab', async () => {
  const refused = {
    request: () => Promise.reject(new DOMException('no', 'SecurityError')),
    query: () => Promise.reject(new DOMException('no', 'SecurityError')),
  } as unknown as LockManager;
  // An insecure page's is undefined, which as an argument would stand for this page's.
  const none = null as unknown as LockManager;
  for (const manager of [none, refused]) {
    const locks = createDictationLocks(browserClock, manager);
    expect(await locks.isOrphan('s')).toBe(true);
    const release = await locks.take('s');
    expect(await locks.isOrphan('s')).toBe(false);
    expect(await locks.take('s')).toBeUndefined();
    release?.();
    expect(await locks.isOrphan('s')).toBe(true);
    const claim = await takeClaim('s', browserClock, manager);
    expect(claim).toBeDefined();
    await claim?.();
    expect(await takeTurnToSend('', ever, plain, manager)).toBeDefined();
    const place = holdPlace('s', manager);
    await place.held;
    expect(await isPlaceHeld('s', manager)).toBe(false);
    await place.release();
    await holdOpen('s', manager)();
    await inheritClaim('s', manager)();
    expect(await openDictationIds(manager)).toEqual([]);
    const visible = createVisibleTabs(manager);
    expect(await visible.isAny()).toBe(false);
    visible.set(true);
    expect(await visible.isAny()).toBe(true);
    // Nobody knows of other pages: files may be theirs, and no build is taken over their heads.
    expect(await hasOtherBuilds('one', manager)).toBe(true);
    const act = vi.fn(async () => {});
    await whileNoneInUse(act, manager);
    expect(act).not.toHaveBeenCalled();
    const onDeath = vi.fn();
    watchLife(async () => {}, onDeath, manager);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(onDeath, 'no lock tells of a death').not.toHaveBeenCalled();
  }
});

test('a session whose worker died is nobody else’s while its page has it open', async () => {
  const dictationId = crypto.randomUUID();
  const other = createDictationLocks(browserClock);
  const release = holdOpen(dictationId);
  await expect.poll(() => other.isOrphan(dictationId)).toBe(false);
  expect(await other.takeOrphan(dictationId)).toBeUndefined();
  // The page's next worker takes it all the same.
  const own = createDictationLocks(browserClock);
  const releaseOwn = await own.take(dictationId);
  expect(releaseOwn).toBeDefined();
  releaseOwn?.();
  release();
  await expect.poll(() => other.isOrphan(dictationId)).toBe(true);
  (await other.takeOrphan(dictationId))?.();
});

test('a lock manager that never answers: nothing is taken, nothing is an orphan, and nobody waits', async () => {
  const never = () => new Promise<never>(() => {});
  const clock = createFakeClock();
  const silent = { request: never, query: never } as unknown as LockManager;
  const locks = createDictationLocks(clock, silent);
  const asked = Promise.all([
    locks.isOrphan('s'),
    locks.take('t'),
    locks.takeOrphan('u'),
    takeClaim('s', clock, silent),
  ]);
  await clock.advance(5_000);
  expect(await asked).toEqual([false, undefined, undefined, undefined]);
});

test('a lock that comes after its deadline is given back', async () => {
  const clock = createFakeClock();
  let grant: ((lock: object) => unknown) | undefined;
  const slow = {
    request: (_name: string, _options: object, given: typeof grant) => {
      grant = given;
      return new Promise(() => {});
    },
  } as unknown as LockManager;
  const taken = takeClaim('s', clock, slow);
  await clock.advance(5_000);
  expect(await taken).toBeUndefined();
  expect(grant?.({}), 'nothing is waited for').toBeUndefined();
});

test('the page has the claim when the worker that inserts dies, and nobody else has', async () => {
  const dictationId = crypto.randomUUID();
  const worker = await realmHolding(`diktera:claim:${dictationId}`);
  const end = inheritClaim(dictationId);
  worker.terminate();
  await expect
    .poll(async () => (await navigator.locks.query()).pending?.map(({ name }) => name))
    .not.toContain(`diktera:claim:${dictationId}`);
  expect(await takeClaim(dictationId, browserClock)).toBeUndefined();
  await end();
  await (await takeClaim(dictationId, browserClock))?.();
});

test('places and open dictations are known to all, until they are let go', async () => {
  const open = crypto.randomUUID();
  const placed = crypto.randomUUID();
  const release = holdOpen(open);
  const places = [holdPlace(placed), holdPlace(placed)];
  await Promise.all(places.map(({ held }) => held));
  expect(await openDictationIds()).toEqual(expect.arrayContaining([open, placed]));
  await places[0]?.release();
  expect(await isPlaceHeld(placed)).toBe(true);
  await places[1]?.release();
  await release();
  expect(await isPlaceHeld(placed)).toBe(false);
  expect(await openDictationIds()).not.toContain(open);
});

test('nothing is done while a page is in use', async () => {
  const release = holdInUse();
  const act = vi.fn(async () => {});
  await whileNoneInUse(act);
  expect(act).not.toHaveBeenCalled();
  await release();
  await whileNoneInUse(act);
  expect(act).toHaveBeenCalledTimes(1);
});

/** A worker that holds the lock it is told of, and says when it has it. */
function newHolder() {
  const script = `onmessage = ({ data }) =>
    navigator.locks.request(data, () => { postMessage('held'); return new Promise(() => {}); });`;
  const worker = new Worker(blobUrl(script, 'text/javascript'));
  const hold = (name: string) =>
    new Promise<void>((resolve) => {
      worker.onmessage = () => resolve();
      worker.postMessage(name);
    });
  return { worker, hold };
}

test('a worker that is terminated is known to be dead at once, and one that lives is not', async () => {
  const [dying, living] = [newHolder(), newHolder()];
  const [onDeath, onOther] = [vi.fn(), vi.fn()];
  const held = vi.fn(dying.hold);
  watchLife(held, onDeath);
  const stop = watchLife(living.hold, onOther);
  await held.mock.results[0]?.value;
  dying.worker.terminate();
  await expect.poll(() => onDeath.mock.calls.length).toBe(1);
  expect(onOther).not.toHaveBeenCalled();
  stop();
  living.worker.terminate();
});

test('a watch that has ended says nothing', async () => {
  const { worker, hold } = newHolder();
  const onDeath = vi.fn();
  let name = '';
  const stop = watchLife((given) => {
    name = given;
    return hold(given);
  }, onDeath);
  await expect
    .poll(async () => (await navigator.locks.query()).held?.map((lock) => lock.name))
    .toContain(name);
  stop();
  worker.terminate();
  // The lock is free, and nobody of ours waits for it.
  await navigator.locks.request(name, () => {});
  expect(onDeath).not.toHaveBeenCalled();
});
