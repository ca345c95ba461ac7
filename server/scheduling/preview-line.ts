import type { Clock } from '../../src/core/clock.ts';
import { clientClosed } from '../core/api-error.ts';
import type { Client, ClientAccounts, RunningTask, Waiter } from './client-accounts.ts';
import { noTimeForPreviews, previewReplaced } from './refusals.ts';
import type { Turn } from './turn.ts';

/** The previews of a queue: those that wait, those that run, and those that let finals go first. */
export type PreviewLine = ReturnType<typeof createPreviewLine>;

/** `end` gives its place back, if it has one. */
export type PreviewTurn = Turn & { readonly end: () => void };

/** What the queue around it gives. */
export type PreviewLinePorts = {
  readonly accounts: ClientAccounts;
  readonly clock: Clock;
  /** Begun and not ended, at most. */
  readonly maxBegun: number;
  readonly isFinalWaiting: () => boolean;
  /** A place for a task of `client`; null when there is none free. */
  readonly takePlace: (client: Client) => RunningTask | null;
  readonly giveBack: (client: Client, task: RunningTask) => void;
  /** Somebody has left a place. */
  readonly giveOut: () => void;
};

/** Words that come later than this have been overtaken by newer ones. */
const MAX_WAIT_MS = 2_000;

type Paused = { readonly client: Client; readonly waiter: Waiter };

/**
 * Makes the line. Previews take free places only, while no final waits or pauses, and one fewer
 * than there are where there are several: so a final waits for one running preview at most. Of a
 * client one waits, the newest; of several clients the one that has had least begins.
 */
export function createPreviewLine(ports: PreviewLinePorts) {
  const { accounts, clock, maxBegun, isFinalWaiting, takePlace, giveBack } = ports;
  const paused: Paused[] = [];
  let begun = 0;
  let placed = 0;

  const isWaiting = (client: Client) => client.previews.waiting !== null;
  const waitingCount = () => accounts.sum((client) => Number(isWaiting(client)));

  function requireRoom(client: Client): void {
    if (isFinalWaiting()) throw noTimeForPreviews();
    // Its own that waits would make room.
    if (waitingCount() - Number(isWaiting(client)) >= maxBegun) throw noTimeForPreviews();
  }

  function giveOut(): void {
    while (!isFinalWaiting()) {
      const [first] = paused;
      const client =
        first?.client ?? (begun < maxBegun ? accounts.least((one) => isWaiting(one)) : null);
      const task = client === null ? null : takePlace(client);
      if (client === null || task === null) return;
      if (first === undefined) {
        begun++;
        client.previews.begun++;
        placed++;
        client.previews.waiting?.begin(task);
      } else {
        placed++;
        first.waiter.begin(task);
      }
    }
  }

  /** Fulfilled with a place; `enter` puts the waiter where `giveOut` looks, `leave` takes it out. */
  function wait(
    signal: AbortSignal,
    enter: (waiter: Waiter) => void,
    leave: (waiter: Waiter) => void,
  ): Promise<RunningTask> {
    return new Promise((resolve, reject) => {
      const giveUp = () => waiter.refuse(clientClosed());
      const done = () => {
        signal.removeEventListener('abort', giveUp);
        cancelTimer();
        leave(waiter);
      };
      const waiter: Waiter = {
        begin(task) {
          done();
          resolve(task);
        },
        refuse(error) {
          done();
          reject(error);
        },
      };
      const cancelTimer = clock.after(MAX_WAIT_MS, () => waiter.refuse(noTimeForPreviews()));
      signal.addEventListener('abort', giveUp, { once: true });
      enter(waiter);
      ports.giveOut();
    });
  }

  const waitToBegin = (client: Client, signal: AbortSignal) =>
    wait(
      signal,
      (waiter) => {
        client.previews.waiting?.refuse(previewReplaced());
        accounts.enter(client);
        client.previews.waiting = waiter;
      },
      (waiter) => {
        if (client.previews.waiting === waiter) client.previews.waiting = null;
      },
    );

  const waitToGoOn = (client: Client, signal: AbortSignal) =>
    wait(
      signal,
      (waiter) => void paused.push({ client, waiter }),
      (waiter) => {
        const at = paused.findIndex((one) => one.waiter === waiter);
        if (at >= 0) paused.splice(at, 1);
      },
    );

  function turnOf(client: Client, first: RunningTask, signal: AbortSignal): PreviewTurn {
    let task: RunningTask | null = first;
    const leave = () => {
      if (task === null) return;
      placed--;
      giveBack(client, task);
      task = null;
    };
    return {
      client: client.name,
      rank: 'preview',
      charge(ms) {
        client.chargedMs += ms;
        if (task !== null) task.chargedMs += ms;
      },
      async pause() {
        if (task === null || !isFinalWaiting()) return;
        if (signal.aborted) throw clientClosed();
        leave();
        task = await waitToGoOn(client, signal);
      },
      end() {
        begun--;
        client.previews.begun--;
        leave();
      },
    };
  }

  return {
    /** Throws `queue_full` (503) when a preview of `client` would hardly be begun in time. */
    requireRoom,
    /**
     * Fulfilled with its turn. Rejects with `client_closed` when `signal` aborts, `preview_replaced`
     * when the next one of its client comes and `queue_full` when it has waited too long.
     */
    begin: async (client: Client, signal: AbortSignal): Promise<PreviewTurn> =>
      turnOf(client, await waitToBegin(client, signal), signal),
    /** Lets those go on and begin that may, once finals have what they want. */
    giveOut,
    /** How many have a place. */
    running: (): number => placed,
  };
}
