import { expect, test } from 'vitest';
import { createDrainTurn, type TakeDrain } from '../../workers/upload/queue-tabs.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

/** A tab that waits while another has the turn, and lives or not. */
async function setUp(isSenderAlive: boolean, hasWork = true) {
  const clock = createFakeClock();
  const takes: TakeDrain[] = [];
  const signals: AbortSignal[] = [];
  let asks = 0;
  let turns = 0;
  const turn = createDrainTurn({
    tabs: {
      takeDrain(signal, how) {
        takes.push(how);
        signals.push(signal);
        return how.isStolen ? Promise.resolve(() => {}) : new Promise(() => {});
      },
      post({ kind }) {
        if (kind !== 'sender-asked') return;
        asks += 1;
        if (isSenderAlive) queueMicrotask(() => turn.heard());
      },
    },
    clock,
    log: createRecordingLog(),
    hasWork: () => hasWork,
    onTurn: () => {
      turns += 1;
    },
  });
  turn.ask();
  turn.ask();
  return { turn, clock, takes, signals, asks: () => asks, turns: () => turns };
}

test('a tab that sends and lives keeps its turn', async () => {
  const { turn, clock, takes, asks } = await setUp(true);
  await clock.advance(600_000);
  expect(asks()).toBeGreaterThan(50);
  expect(takes.map(({ isStolen }) => isStolen)).toEqual([false]);
  expect(turn.isOurs).toBe(false);
});

test('nobody asks while nothing waits', async () => {
  const { clock, takes, asks } = await setUp(false, false);
  await clock.advance(600_000);
  expect(asks()).toBe(0);
  expect(takes).toHaveLength(1);
});

test('a suspended tab’s turn is taken within 20 s', async () => {
  const { turn, clock, takes, signals, turns } = await setUp(false);
  await clock.advance(15_000);
  expect(turn.isOurs).toBe(false);
  await clock.advance(5_000);
  expect(takes.map(({ isStolen }) => isStolen)).toEqual([false, true]);
  expect(signals[0]?.aborted, 'waits no longer').toBe(true);
  expect(turn.isOurs).toBe(true);
  expect(turns()).toBe(1);
});

test('whose turn was taken sends nothing more, and waits for the next', async () => {
  const { turn, clock, takes } = await setUp(false);
  await clock.advance(20_000);
  takes[1]?.onLost();
  expect(turn.isOurs).toBe(false);
  expect(takes).toHaveLength(3);
  expect(takes[2]?.isStolen).toBe(false);
});
