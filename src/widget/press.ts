/** A key or finger down longer than this is held to talk; a shorter press is a tap. */
export const HOLD_MS = 400;

/**
 * True if the press was held. Compares the events' own times: a thread that is busy with the
 * start hears of them late, and a tap would end what it has begun.
 */
export function isHeld(downAtMs: number, up: Event, holdMs = HOLD_MS): boolean {
  return up.timeStamp - downAtMs >= holdMs;
}

/** Presses a button once on which Enter is held: browsers would do so again and again. */
export function pressOnce(event: Pick<KeyboardEvent, 'key' | 'repeat' | 'preventDefault'>): void {
  if (event.repeat && event.key === 'Enter') event.preventDefault();
}

/** Gives the elements that belong to a field at present; missing ones may be null. */
export type OwnElements = () => readonly (Element | null)[];

/** True for an event in one of them, in shadow trees too. */
export function happenedWithin(event: Event, own: ReturnType<OwnElements>): boolean {
  const path = event.composedPath();
  return own.some((element) => element !== null && path.includes(element));
}
