/** The elements that belong to a field, asked for anew each time; what is not there may be null. */
export type OwnElements = () => readonly (Element | null)[];

/** Whether an event happened in one of them, in shadow trees too. */
export function happenedWithin(event: Event, own: ReturnType<OwnElements>): boolean {
  const path = event.composedPath();
  return own.some((element) => element !== null && path.includes(element));
}
