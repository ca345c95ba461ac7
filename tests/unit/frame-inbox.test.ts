import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInbox, type InboxLag, type InboxTurn } from '../../src/core/audio/frame-inbox.ts';
import { toErrorInfo } from '../../src/core/errors.ts';

/** A promise to be settled by the test. */
function deferred() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** More turns of the microtask queue than any promise chain here is long. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await undefined;
}

/** An inbox of numbers that writes down what happens; `way` says how each item is handled. */
function setUp(
  way: (item: number, turn: InboxTurn) => Promise<void> | void = () => undefined,
  limit = 1_000,
) {
  const events: string[] = [];
  const lags: InboxLag[] = [];
  const inbox = createInbox<number>({
    handle: (item, turn) => {
      events.push(`${item}`);
      return way(item, turn);
    },
    overload: { limit, handle: (item) => events.push(`cheap ${item}`) },
    onLag: (lag) => lags.push(lag),
    onError(error, item) {
      const { code, message } = toErrorInfo(error, 'bad-option');
      events.push(`${item} failed: ${code === 'engine-failed' ? `${code}, ` : ''}${message}`);
    },
  });
  return { events, lags, inbox };
}

test('a turn under way keeps the others waiting, in order, and the lag is counted', async () => {
  const first = deferred();
  const { events, lags, inbox } = setUp((item) => (item === 1 ? first.promise : undefined));
  for (const item of [1, 2, 3]) inbox.push(item);
  expect(events).toEqual(['1']);
  expect(inbox.lag).toEqual({ waiting: 2, maxWaiting: 2 });
  first.resolve();
  await inbox.whenIdle();
  expect(events).toEqual(['1', '2', '3']);
  expect(lags).toEqual([
    { waiting: 1, maxWaiting: 1 },
    { waiting: 2, maxWaiting: 2 },
    { waiting: 0, maxWaiting: 2 },
  ]);
});

test('an item pushed by a handler waits for its turn', () => {
  const { events, inbox } = setUp((item) => {
    if (item === 1) {
      inbox.push(2);
      inbox.push(3);
      events.push('1 done');
    }
  });
  inbox.push(1);
  expect(events).toEqual(['1', '1 done', '2', '3']);
});

test.each<[string, (error: Error) => Promise<void> | void]>([
  [
    'throws',
    (error) => {
      throw error;
    },
  ],
  ['rejects', (error) => Promise.reject(error)],
])('an item whose handler %s is handled cheaply, and the next goes on', async (_how, fail) => {
  const { events, inbox } = setUp((item) => (item === 2 ? fail(new Error('no')) : undefined));
  for (const item of [1, 2, 3]) inbox.push(item);
  await inbox.whenIdle();
  expect(events).toEqual(['1', '2', 'cheap 2', '2 failed: no', '3']);
});

test('a reporter and a cheap handler that throw stop nothing', async () => {
  const handled: number[] = [];
  const inbox = createInbox<number>({
    handle: (item) => {
      handled.push(item);
      throw new Error('handle');
    },
    overload: {
      limit: 5,
      handle: () => {
        throw new Error('overload');
      },
    },
    onError: () => {
      throw new Error('report');
    },
  });
  for (const item of [1, 2, 3]) inbox.push(item);
  await inbox.whenIdle();
  expect(handled).toEqual([1, 2, 3]);
});

test('a turn that never ends is given up, and its late answer is known to be late', async () => {
  const hung = deferred();
  let lateTurn: InboxTurn | undefined;
  const { events, inbox } = setUp((item, turn) => {
    if (item !== 0) return undefined;
    lateTurn = turn;
    return hung.promise;
  }, 3);
  for (const item of [0, 1, 2, 3]) inbox.push(item);
  expect(lateTurn?.isGivenUp).toBe(false);
  expect(events).toEqual(['0']);
  inbox.push(4);
  expect(lateTurn?.isGivenUp).toBe(true);
  const expected = [
    '0',
    'cheap 0',
    '0 failed: engine-failed, No answer while 4 more items arrived',
  ];
  expect(events).toEqual([...expected, 'cheap 1', '2', '3', '4']);
  hung.reject(new Error('late'));
  await inbox.whenIdle();
  inbox.push(5);
  expect(events.slice(-2)).toEqual(['4', '5']);
});

test('the late end of a turn that was given up does not end the next one', async () => {
  const turns = { 0: deferred(), 2: deferred() } as Record<number, ReturnType<typeof deferred>>;
  const { events, inbox } = setUp((item) => turns[item]?.promise, 2);
  for (const item of [0, 1, 2, 3]) inbox.push(item);
  expect(events.at(-1)).toBe('2');
  turns[0]?.resolve();
  await settled();
  expect(events.at(-1)).toBe('2');
  turns[2]?.resolve();
  await inbox.whenIdle();
  expect(events.at(-1)).toBe('3');
});

test('flush handles all that is left, the hung turn first', async () => {
  const hung = deferred();
  const { events, inbox } = setUp((item) => (item === 0 ? hung.promise : undefined));
  for (const item of [0, 1, 2]) inbox.push(item);
  const idle = inbox.whenIdle();
  inbox.flush();
  await idle;
  expect(events).toEqual(['0', 'cheap 0', 'cheap 1', 'cheap 2']);
  expect(inbox.lag.waiting).toBe(0);
  hung.resolve();
  inbox.push(3);
  expect(events.at(-1)).toBe('3');
});

test('flush from within the error report keeps the order', async () => {
  const events: string[] = [];
  const inbox = createInbox<number>({
    handle: () => Promise.reject(new Error('broken')),
    overload: { limit: 10, handle: (item) => events.push(`cheap ${item}`) },
    onError: () => inbox.flush(),
  });
  for (const item of [0, 1, 2]) inbox.push(item);
  await inbox.whenIdle();
  expect(events).toEqual(['cheap 0', 'cheap 1', 'cheap 2']);
});

/** One thing that happens to the inbox in a random story. */
type Action = 'push' | 'settle' | 'fail' | 'flush';

test('in any story each item is handled exactly once, in order, and few wait', async () => {
  const actions = fc.array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constant<Action>('push') },
      { weight: 4, arbitrary: fc.constant<Action>('settle') },
      { weight: 1, arbitrary: fc.constant<Action>('fail') },
      { weight: 1, arbitrary: fc.constantFrom<Action>('flush', 'settle') },
    ),
    { minLength: 10, maxLength: 200, size: 'max' },
  );
  const ways = fc.infiniteStream(fc.constantFrom('sync', 'async', 'throw'));
  await fc.assert(
    fc.asyncProperty(actions, ways, fc.integer({ min: 1, max: 8 }), async (story, way, limit) => {
      const handled: number[] = [];
      const errors: unknown[] = [];
      let underWay = 0;
      let turnEnd = deferred();
      const inbox = createInbox<number>({
        handle: (item, turn) => {
          expect(underWay).toBe(0);
          const kind = way.next().value;
          if (kind === 'throw') throw new Error('no');
          if (kind === 'sync') {
            handled.push(item);
            return undefined;
          }
          underWay++;
          turnEnd = deferred();
          return turnEnd.promise.then(() => {
            if (turn.isGivenUp) return;
            underWay--;
            handled.push(item);
          });
        },
        overload: {
          limit,
          handle: (item) => {
            underWay = 0;
            handled.push(item);
          },
        },
        onError: (error) => errors.push(error),
      });
      let pushed = 0;
      for (const action of story) {
        if (action === 'push') inbox.push(pushed++);
        if (action === 'settle') turnEnd.resolve();
        if (action === 'fail') turnEnd.reject(new Error('no'));
        if (action === 'flush') inbox.flush();
        if (action !== 'push') await settled();
        expect(inbox.lag.waiting).toBeLessThanOrEqual(2 * limit);
      }
      inbox.flush();
      await inbox.close();
      expect(inbox.push(pushed)).toBe(false);
      expect(handled).toEqual(Array.from({ length: pushed }, (_, i) => i));
    }),
    { numRuns: 500, seed: 20_261_121 },
  );
}, 30_000);
