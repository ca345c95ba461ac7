import type { Locator } from 'vitest/browser';

/** Puts a text into an input or a text area at once, as a paste does; no engine's driver types it. */
export function giveText(target: Locator | Element, text: string): void {
  const element = 'element' in target ? target.element() : target;
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value') ?? {};
  set?.call(element, text);
  element.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** Chooses a file, as the system's dialog does. */
export function giveFile(input: HTMLInputElement, file: File): void {
  const chosen = new DataTransfer();
  chosen.items.add(file);
  input.files = chosen.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}
