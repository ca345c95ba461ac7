const KEY = 'diktera:text';

/** Keeps the field's text for the next load of this tab. */
export function keepText(text: string): void {
  if (text !== '') sessionStorage.setItem(KEY, text);
}

/** Puts back what was kept, before all that has been written since. */
export function bringBackText(): void {
  try {
    const text = sessionStorage.getItem(KEY);
    if (text) document.querySelector('.field-text')?.prepend(text);
    sessionStorage.removeItem(KEY);
  } catch {
    // Storage is refused here: nothing was kept.
  }
}
