import attached from './styles/attached.css?inline';
import base from './styles/base.css?inline';
import controls from './styles/controls.css?inline';
import dictations from './styles/dictations.css?inline';
import status from './styles/status.css?inline';
import tokens from './styles/tokens.css?inline';
import { showOnTop } from './top-layer.ts';

/** A place for our own interface beside an element of somebody else's page, styles kept apart. */
export type ToolsHost = ReturnType<typeof createToolsHost>;

let sheet: CSSStyleSheet | null = null;
let trees = 0;

export function createToolsHost(field: HTMLElement) {
  const element = document.createElement('diktera-tools');
  element.translate = false;
  const root = element.attachShadow({ mode: 'open' });
  sheet ??= readSheet();
  root.adoptedStyleSheets = [sheet, readUnlikeSheet()];
  const inside = document.createElement('div');
  inside.className = 'attached';
  root.append(inside);
  return {
    element,
    /** Where our interface is drawn. */
    inside,
    /**
     * Puts it right after the field's element, so that the tab key leads there; out if that is gone.
     */
    place() {
      if (!field.isConnected) return element.remove();
      if (field.nextSibling === element) return;
      field.after(element);
      // What leaves the document leaves the top layer.
      for (const popover of inside.querySelectorAll<HTMLElement>('[popover]')) showOnTop(popover);
    },
  };
}

/**
 * A sheet that no other tree has. Of trees with the same styles WebKit asks media queries once, and
 * not again when the window has changed while there was none: what came next was drawn for a wide one.
 */
function readUnlikeSheet(): CSSStyleSheet {
  const created = new CSSStyleSheet();
  created.replaceSync(`.tree-${trees++} { order: 0 }`);
  return created;
}

function readSheet(): CSSStyleSheet {
  const created = new CSSStyleSheet();
  const css = [tokens, base, controls, status, dictations, attached].join('\n');
  // What a page of our own says of its root.
  created.replaceSync(css.replaceAll(':root', '.attached'));
  return created;
}
