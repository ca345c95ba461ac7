import { useEffect } from 'react';
import { isScope } from '../field/tree-scope.ts';

const STEADY = ':focus { caret-animation: manual }';

/**
 * While one dictates the caret stands still: it shows where the words will stand, and a browser that
 * draws a blink puts the whole picture together for it, twice a second. Not by the element's own
 * style, which is its page's.
 */
export function useSteadyCaret(element: Element, isSteady: boolean): void {
  useEffect(() => {
    const root = element.getRootNode();
    if (!(isSteady && isScope(root) && CSS.supports('caret-animation', 'manual'))) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STEADY);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return () => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [element, isSteady]);
}
