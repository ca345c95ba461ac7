import { onTestFinished } from 'vitest';
import { devTools } from './dev-tools.ts';
import { isControl } from './editable-elements.ts';
import { isChromium } from './engine.ts';

/**
 * Composes a word in the element that has the focus: by Chromium's own input method, elsewhere by
 * the events and edits that one makes.
 */
export async function compose(text: string): Promise<void> {
  if (!isChromium) return imitate(text, false);
  const selection = { selectionStart: text.length, selectionEnd: text.length };
  await devTools().send('Input.imeSetComposition', { text, ...selection });
}

/** Takes the word as it is to stand. */
export async function commit(text: string): Promise<void> {
  if (!isChromium) return imitate(text, true);
  await devTools().send('Input.insertText', { text });
}

/** The text being composed; null for none. */
let composed: string | null = null;

function imitate(text: string, isLast: boolean): void {
  const element = document.activeElement as HTMLElement;
  const tell = (type: string) =>
    element.dispatchEvent(new CompositionEvent(type, { bubbles: true, data: text }));
  if (composed === null) {
    onTestFinished(() => {
      composed = null;
    });
    tell('compositionstart');
  }
  selectBack(element, composed?.length ?? 0);
  document.execCommand('insertText', false, text);
  tell(isLast ? 'compositionend' : 'compositionupdate');
  composed = isLast ? null : text;
}

function selectBack(element: HTMLElement, letters: number): void {
  if (isControl(element)) {
    const end = element.selectionEnd ?? 0;
    element.setSelectionRange(end - letters, end);
    return;
  }
  for (let letter = 0; letter < letters; letter += 1) {
    getSelection()?.modify('extend', 'backward', 'character');
  }
}
