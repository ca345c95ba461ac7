import { placeAtCaret, showOnTop } from '../widget/on-top.ts';
import { isHeld } from '../widget/press.ts';
import attached from '../widget/styles/attached.css?inline';
import base from '../widget/styles/base.css?inline';
import controls from '../widget/styles/controls.css?inline';
import tokens from '../widget/styles/tokens.css?inline';
import { caretOf } from './edit-context.ts';
import type { FrameSettings } from './settings.ts';
import { extensionStrings } from './strings.ts';

/** The microphone of lucide-react, which needs React. */
const MICROPHONE = [
  'M12 19v3',
  'M19 10v2a7 7 0 0 1-14 0v-2',
  'M12 2a3 3 0 0 0-3 3v7a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3Z',
];

const SVG = 'http://www.w3.org/2000/svg';

/** After these the caret or its field is elsewhere. */
const MOVES = ['selectionchange', 'input', 'scroll'] as const;

/** A click with a mouse is often slow: what is longer is held to talk, as on the tools' own button. */
const MOUSE_HOLD_MS = 600;

type Ports = {
  readonly onPress: (field: HTMLElement, settings: FrameSettings) => void;
  /** The mouse was held on it, and is let go. */
  readonly onHeld: (field: HTMLElement) => void;
};

/**
 * The one button at the caret of a field before anybody has dictated in a frame: it looks as the
 * tools do, which take its place at the first press, and is a tenth of them. The page's scripts
 * cannot reach into it, nor its styles.
 */
export function createFirstMicrophone({ onPress, onHeld }: Ports) {
  let shown: { readonly element: HTMLElement; readonly end: () => void } | null = null;

  function hide(): void {
    shown?.end();
    shown?.element.remove();
    shown = null;
  }

  function show(field: HTMLElement, settings: FrameSettings): void {
    hide();
    const listening = new AbortController();
    const { signal } = listening;
    const { element, toolbar, button } = draw(settings.choices.pushToTalkKey ?? null);
    field.after(element);
    showOnTop(toolbar);
    const follow = (): void => {
      if (!field.isConnected) hide();
      // To find the caret of a long text takes its time, at every letter.
      else if (toolbar.dataset.isAway !== 'true') placeAtCaret(toolbar, caretOf(field));
    };
    follow();
    shown = { element, end: () => listening.abort() };

    const anywhere = { signal, capture: true, passive: true };
    for (const type of MOVES) document.addEventListener(type, follow, anywhere);
    window.visualViewport?.addEventListener('resize', follow, { signal });
    // Nowhere while one types.
    const setAway = (isAway: boolean) => () => {
      if (toolbar.dataset.isAway === String(isAway)) return;
      toolbar.dataset.isAway = String(isAway);
      follow();
    };
    field.addEventListener('input', setAway(true), anywhere);
    for (const type of ['pointermove', 'pointerdown'])
      document.addEventListener(type, setAway(false), anywhere);
    field.addEventListener(
      'focusout',
      ({ relatedTarget }) => {
        if (relatedTarget !== element) hide();
      },
      anywhere,
    );
    toolbar.addEventListener('focusout', hide, { signal });
    // A press must not take the caret out of the text.
    toolbar.addEventListener('mousedown', (event) => event.preventDefault(), { signal });
    toolbar.addEventListener(
      'keydown',
      ({ key }) => {
        if (key === 'Escape') field.focus({ preventScroll: true });
      },
      { signal },
    );
    const press = (): void => {
      button.ariaBusy = 'true';
      // The focus returns to the text, so that a keyboard user can go on writing.
      field.focus({ preventScroll: true });
      onPress(field, settings);
    };
    /** The click at the end of a press that has begun already. */
    let isUsedUp = false;
    button.addEventListener(
      'click',
      () => {
        if (!isUsedUp) press();
        isUsedUp = false;
      },
      { signal },
    );
    button.addEventListener(
      'pointerdown',
      (down) => {
        if (down.pointerType !== 'mouse' || down.button !== 0 || down.ctrlKey) return;
        isUsedUp = true;
        press();
        const letGo = (up: Event): void => {
          if (isHeld(down.timeStamp, up, MOUSE_HOLD_MS)) onHeld(field);
        };
        // In the window, since the tools take its place meanwhile.
        window.addEventListener('pointerup', letGo, { capture: true, once: true });
      },
      { signal },
    );
  }

  return { show, hide };
}

function draw(key: string | null) {
  const element = document.createElement('diktera-tools');
  element.translate = false;
  const tree = element.attachShadow({ mode: 'closed' });
  const sheet = new CSSStyleSheet();
  const css = [tokens, base, controls, attached].join('\n').replaceAll(':root', '.attached');
  sheet.replaceSync(`${css}\n:host { display: contents !important }`);
  tree.adoptedStyleSheets = [sheet];
  const inside = document.createElement('div');
  inside.className = 'attached';
  const toolbar = document.createElement('div');
  toolbar.className = 'toolbar at-caret';
  toolbar.popover = 'manual';
  toolbar.role = 'toolbar';
  toolbar.ariaLabel = 'Diktera';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'tool tool-dictate';
  const label = document.createElement('span');
  label.textContent = extensionStrings().popup.start;
  button.title = key === null ? label.textContent : `${label.textContent} (${key})`;
  button.append(drawMicrophone(), label);
  toolbar.append(button);
  inside.append(toolbar);
  tree.append(inside);
  return { element, toolbar, button };
}

function drawMicrophone(): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const looks = {
    ...{ viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', 'aria-hidden': 'true' },
    ...{ 'stroke-width': '2', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' },
  };
  for (const [name, value] of Object.entries(looks)) svg.setAttribute(name, value);
  for (const d of MICROPHONE) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}
