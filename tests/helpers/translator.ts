import { onTestFinished } from 'vitest';

/**
 * Does to every text of the page what translators do, for as long as the test lasts: wraps it, as
 * Google's does, or puts other nodes in its place. It does not ask whether it may.
 */
export function translatePage(how: 'wraps' | 'replaces'): void {
  const translate = (): void => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      if (/^(FONT|SCRIPT|STYLE)$/.test(text.parentElement?.tagName ?? '')) continue;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      outer.append(inner);
      text.replaceWith(outer);
      inner.append(how === 'wraps' ? text : new Text(text.data));
    }
    observer.takeRecords();
  };
  const observer = new MutationObserver(translate);
  translate();
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  onTestFinished(() => {
    observer.disconnect();
    for (const font of document.querySelectorAll('font')) font.replaceWith(...font.childNodes);
  });
}
