import { expect, test } from 'vitest';
import { createWorkQueue, type Rank, type Turn } from '../../../server/scheduling/work-queue.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';

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
