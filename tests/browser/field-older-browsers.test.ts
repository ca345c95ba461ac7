import { expect, onTestFinished, test } from 'vitest';
import { isSeen, selectionOf } from '../../src/field/dom.ts';
import { createContentEditableSurface } from '../../src/field/text-surface.ts';
import { fieldOf, mount, mountKind, textOf } from '../helpers/editable-elements.ts';
import { isChromium } from '../helpers/engine.ts';

/** Has one object answer as in a browser of before, until the test ends. */
function stand(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true });
  onTestFinished(() => void Reflect.deleteProperty(object, name));
}

test('without checkVisibility (Safari before 17.4) a hidden element is known', async () => {
  const element = mountKind('rich');
  stand(element, 'checkVisibility', undefined);
  expect(isSeen(element)).toBe(true);
  element.style.visibility = 'hidden';
  expect(isSeen(element)).toBe(false);
  element.style.cssText = 'display: none';
  expect(isSeen(element)).toBe(false);
});

test('without checkVisibility a text goes in', async () => {
  const element = mountKind('rich');
  stand(element, 'checkVisibility', undefined);
  element.focus();
  const field = fieldOf(element);
  expect(await field.insert('hej', field.saveCursor())).toMatchObject({ kind: 'inserted' });
  expect(textOf(element)).toContain('hej');
});

test('without caretPositionFromPoint (Safari before 18.4) the place under a point is found', () => {
  const element = mountKind('rich');
  element.textContent = 'abcdef';
  const letter = document.createRange();
  letter.setStart(element.firstChild!, 3);
  letter.setEnd(element.firstChild!, 4);
  const { left, top, height } = letter.getBoundingClientRect();
  const made = document.createRange();
  made.setStart(element.firstChild!, 3);
  stand(document, 'caretPositionFromPoint', undefined);
  // Firefox has none of its own.
  if (!('caretRangeFromPoint' in document)) stand(document, 'caretRangeFromPoint', () => made);
  const surface = createContentEditableSurface(element);
  onTestFinished(surface.dispose);
  expect(surface.offsetAtPoint(left + 1, top + height / 2)).toBe(3);
});

test.skipIf(isChromium)(
  'getComposedRanges that is told of the trees one by one, as in Safari 17 (Chromium: it is not asked)',
  () => {
    const host = mount('<div></div>');
    const root = host.attachShadow({ mode: 'open' });
    root.innerHTML = '<div contenteditable>abc</div>';
    const inner = root.firstElementChild as HTMLElement;
    const text = inner.firstChild!;
    const range = new StaticRange({
      startContainer: text,
      startOffset: 1,
      endContainer: text,
      endOffset: 2,
    });
    stand(getSelection()!, 'getComposedRanges', (...roots: unknown[]) => {
      if (!roots.every((each) => each instanceof ShadowRoot)) throw new TypeError('no tree');
      return roots.includes(root) ? [range] : [];
    });
    expect(selectionOf(inner)).toMatchObject({ focusNode: text, anchorOffset: 1, focusOffset: 2 });
  },
);
