import { describe, expect, test } from 'vitest';
import { caretRect } from '../../src/field/caret-rect.ts';
import {
  contents,
  fieldOf,
  isControl,
  KINDS,
  type Kind,
  MULTILINE_KINDS,
  mount,
  mountKind,
  mountTyped,
  press,
  select,
} from '../helpers/editable-elements.ts';
import { exceptWebKit, isWebKit } from '../helpers/engine.ts';

const LINE_HEIGHT = 20;
const BORDER = 3;
const PADDING_TOP = 7;
const PADDING_LEFT = 11;
/** Ten letters wide inside, whatever the font. */
const BOX = `box-sizing: content-box; width: 10ch; border: ${BORDER}px solid; margin: 20px;
  padding: ${PADDING_TOP}px 5px ${PADDING_TOP}px ${PADDING_LEFT}px; overflow-wrap: anywhere;`;

/** A letter's own size: engines choose fonts of their own. */
function letterSize(): { readonly width: number; readonly height: number } {
  const probe = mount('<span style="font: 16px/20px monospace">0000000000</span>');
  const { width, height } = probe.getBoundingClientRect();
  return { width: width / 10, height };
}

type Place = { readonly line: number; readonly column: number };

/** Line and column of the caret, as measured from the element's inner corner. */
function placeOf(element: HTMLElement, zoom = 1): Place {
  const box = element.getBoundingClientRect();
  const rect = fieldOf(element).caretRect();
  expect(rect.width).toBe(0);
  expect(rect.height).toBeGreaterThan(14 * zoom);
  const letter = letterSize();
  expect(rect.height).toBeLessThanOrEqual(Math.max(22, letter.height + 1) * zoom);
  const x = (rect.left - box.left) / zoom - BORDER - PADDING_LEFT;
  const y = ((rect.top + rect.bottom) / 2 - box.top) / zoom - BORDER - PADDING_TOP;
  return {
    line: y / LINE_HEIGHT - 0.5,
    column: x / letter.width,
  };
}

function expectPlace(element: HTMLElement, { line, column }: Place, zoom = 1): void {
  const place = placeOf(element, zoom);
  expect(place.line).toBeCloseTo(line, 0.5);
  expect(Math.abs(place.line - line)).toBeLessThan(0.11);
  expect(Math.abs(place.column - column)).toBeLessThan(0.2);
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
    const element = await mountTyped(kind, text, `${BOX} height: 100px;`);
    if (keys !== '') await press(keys);
    expectPlace(element, { line, column });
  });

  // WebKitGTK 2.50 gives rectangles in a part with zoom in that part's own pixels.
  const scales = ['transform: scale(2); transform-origin: 0 0', ...(isWebKit ? [] : ['zoom: 2'])];
  test.each(scales)('with %s', async (style) => {
    const element = await mountTyped(kind, 'abcd\nef', `${BOX} height: 60px; ${style}`);
    expectPlace(element, { line: 1, column: 2 }, 2);
  });

  exceptWebKit(
    "in a page part with zoom (WebKitGTK: gives it in the part's own pixels)",
    async () => {
      const element = await mountTyped(kind, 'abcd\nef', `${BOX} height: 60px;`);
      element.parentElement!.style.zoom = '1.5';
      expectPlace(element, { line: 1, column: 2 }, 1.5);
    },
  );

  test('scrolled', async () => {
    const element = await mountTyped(
      kind,
      'a\nb\nc\nd\ne\nfg',
      `${BOX} height: 40px; overflow: auto;`,
    );
    element.scrollTop = 60;
    expectPlace(element, { line: 2, column: 2 });
  });

  test('in a scrolled page', async () => {
    const element = await mountTyped(kind, 'ab', `${BOX} height: 40px;`);
    const space = mount('<div style="height: 3000px"></div>');
    window.scrollTo(0, 15);
    expectPlace(element, { line: 0, column: 2 });
    space.remove();
    window.scrollTo(0, 0);
  });

  test('from right to left: at the right when empty, at the left after letters', async () => {
    const element = await mountTyped(kind, '', `${BOX} direction: rtl; padding-right: 11px;`);
    const box = element.getBoundingClientRect();
    const innerRight = box.right - BORDER - PADDING_LEFT;
    expect(caretRect(element).left).toBeCloseTo(innerRight, 0);
    await press('אבג');
    const after = caretRect(element).left;
    expect(after).toBeLessThan(innerRight - 15);
    await press('{Enter}{Enter}');
    expect(caretRect(element).left).toBeCloseTo(innerRight, 0);
    await press('{ArrowUp}{ArrowUp}{End}');
    // In a text area's copy WebKit has the end of such a line a letter off.
    const offPx = isWebKit && kind === 'textarea' ? letterSize().width + 1 : 0.5;
    expect(Math.abs(caretRect(element).left - after)).toBeLessThan(offPx);
  });

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
    const element = await mountTyped('input', text, BOX);
    if (keys !== '') await press(keys);
    expectPlace(element, { line: 0, column });
  });

  test('in the middle of a high one, and scrolled to the end of a long text', async () => {
    const element = await mountTyped('input', 'abcdefghijklmnop', `${BOX} height: 60px;`);
    const box = element.getBoundingClientRect();
    const rect = caretRect(element);
    expect((rect.top + rect.bottom) / 2).toBeCloseTo((box.top + box.bottom) / 2, 0);
    const innerRight = box.right - BORDER - 5;
    expect(Math.abs(rect.left - innerRight)).toBeLessThan(2);
  });

  test('centred', async () => {
    const element = await mountTyped('input', '', `${BOX} text-align: center;`);
    expectPlace(element, { line: 0, column: 5 });
  });
});

type ValueRangeMaker = {
  createValueRange?(start: number, end: number): { getBoundingClientRect(): DOMRect };
};

describe.each(['textarea', 'input'] as const)('every place of a %s', (kind: Kind) => {
  test('is where the browser itself has it', async () => {
    const text = 'Hej på dig, världen är 3,5 m.';
    const element = mountKind(
      kind,
      'font: italic 15px/23px serif; width: 400px; letter-spacing: 1px;',
    );
    if (!isControl(element)) throw new Error('not a control');
    element.value = text;
    const native = element as ValueRangeMaker;
    if (native.createValueRange === undefined) return;
    for (let offset = 0; offset <= text.length; offset += 1) {
      select(element, offset);
      const expected = native.createValueRange(offset, offset).getBoundingClientRect();
      const actual = caretRect(element);
      expect(Math.abs(actual.left - expected.left), `left at ${offset}`).toBeLessThan(1);
      expect(Math.abs(actual.bottom - expected.bottom), `bottom at ${offset}`).toBeLessThan(2);
    }
  });
});

describe('the caret of rich text', () => {
  test.each([
    ['before a bold word', '<b>ab</b>cd', (e: Element) => [e, 0], 0, 0],
    ['between elements', '<b>ab</b>cd', (e: Element) => [e, 1], 0, 2],
    ['at the end of the element', '<b>ab</b>cd', (e: Element) => [e, 2], 0, 4],
    [
      'on an empty paragraph',
      '<div>ab</div><div><br></div>',
      (e: Element) => [e.children[1]!, 0],
      1,
      0,
    ],
    ['between two breaks', 'a<br><br>b', (e: Element) => [e, 2], 1, 0],
    [
      'between images',
      '<img width=20 height=10><img width=20 height=10>',
      (e: Element) => [e, 1],
      null,
      null,
    ],
  ] as const)('%s', (_, html, at, line, column) => {
    const element = mountKind('rich', `${BOX} height: 100px;`);
    element.innerHTML = html;
    element.focus();
    const [node, offset] = at(element) as [Node, number];
    getSelection()?.collapse(node, offset);
    if (line !== null) return expectPlace(element, { line, column });
    const inner = element.getBoundingClientRect().left + BORDER + PADDING_LEFT;
    expect(caretRect(element).left).toBeCloseTo(inner + 20, 0);
  });
});

test.each(KINDS)('%s without a caret: the start of its first line', (kind) => {
  getSelection()?.removeAllRanges();
  expectPlace(mountKind(kind, BOX), { line: 0, column: 0 });
});
