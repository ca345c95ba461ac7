import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { caretRect, placeRect } from '../../src/field/caret-rect.ts';
import { textRects } from '../../src/field/text-lines.ts';
import { common, overlaps } from '../../src/widget/free-place.ts';
import { mountField, moveMouse } from '../helpers/dictation-field.tsx';
import { mount } from '../helpers/editable-elements.ts';
import { isWebKit } from '../helpers/engine.ts';
import { createFakeDictation, type FakeDictation } from '../helpers/fake-dictation.ts';
import { tapKey } from '../helpers/tap.ts';
import { until } from '../helpers/until.ts';

const KINDS = ['editable', 'textarea', 'input'] as const;

beforeEach(() => page.viewport(900, 700));

const layer = (root: ParentNode = document) => root.querySelector<HTMLElement>('.note-layer');
const words = (root: ParentNode = document) => root.querySelector<HTMLElement>('.note-words');
const marks = () =>
  [...document.querySelectorAll<HTMLElement>('.place-mark')].filter((each) => !each.hidden);

async function speakInto(element: HTMLElement, dictation: FakeDictation): Promise<void> {
  element.focus();
  await tapKey('F9');
  await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
}

function say(dictation: FakeDictation, finalText: string, firm = '', tentative = ''): void {
  dictation.setSession({ live: { finalText, firm, tentative } });
}

/** Where the words are that are shown, line by line. */
function linesOf(shown: HTMLElement): readonly DOMRect[] {
  const all = document.createRange();
  all.selectNodeContents(shown.querySelector('span')!);
  return [...all.getClientRects()].filter(({ width }) => width > 1);
}

describe('words while one speaks', () => {
  test.each(KINDS)('stand where they will be (%s), and nothing moves for them', async (as) => {
    const { element, dictation, text } = mountField({ as, defaultValue: 'Förut.' });
    await userEvent.click(element);
    await userEvent.keyboard('{Control>}{End}{/Control}');
    const before = [element.scrollHeight, element.getBoundingClientRect().bottom, text()];
    await speakInto(element, dictation);
    say(dictation, 'Orden kommer', 'när jag', 'talar');
    await until(() => words()?.textContent === 'Orden kommer när jag talar');
    expect(words()?.dataset.isBeside).toBeUndefined();
    const [shown] = linesOf(words()!);
    const { left, top } = shown!;
    expect([element.scrollHeight, element.getBoundingClientRect().bottom, text()]).toEqual(before);
    say(dictation, 'Orden kommer när jag talar.');
    await dictation.stop();
    expect(await dictation.deliver('Orden kommer när jag talar.')).toBe(true);
    await expect.poll(layer).toBeNull();
    const landed = placeRect(element, 'Förut. '.length);
    expect(Math.abs(landed.left - left)).toBeLessThan(3);
    const [line] = textRects(element, 3);
    expect(Math.abs((line?.top ?? 0) - top)).toBeLessThan(2);
  });

  test('are lighter until they are final', async () => {
    const { element, dictation } = mountField();
    await speakInto(element, dictation);
    say(dictation, 'Säkert', '', 'kanske');
    const tentative = await until(() => words()?.querySelector('.live-tentative'));
    expect(Number(getComputedStyle(tentative!).opacity)).toBeLessThan(0.8);
    const [final] = words()!.querySelectorAll('span');
    expect(getComputedStyle(final!).color).toBe(getComputedStyle(element).color);
    say(dictation, 'Säkert kanske');
    await expect.poll(() => words()?.querySelector('.live-tentative')).toBeNull();
  });

  test.each(['editable', 'textarea'] as const)(
    'within a text (%s) they stand beside the caret, on nothing that is written',
    async (as) => {
      const defaultValue = 'Ett stycke med text som går vidare.\n'.repeat(4);
      const { element, dictation, text } = mountField({ as, defaultValue });
      await userEvent.click(element);
      await userEvent.keyboard('{Control>}{Home}{/Control}{ArrowRight}{ArrowRight}{ArrowRight}');
      await speakInto(element, dictation);
      moveMouse();
      say(dictation, 'Orden kommer', 'när jag', 'talar');
      await expect.poll(() => words()?.dataset.isBeside).toBe('true');
      const written = () =>
        textRects(element, 3).map((line) => common(line, element.getBoundingClientRect()));
      await expect
        .poll(() => written().filter((line) => overlaps(line, words()!.getBoundingClientRect())))
        .toEqual([]);
      expect(text().trimEnd()).toBe(defaultValue.trimEnd());
    },
  );

  test.each([
    ['a field that is full', 'rad\n'.repeat(60), 900],
    ['320 px', 'några ord '.repeat(60), 320],
  ])('in %s they are never on the line of the caret', async (_name, defaultValue, width) => {
    await page.viewport(width, 640);
    const { element, dictation } = mountField({ as: 'textarea', defaultValue });
    element.style.height = '200px';
    element.focus();
    (element as HTMLTextAreaElement).setSelectionRange(20, 20);
    await speakInto(element, dictation);
    say(dictation, 'Orden kommer när jag talar, och de blir fler.');
    await expect.poll(() => words()?.dataset.isBeside).toBe('true');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { top, bottom } = caretRect(element);
    const { left, right } = element.getBoundingClientRect();
    const box = words()!.getBoundingClientRect();
    expect(overlaps(box, { left, top, right, bottom })).toBe(false);
    expect(box.right).toBeLessThanOrEqual(width);
    expect(box.width).toBeLessThanOrEqual(right - left + 1);
  });

  test.each(KINDS)('stand in the place of a placeholder (%s), with no focus too', async (as) => {
    const { element, dictation } = mountField({ as, placeholder: 'Klicka här och tala.' });
    await speakInto(element, dictation);
    element.blur();
    say(dictation, 'Orden kommer', 'när jag', 'talar');
    await expect.poll(() => words()?.textContent).toBe('Orden kommer när jag talar');
    expect(words()?.dataset.isBeside).toBeUndefined();
    const part = as === 'editable' ? '::before' : '::placeholder';
    // WebKit tells the element's own colour for that of its placeholder.
    const isTold = !isWebKit || as === 'editable';
    if (isTold) expect(getComputedStyle(element, part).color).toBe('rgba(0, 0, 0, 0)');
    await dictation.stop();
    expect(await dictation.deliver('Orden.')).toBe(true);
    await expect.poll(layer).toBeNull();
    expect(getComputedStyle(element, part).color).not.toBe('rgba(0, 0, 0, 0)');
  });

  test('stay until the text itself stands there, and go with it', async () => {
    const { element, dictation } = mountField();
    await speakInto(element, dictation);
    say(dictation, 'Hej på dig.');
    await until(words);
    await dictation.stop();
    expect(words()).not.toBeNull();
    let shownWithText: boolean | null = null;
    element.addEventListener('input', () =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          shownWithText ??= words() !== null;
        }),
      ),
    );
    await dictation.deliver('Hej på dig.');
    await expect.poll(() => shownWithText).toBe(false);
  });

  test("in somebody else's element, with its font, from a shadow tree", async () => {
    const element = mount(
      '<textarea style="width: 400px; height: 120px; font: 20px/30px monospace"></textarea>',
    );
    const dictation = createFakeDictation();
    onTestFinished(attachDictation(element, { dictation }));
    await userEvent.click(element);
    await speakInto(element, dictation);
    say(dictation, 'Hej', 'på dig');
    const root = await until(() => document.querySelector('diktera-tools')?.shadowRoot);
    await until(() => words(root!)?.textContent === 'Hej på dig');
    const shown = words(root!)!;
    expect(shown.dataset.isBeside).toBeUndefined();
    expect(getComputedStyle(shown)).toMatchObject({ fontSize: '20px', lineHeight: '30px' });
    const [line] = linesOf(shown);
    expect(Math.abs(line!.left - caretRect(element).left)).toBeLessThan(2);
    expect(layer(root!)?.translate).toBe(false);
  });
});

describe('a place where a text is still to land', () => {
  test('is marked, goes with the text around it, and is no more when the text is there', async () => {
    const { element, dictation, text } = mountField({ defaultValue: 'Först. Sist.' });
    await userEvent.click(element);
    await userEvent.keyboard('{Control>}{Home}{/Control}');
    for (let step = 0; step < 6; step += 1) await userEvent.keyboard('{ArrowRight}');
    await speakInto(element, dictation);
    // The caret shows it.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(marks()).toEqual([]);
    await dictation.stop();
    await expect.poll(() => marks().length).toBe(1);
    const at = () => marks()[0]!.getBoundingClientRect();
    const place = (offset: number) => placeRect(element, offset);
    await expect.poll(() => Math.abs(at().left + 1 - place(6).left)).toBeLessThan(2);
    expect(Math.abs(at().top - place(6).top)).toBeLessThan(2);
    await userEvent.keyboard('{Control>}{Home}{/Control}Nu. ');
    await expect.poll(() => Math.abs(at().left + 1 - place(10).left)).toBeLessThan(2);
    await dictation.deliver('Sent.');
    await expect.poll(marks).toEqual([]);
    expect(text()).toBe('Nu. Först. Sent. Sist.');
    await expect.poll(layer).toBeNull();
  });

  test('is not, of what was thrown away', async () => {
    const { element, dictation } = mountField({ defaultValue: 'Först.' });
    await userEvent.click(element);
    await speakInto(element, dictation);
    await userEvent.keyboard('{Escape}');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(marks()).toEqual([]);
  });
});
