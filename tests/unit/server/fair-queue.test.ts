import { describe, expect, test } from 'vitest';
import {
  createWorkQueue,
  type Rank,
  type Turn,
  type WorkQueue,
} from '../../../server/scheduling/work-queue.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';

describe('finals', () => {
  const clock = createFakeClock();
  const never = new AbortController().signal;

  /** A task that runs until the test ends it. */
  type HeldTask = { readonly turn: Turn; end(): void };

  /** Tasks in the hands of the test, by the name they were sent under. */
  function heldTasks(queue: WorkQueue) {
    const begun = new Map<string, HeldTask>();
    const order: string[] = [];
    const refused: string[] = [];
    function send(client: string, name: string): Promise<void> {
      const run = (turn: Turn) =>
        new Promise<void>((end) => {
          order.push(name);
          begun.set(name, { turn, end });
        });
      return queue.run(client, run, never).catch((error) => {
        refused.push(`${name} ${error.code}`);
      });
    }
    /** Ends a task that cost so much, and lets what follows happen. */
    async function end(name: string, costMs = 0): Promise<void> {
      begun.get(name)?.turn.charge(costMs);
      begun.get(name)?.end();
      begun.delete(name);
      await settled();
    }
    /** Ends the one that has run longest; `costMs` says what it cost. */
    async function endOldest(costMs: (name: string) => number): Promise<void> {
      const [name = ''] = begun.keys();
      await end(name, costMs(name));
    }
    return { begun, order, refused, send, end, endOldest };
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  /**
   * Recordings of as many clients, each charged when it is decoded, as the server does, and worked on
   * in `count` pieces. `pieces` says whose have been done, in order.
   */
  function longRecordings(queue: WorkQueue, clients: number, count: number) {
    const pieces: string[] = [];
    const task = async (turn: Turn) => {
      await settled();
      // No two cost the same.
      turn.charge(15_000 + 100 * Number(turn.client.at(-1)));
      await turn.pause();
      for (let piece = 0; piece < count; piece++) {
        await settled();
        pieces.push(turn.client);
        await turn.pause();
      }
    };
    const sent = Array.from({ length: clients }, (_, index) =>
      queue.run(`long ${index}`, task, never),
    );
    return { sent, pieces };
  }

  async function untilDone(pieces: readonly string[], count: number): Promise<void> {
    while (pieces.length < count) await settled();
  }

  describe('turns', () => {
    test('a client with one task waits for one turn of a client with fifty, not for fifty', async () => {
      const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 100 });
      const { order, send, endOldest } = heldTasks(queue);
      void send('few', 'few 0');
      await settled();
      for (let index = 0; index < 50; index++) void send('many', `many ${index}`);
      for (let index = 1; index < 4; index++) void send('few', `few ${index}`);
      await settled();
      while (!order.includes('few 3')) await endOldest(() => 1_000);
      expect(order.filter((name) => name.startsWith('many')).length).toBeLessThanOrEqual(4);
    });

    test('go by what tasks cost: ten cheap ones for one that cost ten times as much', async () => {
      const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 1_000 });
      const { order, send, endOldest } = heldTasks(queue);
      for (let index = 0; index < 200; index++) {
        void send('dear', `dear ${index}`);
        void send('cheap', `cheap ${index}`);
      }
      await settled();
      for (let done = 0; done < 110; done++) {
        await endOldest((name) => (name.startsWith('dear') ? 19_995 : 1_995));
      }
      const dear = order.filter((name) => name.startsWith('dear')).length;
      expect(dear).toBeGreaterThanOrEqual(9);
      expect(dear).toBeLessThanOrEqual(11);
    });

    test('nobody saves them up by staying away', async () => {
      const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 100 });
      const { order, send, end, endOldest } = heldTasks(queue);
      void send('late', 'late first');
      await settled();
      await end('late first');
      for (let index = 0; index < 20; index++) void send('busy', `busy ${index}`);
      await settled();
      for (let index = 0; index < 10; index++) await end(`busy ${index}`, 1_000);
      for (let index = 0; index < 10; index++) void send('late', `late ${index}`);
      for (let done = 0; done < 8; done++) await endOldest(() => 1_000);
      const since = order.slice(11);
      expect(since.filter((name) => name.startsWith('late')).length).toBeLessThanOrEqual(5);
      expect(since.filter((name) => name.startsWith('busy')).length).toBeGreaterThanOrEqual(3);
    });

    test('the last place is left to other clients', async () => {
      const queue = createWorkQueue({ clock, concurrency: 2, maxWaiting: 100, keepsOneFree: true });
      const { order, send, end } = heldTasks(queue);
      for (let index = 0; index < 6; index++) void send('many', `many ${index}`);
      await settled();
      expect(order).toEqual(['many 0']);
      void send('one', 'one 0');
      await settled();
      expect(order).toEqual(['many 0', 'one 0']);
      await end('one 0', 10);
      expect(queue.load()).toMatchObject({ running: 1, waiting: 5 });
      await end('many 0', 10_000);
      expect(order.at(-1)).toBe('many 1');
    });

    test('where there is one place, nothing is kept free', async () => {
      const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 100, keepsOneFree: true });
      const { order, send, end } = heldTasks(queue);
      void send('one', 'one');
      void send('many', 'many 0');
      void send('many', 'many 1');
      await settled();
      await end('one');
      await end('many 0');
      expect(order).toEqual(['one', 'many 0', 'many 1']);
    });

    test('what runs counts before anybody says what it cost', async () => {
      const queue = createWorkQueue({ clock, concurrency: 2, maxWaiting: 100 });
      const { order, send, end } = heldTasks(queue);
      void send('modest', 'modest first');
      await settled();
      await end('modest first', 200);
      void send('greedy', 'greedy 0');
      void send('other', 'other');
      void send('greedy', 'greedy 1');
      await settled();
      clock.jump(10_000);
      void send('modest', 'modest 0');
      await settled();
      await end('other');
      expect(order.at(-1)).toBe('modest 0');
    });

    test('clients with one task each have no more places than there are', async () => {
      const queue = createWorkQueue({ clock, concurrency: 2, maxWaiting: 100 });
      const { order, send } = heldTasks(queue);
      for (const client of ['a', 'b', 'c', 'd']) void send(client, client);
      await settled();
      expect(order).toEqual(['a', 'b']);
    });

    test('a long task lets a client go first that has had less, and then goes on', async () => {
      const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 100 });
      const { begun, order, send, end } = heldTasks(queue);
      void send('long', 'long');
      await settled();
      begun.get('long')?.turn.charge(5_000);
      await begun.get('long')?.turn.pause();
      void send('short', 'short 0');
      void send('short', 'short 1');
      await settled();
      const steps: string[] = [];
      const pausing = begun
        .get('long')
        ?.turn.pause()
        .then(() => steps.push('long goes on'));
      await settled();
      expect(order).toEqual(['long', 'short 0']);
      expect(queue.load()).toMatchObject({ running: 1, waiting: 2 });
      expect(steps).toEqual([]);
      await end('short 0', 500);
      expect(order.at(-1)).toBe('short 1');
      expect(steps).toEqual([]);
      await end('short 1', 500);
      await pausing;
      expect(steps).toEqual(['long goes on']);
      await end('long');
      expect(queue.load()).toMatchObject({ running: 0, waiting: 0 });
    });

    test('no more begin than memory is meant for, however many clients wait and tasks pause', async () => {
      const queue = createWorkQueue({ clock, concurrency: 2, maxWaiting: 1_000 });
      let begun = 0;
      let most = 0;
      const task = async (turn: Turn) => {
        most = Math.max(most, ++begun);
        for (let step = 0; step < 5; step++) {
          turn.charge(100);
          await settled();
          await turn.pause();
        }
        begun--;
      };
      const clients = Array.from({ length: 60 }, (_, index) => `client ${index % 20}`);
      await Promise.all(clients.map((client) => queue.run(client, task, never)));
      expect(most).toBeLessThanOrEqual(5);
      expect(queue.load()).toMatchObject({ running: 0, waiting: 0 });
    });

    test('short work of a newcomer begins soon, however many others have begun long work', async () => {
      const queue = createWorkQueue({ clock, concurrency: 2, maxWaiting: 100 });
      const { sent, pieces } = longRecordings(queue, 8, 40);
      await untilDone(pieces, 10);
      const before = pieces.length;
      await queue.run('newcomer', async () => undefined, never, 'short');
      expect(pieces.length - before).toBeLessThanOrEqual(8);
      await Promise.all(sent);
      expect(queue.load()).toMatchObject({ running: 0, waiting: 0 });
    });

    test('work that others have gone on with is not counted against who comes', async () => {
      const queue = createWorkQueue({ clock, concurrency: 2, maxWaiting: 100 });
      const { sent, pieces } = longRecordings(queue, 3, 40);
      await untilDone(pieces, 10);
      const before = pieces.length;
      await queue.run('newcomer', async () => undefined, never);
      expect(pieces.length - before).toBeLessThanOrEqual(4);
      await Promise.all(sent);
    });

    test('short work that waits is no way past the bound of what may have begun', async () => {
      const queue = createWorkQueue({ clock, concurrency: 2, maxWaiting: 100 });
      let begun = 0;
      let most = 0;
      const task = async (turn: Turn) => {
        most = Math.max(most, ++begun);
        for (let piece = 0; piece < 5; piece++) {
          turn.charge(100);
          await settled();
          await turn.pause();
        }
        begun--;
      };
      const clients = Array.from({ length: 40 }, (_, index) => `client ${index % 20}`);
      await Promise.all(
        clients.map((client, index) =>
          queue.run(client, task, never, index % 2 === 0 || index > 20 ? 'short' : 'final'),
        ),
      );
      expect(most).toBe(7);
      expect(queue.load()).toMatchObject({ running: 0, waiting: 0 });
    });
  });

  describe('room', () => {
    test('a client with nothing waiting takes the last place of the one with most', async () => {
      const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 3 });
      const { order, refused, send, end } = heldTasks(queue);
      for (let index = 0; index < 5; index++) void send('many', `many ${index}`);
      await settled();
      expect(refused).toEqual(['many 4 queue_full']);
      void send('one', 'one 0');
      void send('one', 'one 1');
      void send('one', 'one 2');
      await settled();
      expect(refused.slice(1)).toEqual([
        'many 3 queue_full',
        'one 1 queue_full',
        'one 2 queue_full',
      ]);
      expect(() => queue.requireRoom('many')).toThrow('Too many');
      expect(() => queue.requireRoom('third')).not.toThrow();
      await end('many 0', 100);
      await end('one 0', 100);
      expect(order).toContain('one 0');
    });

    test('after closing there is none, and what pauses may finish', async () => {
      const queue = createWorkQueue({ clock, concurrency: 1, maxWaiting: 10 });
      const { begun, refused, send, end } = heldTasks(queue);
      const long = send('long', 'long');
      await settled();
      begun.get('long')?.turn.charge(1_000);
      void send('short', 'short 0');
      await settled();
      const pausing = begun.get('long')?.turn.pause();
      void send('short', 'short 1');
      await settled();
      queue.close();
      await end('short 0');
      await pausing;
      await end('long');
      await long;
      expect(refused).toEqual(['short 1 shutting_down']);
      expect(() => queue.requireRoom('short')).toThrow('shutting down');
    });
  });
});

describe('previews', () => {
  const never = new AbortController().signal;

  /** A queue whose tasks run until the test ends them. */
  function heldQueue(concurrency: number, maxWaiting = 100) {
    const clock = createFakeClock();
    const queue = createWorkQueue({ clock, concurrency, maxWaiting });
    const order: string[] = [];
    const outcomes: Record<string, string> = {};
    const turns = new Map<string, { turn: Turn; end: () => void }>();
    async function send(client: string, name: string, rank: Rank, signal = never): Promise<void> {
      const task = (turn: Turn) =>
        new Promise<void>((end) => {
          order.push(name);
          turns.set(name, { turn, end });
        });
      queue.run(client, task, signal, rank).then(
        () => {
          outcomes[name] = 'done';
        },
        (error: { code: string }) => {
          outcomes[name] = error.code;
        },
      );
      await settled();
    }
    async function end(name: string): Promise<void> {
      turns.get(name)?.end();
      await settled();
    }
    return {
      clock,
      queue,
      order,
      outcomes,
      send,
      end,
      turn: (name: string) => turns.get(name)!.turn,
    };
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('a final waits for one running preview at most, and every final goes before every preview', async () => {
    const { order, send, end } = heldQueue(1);
    await send('a', 'preview a', 'preview');
    await send('b', 'preview b', 'preview');
    await send('c', 'final 1', 'final');
    await send('c', 'final 2', 'final');
    await send('b', 'final 3', 'final');
    expect(order).toEqual(['preview a']);
    for (let ended = 0; ended < 4; ended++) await end(order.at(-1) ?? '');
    expect(order.slice(1, 4).sort()).toEqual(['final 1', 'final 2', 'final 3']);
    expect(order.slice(4)).toEqual(['preview b']);
  });

  test('where there are several places, previews never have them all', async () => {
    const { order, send } = heldQueue(3);
    for (const client of ['a', 'b', 'c', 'd']) await send(client, `preview ${client}`, 'preview');
    expect(order).toEqual(['preview a', 'preview b']);
    await send('e', 'final', 'final');
    expect(order.at(-1)).toBe('final');
  });

  test('a newer preview takes the waiting place of the older one of its client', async () => {
    const { order, outcomes, send, end } = heldQueue(1);
    await send('a', 'final', 'final');
    await send('b', 'old', 'preview');
    await send('b', 'new', 'preview');
    expect(outcomes).toEqual({ old: 'preview_replaced' });
    await end('final');
    expect(order).toEqual(['final', 'new']);
  });

  test('is refused while a final waits, when others wait already, and after a moment', async () => {
    const { clock, outcomes, send } = heldQueue(1);
    await send('a', 'final', 'final');
    await send('b', 'first', 'preview');
    await send('c', 'second', 'preview');
    expect(outcomes).toEqual({ second: 'queue_full' });
    await clock.advance(2_000);
    await settled();
    expect(outcomes).toMatchObject({ first: 'queue_full' });
    await send('a', 'waiting', 'final');
    await send('c', 'third', 'preview');
    expect(outcomes).toMatchObject({ third: 'queue_full' });
  });

  test('takes no place to wait from a final, and none to run', async () => {
    const { outcomes, queue, send, end } = heldQueue(1, 0);
    await send('a', 'preview', 'preview');
    expect(() => queue.requireRoom('b')).not.toThrow();
    await send('b', 'final', 'final');
    expect(outcomes).toEqual({});
    await send('c', 'too many', 'final');
    expect(outcomes).toEqual({ 'too many': 'queue_full' });
    await end('preview');
    await end('final');
    expect(outcomes).toMatchObject({ preview: 'done', final: 'done' });
  });

  test('between two steps it is dropped when a final waits', async () => {
    const { clock, order, queue, send, end, turn } = heldQueue(1);
    await send('a', 'preview', 'preview');
    await turn('preview').pause();
    await send('b', 'final', 'final');
    await expect(turn('preview').pause()).rejects.toMatchObject({ code: 'queue_full' });
    await end('preview');
    expect(order).toEqual(['preview', 'final']);
    await end('final');
    expect(queue.load()).toMatchObject({ running: 0, waiting: 0 });
    expect(clock.waits()).toEqual([]);
  });

  test('a client that leaves takes its waiting preview along; a closed queue refuses it', async () => {
    const { queue, outcomes, order, send, end } = heldQueue(1);
    const leaving = new AbortController();
    await send('a', 'final', 'final');
    await send('b', 'gone', 'preview', leaving.signal);
    leaving.abort();
    await send('c', 'waiting', 'preview');
    queue.close();
    await settled();
    expect(outcomes).toEqual({ gone: 'client_closed', waiting: 'shutting_down' });
    await end('final');
    expect(order).toEqual(['final']);
  });

  test('what previews cost is on the account of their client', async () => {
    const { order, send, end, turn } = heldQueue(1);
    await send('a', 'preview', 'preview');
    turn('preview').charge(60_000);
    await send('a', 'final a', 'final');
    await send('b', 'final b', 'final');
    await end('preview');
    expect(order).toEqual(['preview', 'final b']);
  });

  test('the previews of many take turns, the one that has had least first', async () => {
    const { order, send, end, turn } = heldQueue(3);
    await send('x', 'final x', 'final');
    await send('a', 'a 1', 'preview');
    await send('b', 'b 1', 'preview');
    turn('a 1').charge(10_000);
    await send('a', 'a 2', 'preview');
    await send('b', 'b 2', 'preview');
    expect(order).toHaveLength(3);
    await end('b 1');
    expect(order.at(-1)).toBe('b 2');
  });
});
