/** Runs between the two events of a tap: the page hears of the tap's end late. */
export type Meanwhile = () => Promise<void>;

/**
 * Taps a key on what has the focus. Both events are made first, as the keyboard makes them, however
 * late they are heard: a test's own way to a real key is slower than that on a busy machine, and
 * what it presses is held.
 */
export async function tapKey(key: string, meanwhile?: Meanwhile): Promise<void> {
  const [down, up] = [makeKey('keydown', key), makeKey('keyup', key)];
  const focused = focusedElement();
  focused.dispatchEvent(down);
  await meanwhile?.();
  focused.dispatchEvent(up);
}

function makeKey(type: string, key: string): KeyboardEvent {
  return new KeyboardEvent(type, { key, bubbles: true, cancelable: true, composed: true });
}

function focusedElement(): Element {
  let focused = document.activeElement ?? document.body;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused;
}
