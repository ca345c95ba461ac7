import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { caretRect, contentEditableCaretRect } from '../../src/field/caret-rect.ts';
import { mountField, moveMouse, seenToolbar, toolbar } from '../helpers/dictation-field.tsx';
import { mountKind } from '../helpers/editable-elements.ts';
import { isWebKit } from '../helpers/engine.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { fakeKeyboard } from '../helpers/keyboard.ts';
import { until } from '../helpers/until.ts';

/** A telephone: the keyboard takes half of it. */
const WIDTH_PX = 400;
const HEIGHT_PX = 800;
const KEYBOARD_PX = 400;

beforeEach(async () => {
  await page.viewport(WIDTH_PX, HEIGHT_PX);
  onTestFinished(async () => {
    await page.viewport(1_000, 800);
  });
});

describe('with a keyboard over the window', () => {
  /** A field whose one line stands a little above the keyboard. */
  async function fieldAboveKeyboard() {
    const spacer = document.createElement('div');
    spacer.style.height = '300px';
    document.body.prepend(spacer);
    onTestFinished(() => spacer.remove());
    const field = mountField({ defaultValue: 'rad' });
    field.element.style.minHeight = '0';
    await userEvent.click(field.element);
    await seenToolbar();
    return field;
  }

  test('the toolbar stands above it, and follows as the page is moved under what is seen', async () => {
    const { element } = await fieldAboveKeyboard();
    const caret = () => contentEditableCaretRect(element);
    const bar = () => toolbar()!.getBoundingClientRect();
    await expect.poll(() => bar().top - caret().bottom).toBeCloseTo(27, 0);
    expect(caret().bottom).toBeLessThan(KEYBOARD_PX);
    expect(bar().bottom).toBeGreaterThan(KEYBOARD_PX);
    const keyboard = fakeKeyboard();
    keyboard.up(KEYBOARD_PX);
    await expect.poll(() => caret().top - bar().bottom).toBeCloseTo(27, 0);
    keyboard.pan(200);
    await expect.poll(() => bar().top - caret().bottom).toBeCloseTo(27, 0);
    keyboard.pan(0);
    await expect.poll(() => caret().top - bar().bottom).toBeCloseTo(27, 0);
    keyboard.down();
    await expect.poll(() => bar().top - caret().bottom).toBeCloseTo(27, 0);
  });

  test('the toolbar stays when the browser scrolls to the caret, and goes when somebody does', async () => {
    const { element } = await fieldAboveKeyboard();
    const tall = document.createElement('div');
    tall.style.height = '3000px';
    document.body.append(tall);
    onTestFinished(() => tall.remove());
    const drawn = async (frames: number) => {
      for (let frame = 0; frame < frames; frame += 1) await new Promise(requestAnimationFrame);
    };
    await drawn(6);
    fakeKeyboard().up(KEYBOARD_PX);
    for (const scrolled of [40, 80, 120]) {
      window.scrollTo(0, scrolled);
      await drawn(3);
    }
    await expect
      .poll(() => {
        const caret = contentEditableCaretRect(element);
        const bar = toolbar()!.getBoundingClientRect();
        return bar.top - caret.bottom;
      })
      .toBeCloseTo(27, 0);
    await drawn(30);
    window.scrollTo(0, 160);
    await expect.poll(toolbar).toBeNull();
    window.scrollTo(0, 0);
  });

  test('what stands at the lower edge stands above it, all in sight', async () => {
    const element = mountKind('textarea');
    const dictation = createFakeDictation();
    onTestFinished(attachDictation(element, { dictation }));
    await userEvent.click(element);
    const root = await until(() => document.querySelector('diktera-tools')?.shadowRoot);
    const pressed = await until(() => root?.querySelector<HTMLElement>('.tool-dictate'));
    pressed?.click();
    const status = await until(() => root?.querySelector('.attached-status'));
    const keyboard = fakeKeyboard();
    /** Of the window, whatever the engine measures from. */
    const rect = () => {
      const { x, y, width, height } = status!.getBoundingClientRect();
      const fromTop = isWebKit ? visualViewport!.offsetTop : 0;
      return new DOMRect(x, y + fromTop, width, height);
    };
    expect(rect().bottom).toBe(HEIGHT_PX - 12);
    keyboard.up(KEYBOARD_PX);
    expect(rect().bottom).toBeCloseTo(HEIGHT_PX - KEYBOARD_PX - 12, 0);
    keyboard.pan(150);
    expect(rect().bottom).toBeCloseTo(HEIGHT_PX - KEYBOARD_PX + 150 - 12, 0);
    // Turned: there is hardly any room, and all of it is used.
    keyboard.pan(0);
    keyboard.up(HEIGHT_PX - 140);
    expect(rect().bottom).toBeCloseTo(140 - 12, 0);
    expect(rect().height).toBeLessThanOrEqual(140 - 24);
    keyboard.down();
    expect(rect().bottom).toBe(HEIGHT_PX - 12);
  });

  test('what comes to the lower edge while it is up comes above it', async () => {
    const element = mountKind('textarea');
    const dictation = createFakeDictation();
    onTestFinished(attachDictation(element, { dictation }));
    await userEvent.click(element);
    fakeKeyboard().up(KEYBOARD_PX);
    const root = await until(() => document.querySelector('diktera-tools')?.shadowRoot);
    (await until(() => root?.querySelector<HTMLElement>('.tool-dictate')))?.click();
    const status = await until(() => root?.querySelector('.attached-status'));
    expect(status!.getBoundingClientRect().bottom).toBeCloseTo(HEIGHT_PX - KEYBOARD_PX - 12, 0);
  });
});

test.each(['textarea', 'input', 'plaintext-only'] as const)(
  "in an embedder's shadow tree the toolbar follows the caret of %s",
  async (kind) => {
    const host = document.createElement('div');
    document.body.append(host);
    onTestFinished(() => host.remove());
    const root = host.attachShadow({ mode: 'open' });
    const element = mountKind(kind);
    root.append(element);
    // It goes no further than the field does.
    element.style.width = '600px';
    onTestFinished(attachDictation(element, { dictation: createFakeDictation() }));
    element.focus();
    await userEvent.keyboard('några ord');
    moveMouse();
    const tools = await until(() => root.querySelector('diktera-tools')?.shadowRoot);
    const bar = await until(() => tools?.querySelector('[role="toolbar"]'));
    const left = () => bar!.getBoundingClientRect().left;
    const aside = () => Math.abs(left() - caretRect(element).left);
    await expect.poll(aside).toBeLessThan(2);
    const atEnd = left();
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}');
    await expect.poll(left).toBeLessThan(atEnd - 10);
    expect(aside()).toBeLessThan(2);
    // Moved by no key at all: by a finger.
    if ('setSelectionRange' in element) {
      (element as HTMLInputElement).setSelectionRange(1, 1);
      await expect.poll(left).toBeLessThan(atEnd - 30);
    }
  },
);
