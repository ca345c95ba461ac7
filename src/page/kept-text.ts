const KEY = 'diktera:text';

/** Keeps the field's text for the next load of this tab. */
export function keepText(text: string): void {
  if (text !== '') sessionStorage.setItem(KEY, text);
}

/** Puts back what was kept, before anybody can have written. */
export function bringBackText(): void {
  const field = document.querySelector('.field-text');
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    if (text && field?.textContent === '') field.textContent = text;
  } catch {
    // Storage is refused here: nothing was kept.
  }
}
