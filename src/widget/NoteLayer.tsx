import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { clientBox, placeRect } from '../field/caret-rect.ts';
import { activeElementOf, isScope } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import type { SavedCursor } from '../field/saved-cursors.ts';
import { textRects } from '../field/text-lines.ts';
import { type Box, common, EDGE_PX, freePlace, overlaps, visibleWindow } from './free-place.ts';
import { useSnapshot } from './hooks.ts';
import type { FieldPlaces } from './insertions.ts';
import { LiveSpoken } from './LiveWords.tsx';
import { controlsBeside, showOnTop } from './on-top.ts';

/** The styles that decide where a letter stands on its line. */
const WORD_STYLES = [
  ...(['direction', 'fontFamily', 'fontFeatureSettings', 'fontKerning', 'fontSize'] as const),
  ...(['fontStretch', 'fontStyle', 'fontVariant', 'fontWeight', 'hyphens'] as const),
  ...(['letterSpacing', 'lineBreak', 'lineHeight', 'overflowWrap', 'tabSize'] as const),
  ...(['textTransform', 'wordBreak', 'wordSpacing', 'color'] as const),
] as const;

const SEEN_CHARACTERS = 1_500;

export type NoteLayerProps = {
  readonly dictation: Dictation;
  readonly field: EditableField;
  /** Where texts are to land. */
  readonly places: FieldPlaces;
  /** Shows the words while somebody speaks. */
  readonly showsWords: boolean;
  /** Final text is in the field already. */
  readonly skipsFinal: boolean;
};

/**
 * Lies over a field's text and moves nothing of it: the words that are being said, where they will
 * stand, or beside the caret where that cannot be; and a mark at each place where a text is still to
 * land.
 */
export function NoteLayer(props: NoteLayerProps) {
  const { dictation, field, places, showsWords, skipsFinal } = props;
  const list = useSyncExternalStore(places.subscribe, places.list);
  const id = useSnapshot(dictation, ({ session }) => session.id);
  const phase = useSnapshot(dictation, ({ session }) => session.phase);
  const cancelled = useSnapshot(dictation, (snapshot) => snapshot.cancelled);
  const words = useWords(dictation, skipsFinal);
  /** The dictation whose text is in the field by now. */
  const [landed, setLanded] = useState<string | null>(null);
  const running = list.find(({ dictationId }) => dictationId !== null && dictationId === id);
  const isSpoken = phase === 'recording' || phase === 'paused' || phase === 'starting';
  const isOver = landed === id || cancelled === id;
  const isShown = showsWords && running !== undefined && !isOver && words !== null;
  const marked = list.filter(
    ({ dictationId }) => dictationId !== cancelled && dictationId !== landed,
  );
  const layer = useRef<HTMLDivElement>(null);

  // First: the words are drawn where it stood.
  useLayoutEffect(() => (isShown ? hidePlaceholder(field.element) : undefined), [field, isShown]);
  useLayoutEffect(() => {
    const element = layer.current;
    if (!element) return;
    return followField(field.element, () => {
      const seen = seenOf(field.element);
      const at = (cursor: SavedCursor | undefined) => (cursor ? placeOf(field, cursor) : null);
      spread(element, seen);
      for (const [index, mark] of element.querySelectorAll<HTMLElement>('.place-mark').entries()) {
        const { cursor, dictationId } = marked[index] ?? {};
        drawMark(mark, at(cursor), seen);
        // The words show the place, or the caret does.
        if (dictationId !== id || !(isSpoken || isShown)) continue;
        mark.hidden ||= isShown || isAtCaret(mark, field);
      }
      const text = element.querySelector<HTMLElement>('.note-words');
      if (text) drawWords(text, field, at(running?.cursor), seen);
    });
  });

  useLayoutEffect(() => {
    if (phase !== 'stopped' && phase !== 'idle') return;
    const { element } = field;
    // From then on the words themselves stand there.
    const land = (): void => setLanded(id);
    element.addEventListener('input', land);
    return () => element.removeEventListener('input', land);
  }, [field, id, phase]);

  if (!isShown && marked.length === 0) return null;
  return (
    <div
      ref={(element) => {
        layer.current = element;
        showOnTop(element);
      }}
      popover="manual"
      translate="no"
      className="note-layer notranslate"
    >
      {marked.map(({ key }) => (
        <span key={key} className="place-mark" aria-hidden />
      ))}
      {isShown && (
        <>
          <div className="note-words" aria-hidden>
            <p>
              <span>{words.steady}</span>
              {words.tentative !== '' && (
                <span className="live-tentative">{` ${words.tentative}`}</span>
              )}
            </p>
          </div>
          <LiveSpoken dictation={dictation} />
        </>
      )}
    </div>
  );
}

/** A placeholder that can be hidden without the focus, as on a telephone whose keyboard is down. */
const OWN_PLACEHOLDER = '[placeholder], [data-placeholder]';

const MARK = 'data-diktera-words';

const NO_PLACEHOLDER = `[${MARK}]::placeholder, :is(:focus:empty, [${MARK}])::before { color: transparent !important }`;

/** Words stand there. Not by the element's own style, which is its page's; the answer ends it. */
function hidePlaceholder(element: HTMLElement): (() => void) | undefined {
  const root = element.getRootNode();
  if (!isScope(root)) return undefined;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(NO_PLACEHOLDER);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  if (element.matches(OWN_PLACEHOLDER)) element.setAttribute(MARK, '');
  return () => {
    element.removeAttribute(MARK);
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
  };
}

/** The words as they are to be seen; null where none are. */
function useWords(dictation: Dictation, skipsFinal: boolean) {
  const finalText = useSnapshot(dictation, ({ session }) => session.live?.finalText ?? '');
  const firm = useSnapshot(dictation, ({ session }) => session.live?.firm ?? '');
  const tentative = useSnapshot(dictation, ({ session }) => session.live?.tentative ?? '');
  const steady = [skipsFinal ? '' : finalText, firm].filter(Boolean).join(' ');
  if (steady + tentative === '') return null;
  return { steady: lastWords(steady), tentative };
}

function lastWords(text: string): string {
  return text.length <= SEEN_CHARACTERS
    ? text
    : text.slice(text.indexOf(' ', text.length - SEEN_CHARACTERS) + 1);
}

/** Calls `draw` now and whenever the field or its text may have moved; the answer ends that. */
function followField(element: HTMLElement, draw: () => void): () => void {
  draw();
  const listening = new AbortController();
  const options = { signal: listening.signal, capture: true, passive: true };
  let frame = 0;
  const later = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };
  for (const type of ['input', 'selectionchange', 'scroll', 'pointerup']) {
    document.addEventListener(type, later, options);
  }
  element.addEventListener('input', later, options);
  for (const type of ['resize', 'scroll']) {
    window.addEventListener(type, later, options);
    window.visualViewport?.addEventListener(type, later, options);
  }
  const sizes = new ResizeObserver(later);
  sizes.observe(element);
  return () => {
    cancelAnimationFrame(frame);
    listening.abort();
    sizes.disconnect();
  };
}

/** The part of a field that is seen: what is around it may cut it off. */
function seenOf(element: HTMLElement): Box {
  let seen = common(clientBox(element), visibleWindow());
  for (let around = element.parentElement; around; around = around.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(around);
    if (around === document.body || around === document.documentElement) break;
    if (overflowX !== 'visible' || overflowY !== 'visible') seen = common(seen, clientBox(around));
  }
  return seen;
}

/** A place where a text is to land. */
type Place = {
  /** In client coordinates, of no width. */
  readonly rect: DOMRect;
  /** The character before it; empty at the beginning. */
  readonly before: string;
  /** The lines of text near it, in client coordinates. */
  readonly lines: readonly DOMRect[];
};

function placeOf(field: EditableField, cursor: SavedCursor): Place | null {
  const place = field.placeOf?.(cursor);
  if (!place) return null;
  const { offset, before } = place;
  const { element } = field;
  return { rect: placeRect(element, offset), before, lines: textRects(element, offset) };
}

/** Over what is seen of the field. */
function spread(layer: HTMLElement, { left, top, right, bottom }: Box): void {
  Object.assign(layer.style, {
    left: `${left}px`,
    top: `${top}px`,
    width: `${Math.max(0, right - left)}px`,
    height: `${Math.max(0, bottom - top)}px`,
  });
}

function drawMark(mark: HTMLElement, place: Place | null, seen: Box): void {
  mark.hidden = place === null;
  if (place === null) return;
  mark.style.left = `${place.rect.left - seen.left}px`;
  mark.style.top = `${place.rect.top - seen.top}px`;
  mark.style.height = `${place.rect.height}px`;
}

function isAtCaret(mark: HTMLElement, field: EditableField): boolean {
  const [at, caret] = [mark.getBoundingClientRect(), field.caretRect()];
  return Math.abs(at.left + 1 - caret.left) < 2 && Math.abs(at.top - caret.top) < 2;
}

/** In the text where they will stand, if there is nothing and enough room; else beside the caret. */
function drawWords(words: HTMLElement, field: EditableField, place: Place | null, seen: Box): void {
  const text = words.firstElementChild;
  if (!(text instanceof HTMLElement)) return;
  words.removeAttribute('style');
  delete words.dataset.isBeside;
  if (place && isPlain(field.element)) {
    setInText(words, field.element, place, seen);
    if (fits(text, place, seen, field.element)) return;
  }
  words.removeAttribute('style');
  words.dataset.isBeside = 'true';
  const caret = place?.rect ?? field.caretRect();
  words.style.width = `${Math.min(seen.right - seen.left - 2 * EDGE_PX, 432)}px`;
  const size = words.getBoundingClientRect();
  const taken = [
    ...controlsBeside(words, ['.at-caret']),
    ...(place?.lines ?? []).map((line) => common(line, seen)),
  ];
  const isRightToLeft = getComputedStyle(field.element).direction === 'rtl';
  const at = freePlace(size, {
    caret,
    isRightToLeft,
    field: seen,
    window: visibleWindow(),
    taken,
  }) ?? {
    left: seen.left + EDGE_PX,
    // On other lines, since there is nothing else: not on the one that is being written.
    top:
      caret.top - seen.top > seen.bottom - caret.bottom
        ? seen.top + EDGE_PX
        : seen.bottom - EDGE_PX - size.height,
  };
  words.style.left = `${at.left}px`;
  words.style.top = `${at.top}px`;
}

/** Nothing scales or turns it: what is said of its lengths is true of the window, too. */
function isPlain(element: HTMLElement): boolean {
  const { width } = element.getBoundingClientRect();
  return (
    Math.abs(width - element.offsetWidth) < 1 &&
    getComputedStyle(element).writingMode === 'horizontal-tb'
  );
}

function setInText(words: HTMLElement, element: HTMLElement, place: Place, seen: Box): void {
  const style = getComputedStyle(element);
  const px = (length: string): number => Number.parseFloat(length) || 0;
  const box = element.getBoundingClientRect();
  const left = box.left + element.clientLeft + px(style.paddingLeft);
  const right = box.left + element.clientLeft + element.clientWidth - px(style.paddingRight);
  const { rect, before } = place;
  for (const name of WORD_STYLES) words.style[name] = style[name];
  const lineHeight = px(style.lineHeight) || rect.height;
  const isOneLine = element.localName === 'input';
  const isRightToLeft = style.direction === 'rtl';
  const gap = before === '' || /\s/.test(before) ? 0 : px(style.fontSize) / 4;
  Object.assign(words.style, {
    left: `${left - seen.left}px`,
    top: `${rect.top - (lineHeight - rect.height) / 2 - seen.top}px`,
    width: `${right - left}px`,
    lineHeight: `${lineHeight}px`,
    whiteSpace: isOneLine ? 'pre' : 'pre-wrap',
    textIndent: `${gap + (isRightToLeft ? right - rect.left : rect.left - left)}px`,
  });
}

/** All of it is seen, and none of it lies on what is written. */
function fits(text: HTMLElement, { lines }: Place, seen: Box, element: HTMLElement): boolean {
  const all = document.createRange();
  all.selectNodeContents(text);
  const window = common(seen, visibleWindow());
  const isBare = element.hasAttribute(MARK) || activeElementOf(element) === element;
  const written = isEmpty(element) && isBare ? [] : lines;
  return [...all.getClientRects()].every(
    (line) =>
      line.top >= window.top - 1 &&
      line.bottom <= window.bottom + 1 &&
      line.right <= window.right + 1 &&
      line.left >= window.left - 1 &&
      !written.some((other) => overlaps(line, other)),
  );
}

/** The lines are the placeholder's then. */
function isEmpty(element: HTMLElement): boolean {
  return ('value' in element ? element.value : element.textContent) === '';
}
