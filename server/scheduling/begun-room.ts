import type { Client, FinalWaiter } from './client-accounts.ts';

/** The tasks that have begun and not ended: those that pause hold their audio, too. */
export type BegunRoom = ReturnType<typeof createBegunRoom>;

/**
 * Makes the room of a queue: twice its places and one more. Above that as many as it has places, for
 * short work of clients with nothing under way: else a few long recordings, which take turns, would
 * hold up all who come until one of them has ended.
 */
export function createBegunRoom(concurrency: number) {
  const room = 2 * concurrency + 1;
  const roomWithShort = room + concurrency;
  let begun = 0;

  return {
    /** The one of a client that could begin now, were there a place; null when none could. */
    next(client: Client): FinalWaiter | null {
      const [first = null] = client.waiting;
      if (begun < room || first === null) return first;
      if (begun >= roomWithShort || client.running.size + client.paused.length > 0) return null;
      return [...client.waiting].find(({ isShort }) => isShort) ?? null;
    },
    enter() {
      begun++;
    },
    leave() {
      begun--;
    },
  };
}
