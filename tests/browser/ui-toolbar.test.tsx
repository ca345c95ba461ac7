import { describe, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { caretRect, contentEditableCaretRect } from '../../src/field/caret-rect.ts';
import { isTextControl } from '../../src/field/dom.ts';
import { caretOffset, textRects } from '../../src/field/text-lines.ts';
import { readTextMap } from '../../src/field/text-map.ts';
import { common, overlaps } from '../../src/widget/free-place.ts';
import {
  button,
  mountField,
  moveMouse,
  seenToolbar,
  toolbar,
} from '../helpers/dictation-field.tsx';
import { exceptFirefox } from '../helpers/engine.ts';

/** Where the browser says that the caret is, and the toolbar. */
function places(element: HTMLElement) {
  return { caret: contentEditableCaretRect(element), bar: toolbar()!.getBoundingClientRect() };
}

/** Waits until the toolbar is 27 px under the caret, give or take what a pixel grid rounds. */
async function expectUnderCaret(element: HTMLElement): Promise<void> {
  await seenToolbar();
  moveMouse();
  await expect
    .poll(() => {
      const { caret, bar } = places(element);
      return Math.abs(bar.top - caret.bottom - 27) < 1 && Math.abs(bar.left - caret.left) < 1;
    })
    .toBe(true);
}

/** A box for the field, with HTML around it as wanted; gone with the test. */
function hostIn(html: string, selector = '.host'): HTMLElement {
  const around = document.createElement('div');
  around.innerHTML = html;
  document.body.append(around);
  onTestFinished(() => around.remove());
  return around.querySelector<HTMLElement>(selector)!;
}

describe('27 px under the caret', () => {
  test('in an empty field, and it follows the caret as one types and moves', async () => {
    const { element } = mountField({ placeholder: 'Skriv' });
    expect(toolbar()).toBeNull();
    await userEvent.click(element);
    await expectUnderCaret(element);
    const { bar: first } = places(element);
    await userEvent.keyboard('en rad');
    await expectUnderCaret(element);
    expect(places(element).bar.left).toBeGreaterThan(first.left);
    await userEvent.keyboard('{Enter}{Enter}');
    await expectUnderCaret(element);
    expect(places(element).bar.top).toBeGreaterThan(first.top + 30);
    await userEvent.keyboard('{ArrowUp}{ArrowUp}{Home}');
    await expectUnderCaret(element);
    // An empty line has no letters to measure: the caret there is taken from the font, to the
    // pixel.
    expect(Math.abs(places(element).bar.top - first.top)).toBeLessThanOrEqual(1);
  });

  test('as one writes on in a field that scrolls', async () => {
    const { element } = mountField({ defaultValue: Array(20).fill('rad').join('\n') });
    element.style.minHeight = '0';
    element.style.maxHeight = '160px';
    await userEvent.click(element);
    await userEvent.keyboard('{Control>}{End}{/Control}{Enter}sist');
    await expectUnderCaret(element);
    const scrolled = element.scrollTop;
    expect(scrolled).toBeGreaterThan(100);
    await userEvent.keyboard('{Enter}{Enter}till');
    await expectUnderCaret(element);
    expect(element.scrollTop).toBeGreaterThan(scrolled);
  });

  test('on the line the caret is on, at a soft wrap', async () => {
    const { element } = mountField({ defaultValue: 'ett två tre fyra fem sex sju åtta nio tio' });
    element.style.width = '200px';
    await userEvent.click(element);
    await userEvent.keyboard('{Control>}{End}{/Control}');
    await seenToolbar();
    // No further to the right than the field goes.
    await expect
      .poll(() => Math.abs(places(element).bar.top - places(element).caret.bottom - 27))
      .toBeLessThan(1);
  });

  test.each([
    ['right-to-left text', '<div dir="rtl" class="host"></div>'],
    ['a zoomed page', '<div style="zoom: 1.5" class="host"></div>'],
    [
      'a transformed parent',
      '<div style="transform: translate(30px, 20px) scale(0.8)" class="host"></div>',
    ],
    [
      'a parent that clips',
      '<div style="overflow: hidden; height: 60px; contain: paint" class="host"></div>',
    ],
  ])('in %s', async (_name, html) => {
    const { element } = mountField({ defaultValue: 'några ord' }, hostIn(html));
    await userEvent.click(element, { position: { x: 40, y: 32 } });
    await seenToolbar();
    await expect
      .poll(() => places(element).bar.top - places(element).caret.bottom)
      .toBeCloseTo(27, 0);
    await userEvent.keyboard('mer');
    moveMouse();
    await expect
      .poll(() => places(element).bar.top - places(element).caret.bottom)
      .toBeCloseTo(27, 0);
  });

  test('in a modal dialog, and its buttons can be pressed', async () => {
    const host = hostIn('<dialog><div class="host" style="width: 400px"></div></dialog>');
    host.closest('dialog')!.showModal();
    const { element } = mountField({}, host);
    await userEvent.click(element);
    await expectUnderCaret(element);
    const { bar } = places(element);
    expect(toolbar()!.contains(document.elementFromPoint(bar.left + 20, bar.top + 20))).toBe(true);
  });
});

describe('in the window, and never on the line being written', () => {
  test('at the bottom it stands above', async () => {
    await page.viewport(600, 400);
    const host = hostIn('<div style="height: 330px"></div><div class="host"></div>');
    const { element } = mountField({ defaultValue: 'sist' }, host);
    element.style.minHeight = '0';
    element.style.padding = '8px';
    await userEvent.click(element);
    await seenToolbar();
    await expect
      .poll(() => places(element).caret.top - places(element).bar.bottom)
      .toBeCloseTo(27, 0);
  });

  test.each([320, 414])('at the right edge of a window %i px wide', async (width) => {
    await page.viewport(width, 600);
    const { element } = mountField({ defaultValue: 'm'.repeat(24) });
    await userEvent.click(element);
    await userEvent.keyboard('{End}');
    await seenToolbar();
    await expect.poll(() => places(element).bar.right).toBeLessThanOrEqual(width);
    expect(places(element).bar.left).toBeGreaterThanOrEqual(0);
    expect(places(element).bar.top).toBeGreaterThanOrEqual(places(element).caret.bottom);
    await page.viewport(1_000, 700);
  });

  test('unseen while the caret is scrolled out of its field', async () => {
    const { element } = mountField({ defaultValue: Array(40).fill('rad').join('\n') });
    element.style.maxHeight = '200px';
    await userEvent.click(element, { position: { x: 40, y: 32 } });
    await seenToolbar();
    element.scrollTop = 600;
    await expect.poll(() => toolbar()?.checkVisibility({ visibilityProperty: true })).toBe(false);
    element.scrollTop = 0;
    await seenToolbar();
  });
});

describe('steps aside', () => {
  const LONG = Array.from({ length: 60 }, (_, line) => `Rad ${line} med några ord på.`).join('\n');
  const HINT = 'Klicka här, tryck på Diktera (F9) och tala, så skrivs orden där markören står.';

  type Case = readonly [
    name: string,
    how: {
      readonly props: Parameters<typeof mountField>[0];
      readonly widthPx?: number;
      readonly heightPx?: number;
      readonly above?: number;
      /** Share of the text before the caret. */
      readonly at?: number;
      readonly isWindowNarrow?: boolean;
    },
  ];
  const CASES: readonly Case[] = [
    ['a short input', { props: { as: 'input', defaultValue: 'några ord' }, at: 1 }],
    ['a narrow input', { props: { as: 'input', defaultValue: 'Ort' }, widthPx: 130, at: 1 }],
    ['an empty textarea', { props: { as: 'textarea' } }],
    ['a tall textarea, in its text', { props: { as: 'textarea', defaultValue: LONG }, at: 0.5 }],
    ['a tall textarea, at its end', { props: { as: 'textarea', defaultValue: LONG }, at: 1 }],
    ['a contenteditable, in its text', { props: { defaultValue: LONG }, at: 0.5 }],
    ['a contenteditable, in its first line', { props: { defaultValue: LONG }, at: 0 }],
    ['a contenteditable, at its end', { props: { defaultValue: 'Ett.\nTvå.\nTre.' }, at: 1 }],
    ['at the bottom of the window', { props: { defaultValue: 'Ett.\nTvå.' }, above: 480, at: 1 }],
    ['a long placeholder, 320 px', { props: { placeholder: HINT }, isWindowNarrow: true }],
    [
      'a long placeholder of a textarea, 320 px',
      { props: { as: 'textarea', placeholder: HINT }, isWindowNarrow: true },
    ],
    ['text, 320 px', { props: { defaultValue: LONG }, isWindowNarrow: true, at: 0.3 }],
    ['a few words, 320 px', { props: { defaultValue: 'Ett två.' }, isWindowNarrow: true, at: 1 }],
  ];

  function putCaret(element: HTMLElement, offset: number): void {
    const { node, offset: inNode } = readTextMap(element).pointAt(offset);
    if (isTextControl(element)) element.setSelectionRange(offset, offset);
    else getSelection()?.setPosition(node, inNode);
    // As the browser does for a press or a key.
    const { top, bottom } = element.getBoundingClientRect();
    const { top: at } = caretRect(element);
    if (at < top || at > bottom - 40) element.scrollTop += at - (top + bottom) / 2;
  }

  /** The things that the bar covers: the caret's line, lines of text, our own controls. */
  function covered(element: HTMLElement, bar: DOMRect): readonly string[] {
    const { top, bottom } = caretRect(element);
    const field = element.getBoundingClientRect();
    const seen = textRects(element, caretOffset(element)).map((line) => common(line, field));
    const line = { left: field.left, right: field.right, top, bottom };
    return [
      ...(overlaps(bar, line) ? ['line of the caret'] : []),
      ...seen.filter((text) => overlaps(bar, text)).map(() => 'text'),
      ...[...document.querySelectorAll('.recording-bar')]
        .filter((each) => overlaps(bar, each.getBoundingClientRect()))
        .map(() => 'controls'),
    ];
  }

  test.each(CASES)(
    '%s: nothing is covered, and it is as wide as the field at most',
    async (_name, how) => {
      await page.viewport(how.isWindowNarrow ? 320 : 900, 640);
      const host = hostIn(
        `<div style="height: ${how.above ?? 0}px"></div><div class="host"></div>`,
      );
      const { element, text } = mountField(how.props, host);
      if (how.widthPx) element.closest<HTMLElement>('.sheet')!.style.width = `${how.widthPx}px`;
      element.focus();
      putCaret(element, Math.round((how.at ?? 0) * text().length));
      await expect.poll(toolbar).not.toBeNull();
      moveMouse();
      for (const isRecording of [false, true]) {
        if (isRecording) await userEvent.keyboard('{F9}');
        if (isRecording) await expect.poll(() => document.querySelector('.is-stop')).not.toBeNull();
        await new Promise((resolve) => setTimeout(resolve, 100));
        const bar = toolbar()!;
        const isHidden = getComputedStyle(bar).visibility === 'hidden';
        // While it records there is a bar with the same button.
        expect(isHidden && !isRecording).toBe(false);
        if (isHidden) continue;
        const box = bar.getBoundingClientRect();
        expect(covered(element, box)).toEqual([]);
        expect(box.width).toBeLessThanOrEqual(element.getBoundingClientRect().width + 1);
        expect(box.left).toBeGreaterThanOrEqual(0);
        expect(Math.max(box.right - innerWidth, box.bottom - innerHeight)).toBeLessThanOrEqual(0);
      }
    },
  );

  test.each(['textarea', 'editable'] as const)(
    "in the middle of a text (%s) it stands at the field's edge, and can be pressed",
    async (as) => {
      await page.viewport(900, 700);
      const { element, dictation } = mountField({ as, defaultValue: LONG });
      element.style.height = '300px';
      element.focus();
      putCaret(element, 700);
      const bar = await seenToolbar();
      await expect.poll(() => covered(element, bar.getBoundingClientRect())).toEqual([]);
      await userEvent.click(button('Diktera', bar));
      await expect.poll(() => dictation.started.length).toBe(1);
    },
  );

  test('nowhere while one types: it comes back with the mouse, a press, or the focus in it', async () => {
    const { element } = mountField();
    await userEvent.click(element);
    const bar = await seenToolbar();
    const opacity = () => Number(getComputedStyle(bar).opacity);
    const isThere = () => opacity() > 0 && getComputedStyle(bar).pointerEvents !== 'none';
    expect(isThere()).toBe(true);
    await userEvent.keyboard('ord');
    await expect.poll(opacity).toBe(0);
    expect(isThere()).toBe(false);
    moveMouse();
    await expect.poll(isThere).toBe(true);
    await userEvent.keyboard('{Backspace}');
    await expect.poll(opacity).toBe(0);
    await userEvent.click(element);
    await expect.poll(isThere).toBe(true);
    await userEvent.keyboard('n');
    await expect.poll(opacity).toBe(0);
    await userEvent.keyboard('{Tab}');
    await expect.poll(isThere).toBe(true);
    // To look for another place in the text is not to type.
    element.focus();
    await userEvent.keyboard('{ArrowLeft}');
    expect(isThere()).toBe(true);
  });

  test('pale until the pointer comes near', async () => {
    const { element } = mountField();
    await userEvent.click(element);
    const bar = await seenToolbar();
    const opacity = () => Number(getComputedStyle(bar).opacity);
    moveMouse(890, 600);
    // Where nothing hovers, nothing comes near.
    const pale = matchMedia('(hover: hover)').matches ? 0.65 : 1;
    await expect.poll(opacity).toBeCloseTo(pale);
    const { left, bottom } = bar.getBoundingClientRect();
    moveMouse(left + 20, bottom + 40);
    await expect.poll(opacity).toBe(1);
  });
});

test('it stays when the focus itself brings the field into view', async () => {
  await page.viewport(600, 400);
  const host = hostIn('<div style="height: 2000px"></div><div class="host"></div>');
  const { element } = mountField({}, host);
  element.focus();
  await expect.poll(() => window.scrollY).toBeGreaterThan(500);
  await seenToolbar();
  const drawn = () => new Promise(requestAnimationFrame);
  for (let frame = 0; frame < 6; frame += 1) await drawn();
  expect(toolbar()).not.toBeNull();
  await page.viewport(1_000, 700);
});

describe('it goes', () => {
  test('when the enclosing area scrolls, and comes back with the next click', async () => {
    const host = hostIn(
      '<div class="area" style="height: 300px; overflow: auto"><div class="host"></div><div style="height: 900px"></div></div>',
    );
    const { element } = mountField({}, host);
    await userEvent.click(element);
    await seenToolbar();
    const area = host.closest('.area')!;
    await expect
      .poll(() => {
        area.scrollTop += 1;
        return toolbar();
      })
      .toBeNull();
    await userEvent.click(element);
    await seenToolbar();
  });

  test('when one presses outside, but not on its own buttons or the field', async () => {
    const outside = hostIn('<p class="host">Utanför</p>');
    const { element } = mountField();
    await userEvent.click(element);
    const bar = await seenToolbar();
    await userEvent.click(bar.querySelector('button')!);
    await userEvent.click(element);
    expect(toolbar()).not.toBeNull();
    await userEvent.click(outside);
    await expect.poll(toolbar).toBeNull();
  });

  test('when the focus moves on, and with Escape', async () => {
    const next = hostIn('<button class="host">Nästa</button>');
    const { element } = mountField();
    element.focus();
    await seenToolbar();
    await userEvent.keyboard('{Escape}');
    await expect.poll(toolbar).toBeNull();
    await userEvent.keyboard('a');
    await seenToolbar();
    next.focus();
    await expect.poll(toolbar).toBeNull();
  });

  test('when the focus has moved on before it was drawn', async () => {
    const first = mountField();
    const second = mountField();
    first.element.focus();
    second.element.focus();
    const { top } = second.element.getBoundingClientRect();
    const tops = () =>
      [...document.querySelectorAll('[role="toolbar"][popover]')].map(
        (each) => each.getBoundingClientRect().top,
      );
    await expect.poll(() => tops().some((each) => each > top)).toBe(true);
    expect(tops()).toHaveLength(1);
  });
});

describe('from the keyboard', () => {
  exceptFirefox(
    'one tab stop, arrows between the buttons, Escape back into the text (Firefox: a focus that has left the page comes back elsewhere)',
    async () => {
      const { element } = mountField();
      element.focus();
      await userEvent.keyboard('text');
      const bar = await seenToolbar();
      const [dictate, copy] = bar.querySelectorAll('button');
      await userEvent.keyboard('{Tab}');
      expect(document.activeElement).toBe(dictate);
      await userEvent.keyboard('{ArrowRight}');
      expect(document.activeElement).toBe(copy);
      await userEvent.keyboard('{ArrowRight}');
      expect(document.activeElement).toBe(dictate);
      await userEvent.keyboard('{End}');
      expect(document.activeElement).toBe(copy);
      await userEvent.keyboard('{Tab}');
      expect(bar.contains(document.activeElement)).toBe(false);
      await userEvent.keyboard('{Shift>}{Tab}{/Shift}');
      expect(document.activeElement).toBe(copy);
      await userEvent.keyboard('{Escape}');
      expect(document.activeElement).toBe(element);
    },
  );

  test('when it goes while it has the focus, the text gets that, and no toolbar', async () => {
    const host = hostIn(
      '<div class="area" style="height: 300px; overflow: auto"><div class="host"></div><div style="height: 900px"></div></div>',
    );
    const { element } = mountField({}, host);
    await userEvent.click(element);
    await seenToolbar();
    await userEvent.keyboard('{Tab}');
    expect(toolbar()!.contains(document.activeElement)).toBe(true);
    await expect
      .poll(() => {
        host.closest('.area')!.scrollTop += 1;
        return toolbar();
      })
      .toBeNull();
    expect(document.activeElement).toBe(element);
  });

  test('a press of the mouse leaves the caret in the text', async () => {
    const { element } = mountField();
    await userEvent.click(element);
    await seenToolbar();
    await userEvent.click(toolbar()!.querySelector('button')!);
    expect(document.activeElement).toBe(element);
  });
});

test('the toolbar has no backdrop: each would be a picture as large as the window', async () => {
  const { element } = mountField({});
  await userEvent.click(element);
  await seenToolbar();
  expect(toolbar()?.matches(':popover-open')).toBe(true);
  expect(getComputedStyle(toolbar()!, '::backdrop').display).toBe('none');
});
