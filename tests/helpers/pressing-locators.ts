import {
  ensureAwaited,
  getByAltTextSelector,
  getByLabelSelector,
  getByPlaceholderSelector,
  getByRoleSelector,
  getByTestIdSelector,
  getByTextSelector,
  getByTitleSelector,
  Locator,
  processTimeoutOptions,
  selectorEngine,
} from '@vitest/browser/locators';
import {
  commands,
  page,
  server,
  type UserEventClickOptions,
  type UserEventHoverOptions,
} from 'vitest/browser';
import * as internal from 'vitest/internal/browser';
import type { Place } from '../drivers/webkit.ts';
import { came, nextFrame } from './came.ts';
import { isWebKit } from './engine.ts';

// Presses in Firefox and WebKitGTK: the page finds the place, the provider moves the mouse there.
// WebKitGTK has no other way; in Firefox a press that asks the page from outside takes ten times as
// long. As elsewhere, a press waits until it is possible.

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** Not in Chromium: moves the mouse. */
    movePointer(place: Place): Promise<void>;
    /** Not in Chromium: presses there with the mouse, `waitMs` after it came. */
    press(place: Place, waitMs: number): Promise<void>;
    /** In WebKitGTK only: its window as it is seen, a PNG in base64. */
    picture(): Promise<string>;
  }
}

const DEFAULT_WAIT_MS = 15_000;
/** Longer, and farther, than WebKit takes two presses for a double one. Firefox is told. */
const DOUBLE_CLICK_MS = isWebKit ? 600 : 0;
const DOUBLE_CLICK_PX = isWebKit ? 7 : 0;
let lastPress: Place = { x: -1, y: -1 };
let lastPointer = lastPress;

class PressingLocator extends Locator {
  override readonly selector: string;
  readonly #element: Element | undefined;

  constructor(selector: string, element?: Element) {
    super();
    this.selector = selector;
    this.#element = element;
  }

  override query() {
    // An element given directly is used as long as it is in the page, else its replacement.
    return this.#element?.isConnected ? (this.#element as HTMLElement) : super.query();
  }

  override click(options: UserEventClickOptions = {}): Promise<void> {
    return ensureAwaited(async () => {
      const wanted = await placeOf(this, options);
      const isSame = Math.hypot(wanted.x - lastPress.x, wanted.y - lastPress.y) < DOUBLE_CLICK_PX;
      const isFree = !options.position && this.element().clientWidth > 4 * DOUBLE_CLICK_PX;
      const place = isSame && isFree ? { ...wanted, x: wanted.x + DOUBLE_CLICK_PX } : wanted;
      lastPress = place;
      const press = () => commands.press(place, isSame && !isFree ? DOUBLE_CLICK_MS : 0);
      const pressed = this.element();
      lastPointer = place;
      const target = await came('mouseup', press);
      // The window of a frame in the page has events of its own.
      if (target === null && !(pressed instanceof HTMLIFrameElement)) {
        console.warn(`${this.selector}: no press came, and it is made again`);
        await came('mouseup', press);
      }
    });
  }

  override hover(options: UserEventHoverOptions = {}): Promise<void> {
    return ensureAwaited(async () => {
      const place = await placeOf(this, options);
      const move = () => commands.movePointer(place);
      const isThere = place.x === lastPointer.x && place.y === lastPointer.y;
      lastPointer = place;
      await (isThere ? move() : came('mousemove', move));
    });
  }

  /** A list of choices opens outside of the page, where no driver presses. */
  override selectOptions(values: unknown): Promise<void> {
    return ensureAwaited(async () => {
      await placeOf(this, {});
      const list = this.element() as HTMLSelectElement;
      const wanted = new Set(Array.isArray(values) ? values : [values]);
      const before = [...list.selectedOptions];
      list.focus();
      for (const option of list.options) {
        option.selected = wanted.has(option.value) || wanted.has(option.label);
      }
      if (before.every((option) => option.selected)) return;
      list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      list.dispatchEvent(new Event('change', { bubbles: true }));
    });
  }

  protected override locator(selector: string): PressingLocator {
    return new PressingLocator(`${this.selector} >> ${selector}`);
  }

  protected override elementLocator(element: Element): PressingLocator {
    return locatorOf(element);
  }
}

type Wait = { readonly position?: Partial<Place>; readonly timeout?: number };

/** Where to press, in pixels of the window, when it is there, at rest, enabled and in front. */
async function placeOf(locator: Locator, options: Wait): Promise<Place> {
  const { timeout = DEFAULT_WAIT_MS } = processTimeoutOptions({ ...options }) ?? {};
  const endMs = performance.now() + timeout;
  let before = '';
  for (;;) {
    const element = locator.query();
    const reason = element ? notYet(element, options.position) : 'is not there';
    const at = element && reason === null ? JSON.stringify(element.getBoundingClientRect()) : '';
    if (element && at !== '' && at === before) return inWindow(pointOf(element, options.position));
    before = at;
    if (performance.now() > endMs) throw new Error(`${locator.selector} ${reason ?? 'moves'}`);
    await nextFrame();
  }
}

function notYet(element: Element, position: Partial<Place> | undefined): string | null {
  const { width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0 || getComputedStyle(element).visibility !== 'visible') {
    return 'is not seen';
  }
  if (element.matches(':disabled')) return 'is disabled';
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { x, y } = pointOf(element, position);
  if (scrolledWindow(inWindow({ x, y }).y)) return 'is out of the window';
  const hit = inFront(x, y);
  const isHit = hit !== null && (isIn(hit, element) || isLabelOf(hit, element));
  return isHit ? null : `is covered by ${hit?.outerHTML.slice(0, 80)}`;
}

/** Scrolls what is round the frame, which may be higher than the window; true if that moved it. */
function scrolledWindow(y: number): boolean {
  const frame = window.frameElement;
  const { innerHeight: height } = window.parent;
  if (!frame || (y >= 0 && y < height)) return false;
  const before = frame.getBoundingClientRect().y;
  const by = { top: y - height / 2, behavior: 'instant' } as const;
  window.parent.scrollBy(by);
  for (let around = frame.parentElement; around; around = around.parentElement) {
    if (frame.getBoundingClientRect().y !== before) return true;
    around.scrollBy(by);
  }
  return frame.getBoundingClientRect().y !== before;
}

/** The topmost element at a place, also inside shadow roots. */
function inFront(x: number, y: number): Element | null {
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

function isIn(hit: Element, element: Element): boolean {
  for (let node: Node | null = hit; node; node = node.parentNode ?? (node as ShadowRoot).host) {
    if (node === element) return true;
  }
  return false;
}

const isLabelOf = (hit: Element, element: Element): boolean =>
  hit.closest('label')?.control === element;

function pointOf(element: Element, position: Partial<Place> | undefined): Place {
  const box = element.getBoundingClientRect();
  if (position) return { x: box.x + (position.x ?? 0), y: box.y + (position.y ?? 0) };
  // A long element is pressed in the middle of what is seen of it.
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

/** The tests run in a frame of the window, which may be scaled. */
function inWindow({ x, y }: Place): Place {
  const frame = window.frameElement?.getBoundingClientRect();
  const scale = frame ? frame.width / innerWidth : 1;
  return {
    x: Math.round((frame?.x ?? 0) + x * scale),
    y: Math.round((frame?.y ?? 0) + y * scale),
  };
}

const locatorOf = (element: Element) =>
  new PressingLocator(selectorEngine.generateSelectorSimple(element), element);

page.extend({
  getByLabelText: (text, options) => new PressingLocator(getByLabelSelector(text, options)),
  getByRole: (role, options) => new PressingLocator(getByRoleSelector(role, options)),
  getByTestId: (id) =>
    new PressingLocator(getByTestIdSelector(server.config.browser.locators.testIdAttribute, id)),
  getByAltText: (text, options) => new PressingLocator(getByAltTextSelector(text, options)),
  getByPlaceholder: (text, options) => new PressingLocator(getByPlaceholderSelector(text, options)),
  getByText: (text, options) => new PressingLocator(getByTextSelector(text, options)),
  getByTitle: (title, options) => new PressingLocator(getByTitleSelector(title, options)),
  elementLocator: locatorOf,
});
// Vitest's types leave out what its own providers use.
type Internal = { __INTERNAL: { _createLocator(selector: string): Locator } };
(internal as unknown as Internal).__INTERNAL._createLocator = (selector) =>
  new PressingLocator(selector);
