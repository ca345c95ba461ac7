/** What is held longer than this is held to talk; let go sooner it was a tap. */
export const HOLD_MS = 400;

/**
 * Whether what went down then was held. By the events' own times: a thread that is busy with the
 * start hears of them late, and a tap would end what it has begun.
 */
export function isHeld(downAtMs: number, up: Event): boolean {
  return up.timeStamp - downAtMs >= HOLD_MS;
}
