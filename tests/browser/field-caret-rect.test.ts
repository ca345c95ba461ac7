import { beforeAll, describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { caretRect, clientBox } from '../../src/field/caret-rect.ts';
import { nextFrame } from '../helpers/came.ts';
import {
  contents,
  fieldOf,
  isControl,
  KINDS,
  type Kind,
  LETTERS,
  MULTILINE_KINDS,
  mount,
  mountKind,
  mountTyped,
  press,
  select,
  type,
} from '../helpers/editable-elements.ts';
import { exceptFirefox, isWebKit } from '../helpers/engine.ts';
import { mountScene, paintedCaret } from '../helpers/painted-caret.ts';

const LINE_HEIGHT = 20;
const BORDER = 3;
const PADDING_TOP = 7;
const PADDING_LEFT = 11;
/** Ten letters wide inside, whatever the font. */
const BOX = `box-sizing: content-box; width: 10ch; border: ${BORDER}px solid; margin: 20px;
  padding: ${PADDING_TOP}px 5px ${PADDING_TOP}px ${PADDING_LEFT}px; overflow-wrap: anywhere;`;
const RIGHT_TO_LEFT = `${BOX} height: 80px; direction: rtl;`;
/** The most that a caret may be off from where the engine paints it. */
const OFF_PX = 1;
const MAX_PICTURES = 4;

// Elements outside the window are missing in its picture.
beforeAll(() => page.viewport(414, 600));

/** An element in a part of a scene, with the focus and text typed by real keys. */
async function mountInScene(
  kind: Kind,
  text: string,
  style: string,
  partStyle = '',
): Promise<HTMLElement> {
  const element = mountKind(kind, style);
  const part = document.createElement('div');
  // Before anything is typed: WebKit paints a caret where it was until it moves.
  part.style.cssText = partStyle;
  part.append(element);
  mountScene('').append(part);
  element.focus();
  await type(text);
  return element;
}

/**
 * Holds the caret to where the engine paints it, to a pixel of the element's own. A picture may be
 * of a moment ago.
 */
async function expectAsPainted(element: HTMLElement, scale = 1): Promise<void> {
  // Firefox brings the caret into an input's view when it draws.
  await nextFrame();
  await nextFrame();
  const rect = fieldOf(element).caretRect();
  expect(rect.width).toBe(0);
  collapseToFocus(element);
  const offPx = OFF_PX * Math.max(scale, 1);
  let told = '';
  for (let count = 0; count < MAX_PICTURES; count += 1) {
    const painted = await paintedCaret();
    told = `${sides(rect)}, painted ${sides(painted)}`;
    // A line of no width is beside, or in, the painted one of a pixel or two.
    const offX = Math.max(painted.left - rect.left, rect.left - painted.right, 0);
    // WebKit paints a caret one of the element's pixels higher than its own rectangle.
    const offTop = Math.abs(rect.top - painted.top) - (isWebKit && scale !== 1 ? scale : 0);
    const offBottom = Math.abs(rect.bottom - painted.bottom);
    if (Math.max(offX, offTop, offBottom) <= offPx) return;
    if (isWebKit) await moveAwayAndBack(element);
  }
  throw new Error(`The caret is not where it is painted: ${told}`);
}

const sides = ({ left, right, top, bottom }: DOMRect) =>
  `${[left, right].join(' to ')} and ${[top, bottom].join(' to ')}`;

/** No engine paints a caret while letters are selected. */
function collapseToFocus(element: HTMLElement): void {
  if (!isControl(element)) {
    const { focusNode, focusOffset } = getSelection()!;
    getSelection()!.collapse(focusNode, focusOffset);
    return;
  }
  const isBackward = element.selectionDirection === 'backward';
  select(element, (isBackward ? element.selectionStart : element.selectionEnd)!);
}

/** WebKit now and then paints a caret where it was before the last letter, until it is moved. */
async function moveAwayAndBack(element: HTMLElement): Promise<void> {
  if (isControl(element)) {
    const { selectionStart, selectionEnd } = element;
    element.setSelectionRange(0, 0);
    await nextFrame();
    element.setSelectionRange(selectionStart, selectionEnd);
    return;
  }
  const selection = getSelection()!;
  const { focusNode, focusOffset } = selection;
  selection.collapse(element, 0);
  await nextFrame();
  selection.collapse(focusNode, focusOffset);
}

type Place = { readonly line: number; readonly column: number };

/** A letter's own size: engines choose fonts of their own. */
function letterWidth(): number {
  const probe = mount(`<span style="${LETTERS}">0000000000</span>`);
  return probe.getBoundingClientRect().width / 10;
}

/** No zero below nothing. */
const whole = (value: number): number => Math.round(value) + 0;

/** Line and column of the caret, as measured from the element's inner corner, to the nearest. */
function placeOf(element: HTMLElement, zoom = 1): Place {
  const box = clientBox(element);
  const rect = caretRect(element);
  const x = (rect.left - box.left) / zoom - BORDER - PADDING_LEFT;
  const y = ((rect.top + rect.bottom) / 2 - box.top) / zoom - BORDER - PADDING_TOP;
  return {
    line: whole(y / LINE_HEIGHT - 0.5),
    column: whole(x / letterWidth()),
  };
}

/** The place that the test means, and there to the pixel. */
async function expectPlace(element: HTMLElement, place: Place, zoom = 1): Promise<void> {
  await expectAsPainted(element, zoom);
  expect(placeOf(element, zoom)).toEqual(place);
}

describe.each(MULTILINE_KINDS)('the caret of %s', (kind) => {
  test.each([
    ['in an empty field', '', '', 0, 0],
    ['after letters', 'abcd', '', 0, 4],
    ['between letters', 'abcd', '{ArrowLeft}', 0, 3],
    ['before letters', 'abcd', '{Home}', 0, 0],
    ['on an empty last line', 'ab\n', '', 1, 0],
    ['on the second empty last line', 'ab\n\n', '', 2, 0],
    ['on an empty line between', 'ab\n\ncd', '{ArrowUp}', 1, 0],
    ['on an empty first line', '\nab', '{ArrowUp}', 0, 0],
    ['alone on its second line', '\n', '', 1, 0],
    ['at the end before a newline', 'ab\ncd', '{ArrowUp}{End}', 0, 2],
    ['after a soft wrap', 'abcd efgh ijkl', '', 1, 4],
    ['at a soft wrap', 'abcd efgh ijkl', '{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}', 1, 0],
    ['in a word that is broken', 'abcdefghijklm', '', 1, 3],
    ['where a word is broken', 'abcdefghijklm', '{ArrowLeft}{ArrowLeft}{ArrowLeft}', 1, 0],
    [
      'with letters selected forwards',
      'abcd',
      '{Home}{Shift>}{ArrowRight}{ArrowRight}{/Shift}',
      0,
      2,
    ],
    ['with letters selected backwards', 'abcd', '{Shift>}{ArrowLeft}{ArrowLeft}{/Shift}', 0, 2],
  ])('%s', async (_, text, keys, line, column) => {
    const element = await mountInScene(kind, text, `${BOX} height: 100px;`);
    if (keys !== '') await press(keys);
    await expectPlace(element, { line, column });
  });

  test.each([
    ['transform: scale(2); transform-origin: 0 0', 2],
    ['transform: translate(13px, 21px)', 1],
    ['zoom: 2', 2],
    ['zoom: 0.8', 0.8],
  ])('with %s', async (style, zoom) => {
    const element = await mountInScene(kind, 'abcd\nef', `${BOX} height: 60px; ${style}`);
    await expectPlace(element, { line: 1, column: 2 }, zoom);
  });

  test.each(['', 'abcd\nef', 'ab\n\n'])('in a page part with zoom, after %j', async (text) => {
    const element = await mountInScene(kind, text, `${BOX} height: 60px;`, 'zoom: 1.5');
    await expectAsPainted(element, 1.5);
  });

  test('with zoom in a page part with zoom and a transform', async () => {
    const part = 'zoom: 1.2; transform: scale(1.1); transform-origin: 0 0';
    const element = await mountInScene(kind, 'abcd\nef', `${BOX} height: 40px; zoom: 1.25`, part);
    await expectPlace(element, { line: 1, column: 2 }, 1.65);
  });

  test('scrolled', async () => {
    const element = await mountInScene(
      kind,
      'a\nb\nc\nd\ne\nfg',
      `${BOX} height: 60px; overflow: auto;`,
    );
    element.scrollTop = 60;
    await expectPlace(element, { line: 2, column: 2 });
  });

  test('scrolled, in a page part with zoom', async () => {
    const element = await mountInScene(
      kind,
      'a\nb\nc\nd\ne\nfg',
      `${BOX} height: 40px; overflow: auto;`,
      'zoom: 1.5',
    );
    element.scrollTop = 80;
    await expectAsPainted(element, 1.5);
  });

  test('in a scrolled page', async () => {
    const element = await mountInScene(kind, 'ab', `${BOX} height: 40px;`);
    const space = mount('<div style="height: 3000px"></div>');
    window.scrollTo(0, 15);
    await expectPlace(element, { line: 0, column: 2 });
    space.remove();
    window.scrollTo(0, 0);
  });

  test.each([
    ['empty', '', ''],
    ['after letters', 'אבג', ''],
    ['after letters of a wrapped line', 'אבגד הוזח טיכל', ''],
    ['at a soft wrap', 'אבגד הוזח טיכל', '{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}'],
    ['between letters before a newline', 'אבג\nדה', '{ArrowUp}'],
    ['before letters', 'אבג\nדה', '{ArrowUp}{Home}'],
  ])('from right to left: %s', async (_, text, keys) => {
    const element = await mountInScene(kind, text, RIGHT_TO_LEFT);
    if (keys !== '') await press(keys);
    await expectAsPainted(element);
  });

  const isElsewhere = isWebKit && kind === 'textarea';
  test.skipIf(isElsewhere).each([
    ['on an empty last line', 'אבג\n\n', ''],
    ['on an empty line between', 'אבג\n\nדה', '{ArrowUp}'],
    ['at the end before an empty line', 'אבג\n\n', '{ArrowUp}{ArrowUp}{End}'],
  ])(
    'from right to left: %s (WebKitGTK paints it elsewhere in a text area, where none is told to be)',
    async (_, text, keys) => {
      const element = await mountInScene(kind, text, RIGHT_TO_LEFT);
      if (keys !== '') await press(keys);
      await expectAsPainted(element);
    },
  );

  test('measuring changes nothing: not the undo history, not the element, not the page', async () => {
    const element = await mountTyped(kind, 'ab\n\ncd');
    const before = [
      contents(element),
      document.body.innerHTML,
      document.documentElement.childElementCount,
    ];
    for (const keys of ['{ArrowUp}', '{ArrowUp}', '{ArrowDown}{ArrowDown}']) {
      await press(keys);
      caretRect(element);
    }
    expect([
      contents(element),
      document.body.innerHTML,
      document.documentElement.childElementCount,
    ]).toEqual(before);
    await press('{Control>}z{/Control}');
    await press('{Control>}{Shift>}z{/Shift}{/Control}');
    expect(contents(element)).toBe(before[0]);
  });
});

describe('the caret of an input', () => {
  test.each([
    ['empty', '', '', 0],
    ['after letters', 'abcd', '', 4],
    ['between letters', 'abcd', '{ArrowLeft}{ArrowLeft}', 2],
    ['after a space', 'ab ', '', 3],
  ])('%s', async (_, text, keys, column) => {
    const element = await mountInScene('input', text, BOX);
    if (keys !== '') await press(keys);
    await expectPlace(element, { line: 0, column });
  });

  test.each([
    ['in the middle of a high one, scrolled to the end', 'height: 60px;', 'abcdefghijklmnop', ''],
    ['scrolled to the end and back a letter', '', 'abcdefghijklmnop', '{ArrowLeft}'],
    ['scrolled to the end and back a page', '', 'abcdefghijklmnop', '{Home}'],
    ['centred', 'text-align: center;', '', ''],
    ['centred, after letters', 'text-align: center;', 'abc', ''],
    ['from right to left', 'direction: rtl;', '', ''],
    ['from right to left, after letters', 'direction: rtl;', 'אבג', ''],
    ['from right to left, scrolled to the end', 'direction: rtl;', 'אבגדהוזחטיכלמנ', ''],
  ])('%s', async (_, style, text, keys) => {
    const element = await mountInScene('input', text, `${BOX} ${style}`);
    if (keys !== '') await press(keys);
    await expectAsPainted(element);
  });

  test.each([
    ['with zoom', 'zoom: 2;', 'abc'],
    ['with zoom, scrolled to the end', 'zoom: 2;', 'abcdefghijklmnop'],
    ['scaled', 'transform: scale(2); transform-origin: 0 0;', 'abc'],
  ])('%s', async (_, style, text) => {
    await expectAsPainted(await mountInScene('input', text, `${BOX} ${style}`), 2);
  });

  test.each(['', 'abc', 'abcdefghijklmnop'])('in a page part with zoom, after %j', async (text) => {
    const element = await mountInScene('input', text, BOX, 'zoom: 1.5');
    await expectAsPainted(element, 1.5);
  });
});

describe.each(['textarea', 'input'] as const)(
  'places of a %s in letters of many widths',
  (kind: Kind) => {
    test('are where the engine paints them', async () => {
      const text = 'Hej på dig, världen är 3,5 m.';
      const element = await mountInScene(
        kind,
        text,
        'font: italic 15px/23px serif; width: 320px; margin: 20px; letter-spacing: 1px;',
      );
      for (const offset of [0, 1, 6, 12, 19, 24, text.length]) {
        select(element, offset);
        await expectAsPainted(element);
      }
    });
  },
);

describe('the caret of rich text', () => {
  test.each([
    ['before a bold word', '<b>ab</b>cd', (e: Element) => [e, 0]],
    ['between elements', '<b>ab</b>cd', (e: Element) => [e, 1]],
    ['at the end of the element', '<b>ab</b>cd', (e: Element) => [e, 2]],
    ['on an empty paragraph', '<div>ab</div><div><br></div>', (e: Element) => [e.children[1]!, 0]],
  ] as const)('%s', async (_, html, at) => {
    const element = await mountInScene('rich', '', `${BOX} height: 100px;`);
    element.innerHTML = html;
    const [node, offset] = at(element) as [Node, number];
    getSelection()?.collapse(node, offset);
    await expectAsPainted(element);
  });
});

exceptFirefox('between two breaks (Firefox: paints it on the line before)', async () => {
  const element = await mountInScene('rich', '', `${BOX} height: 100px;`);
  element.innerHTML = 'a<br><br>b';
  getSelection()?.collapse(element, 2);
  await expectAsPainted(element);
});

test('between images it is beside them (as high as they are; engines paint it as the line)', () => {
  const element = mountKind('rich', BOX);
  element.innerHTML = '<img width=20 height=10><img width=20 height=10>';
  element.focus();
  getSelection()?.collapse(element, 1);
  const inner = element.getBoundingClientRect().left + BORDER + PADDING_LEFT;
  expect(Math.abs(caretRect(element).left - inner - 20)).toBeLessThanOrEqual(OFF_PX);
});

test.each(KINDS)('%s without a caret: the start of its first line', (kind) => {
  getSelection()?.removeAllRanges();
  expect(placeOf(mountKind(kind, BOX))).toEqual({ line: 0, column: 0 });
});
