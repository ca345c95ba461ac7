import { describe, expect, onTestFinished, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { type AttachOptions, attachDictation } from '../../src/attach-dictation.tsx';
import { attachPlainTextPaste } from '../../src/field/field-rules.ts';
import {
  contents,
  fieldOf,
  KINDS,
  type Kind,
  MULTILINE_KINDS,
  markCaret,
  mount,
  mountKind,
  mountTyped,
  press,
  redo,
  select,
  type,
  undo,
} from '../helpers/editable-elements.ts';
import { inChromium, isWebKit } from '../helpers/engine.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { MEASURABLE_MS } from '../helpers/measurable.ts';

type Clip = Readonly<Record<string, string>>;

/** Fills the real clipboard by a real copy. */
async function fillClipboard(clip: Clip): Promise<void> {
  const source = mount('<p>source</p>');
  const fill = (event: ClipboardEvent) => {
    for (const [format, data] of Object.entries(clip)) event.clipboardData?.setData(format, data);
    event.preventDefault();
  };
  document.addEventListener('copy', fill, { once: true });
  getSelection()?.selectAllChildren(source);
  await userEvent.copy();
  getSelection()?.removeAllRanges();
}

async function plainField(kind: Kind, text: string) {
  const element = await mountTyped(kind, text);
  onTestFinished(attachPlainTextPaste(element));
  return { element, field: fieldOf(element) };
}

const longText = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `rad <${index}>`).join('\n');

const RICH: Clip = { 'text/plain': 'fet\ntext', 'text/html': '<b>fet</b><p>text</p>' };

describe.each(MULTILINE_KINDS)('pasting into %s', (kind) => {
  test('brings in plain text in place of the selection, as one undo step', async () => {
    await fillClipboard(RICH);
    const { element, field } = await plainField(kind, 'en sak till');
    select(element, 3, 6);
    await userEvent.paste();
    expect(field.text()).toBe('en fet\ntext till');
    expect(element.querySelector('b, p')).toBeNull();
    await markCaret();
    expect(field.text()).toBe('en fet\ntext| till');
    await undo();
    expect(field.text()).toBe('en fet\ntext till');
    await undo();
    expect(contents(element)).toBe('en sak till');
    await redo();
    expect(field.text()).toBe('en fet\ntext till');
  });

  test('collapses newlines, also where the text meets its neighbours', async () => {
    await fillClipboard({ 'text/plain': '\n\nett\r\n\r\n\r\n\r\ntva\n\n\n' });
    const { field } = await plainField(kind, 'a\n\nb');
    await press('{ArrowUp}');
    await userEvent.paste();
    expect(field.text()).toBe('a\n\nett\n\ntva\n\nb');
    await undo();
    expect(field.text()).toBe('a\n\nb');
  });

  test('a text four times as long takes less than ten times as long', async () => {
    const paste = async (lines: number): Promise<number> => {
      const text = longText(lines);
      await fillClipboard({ 'text/plain': text });
      const { field } = await plainField(kind, 'a');
      const begunAt = performance.now();
      await userEvent.paste();
      const tookMs = performance.now() - begunAt;
      expect(field.text()).toBe(`a${text}`);
      return tookMs;
    };
    const shortMs = await paste(250);
    expect(await paste(1_000)).toBeLessThan(10 * Math.max(shortMs, MEASURABLE_MS));
  });

  test('after a long text the caret is seen, and it is one undo step', async () => {
    const text = longText(1_000);
    await fillClipboard({ 'text/plain': text });
    const { field } = await plainField(kind, 'a');
    await userEvent.paste();
    expect(field.text()).toBe(`a${text}`);
    const caret = field.caretRect();
    // WebKit's font is a pixel higher than the line.
    expect(caret.bottom).toBeLessThanOrEqual(window.innerHeight + (isWebKit ? 1 : 0));
    expect(caret.top).toBeGreaterThanOrEqual(0);
    await undo();
    expect(field.text()).toBe('a');
  });
});

describe.each(KINDS)('in %s', (kind) => {
  test('a paste with no text in it brings in nothing', async () => {
    await fillClipboard({ 'text/html': '<img src="x.png">' });
    const { element, field } = await plainField(kind, 'abc');
    select(element, 1, 2);
    await userEvent.paste();
    expect(field.text()).toBe('abc');
  });

  test('a paste moves a saved cursor', async () => {
    await fillClipboard({ 'text/plain': 'xx' });
    const { element, field } = await plainField(kind, 'ab');
    select(element, 1);
    const cursor = field.saveCursor();
    await press('{Home}');
    await userEvent.paste();
    await field.insert('y', cursor);
    expect(field.text()).toBe('xxa yb');
  });

  test('when the rule has ended, the browser pastes', async () => {
    await fillClipboard({ 'text/plain': 'a\n\n\n\nb' });
    const element = await mountTyped(kind, '');
    attachPlainTextPaste(element)();
    await userEvent.paste();
    expect(fieldOf(element).text()).toBe(kind === 'input' ? 'a    b' : 'a\n\n\n\nb');
  });

  inChromium(
    'dropping brings in plain text where it is dropped (Firefox, WebKitGTK: a test cannot drag)',
    async () => {
      const { element, field } = await plainField(kind, 'a b');
      const source = mount('<p draggable="true">source</p>');
      source.addEventListener('dragstart', ({ dataTransfer }) => {
        dataTransfer?.setData('text/plain', 'ett\n\n\n\ntva');
        dataTransfer?.setData('text/html', '<b>ett</b>');
      });
      // The first letter's left half is the start of the text.
      await userEvent.dragAndDrop(source, element, { targetPosition: { x: 4, y: 10 } });
      expect(field.text()).toBe(kind === 'input' ? 'ett tvaa b' : 'ett\n\ntvaa b');
      await undo();
      expect(contents(element)).toBe('a b');
    },
  );
});

test('an input gets spaces for newlines', async () => {
  await fillClipboard({ 'text/plain': 'ett\n\ntva\n' });
  const { field } = await plainField('input', '');
  await userEvent.paste();
  await type('!');
  expect(field.text()).toBe('ett tva!');
});

test('nothing is pasted into a text area that is read-only', async () => {
  await fillClipboard({ 'text/plain': 'x' });
  const { element, field } = await plainField('textarea', 'a');
  (element as HTMLTextAreaElement).readOnly = true;
  await userEvent.paste();
  expect(field.text()).toBe('a');
});

test('what is dragged within the element is left to the browser, what comes from elsewhere is not', async () => {
  const { element } = await plainField('rich', 'abc');
  const isLeftToBrowser = (name: string) => {
    const dataTransfer = new DataTransfer();
    return element.dispatchEvent(new DragEvent(name, { cancelable: true, dataTransfer }));
  };
  expect(isLeftToBrowser('drop')).toBe(false);
  isLeftToBrowser('dragstart');
  expect(isLeftToBrowser('drop')).toBe(true);
  isLeftToBrowser('dragend');
  expect(isLeftToBrowser('drop')).toBe(false);
});

test('an attached text area takes three newlines as two, pasted in one undo step, unless told otherwise', async () => {
  const source = mountKind('textarea') as HTMLTextAreaElement;
  source.value = 'x\n\n\n\ny';
  const paste = async (element: HTMLElement): Promise<void> => {
    source.focus();
    source.select();
    await userEvent.copy();
    element.focus();
    await userEvent.paste();
  };
  const [plain, free, handled] = [1, 2, 3].map(() => mountKind('textarea')) as [
    HTMLTextAreaElement,
    HTMLTextAreaElement,
    HTMLTextAreaElement,
  ];
  const attach = (element: HTMLElement, options: AttachOptions): void =>
    onTestFinished(attachDictation(element, { ...options, dictation: createFakeDictation() }));
  attach(plain, {});
  attach(free, { plainText: false });
  attach(handled, {});
  // As pages do that have a root of their own to listen at.
  const onPaste = (event: ClipboardEvent): void => {
    if (event.target !== handled) return;
    event.preventDefault();
    handled.value += 'by the page';
  };
  document.addEventListener('paste', onPaste);
  onTestFinished(() => document.removeEventListener('paste', onPaste));
  plain.focus();
  await userEvent.keyboard('a{Enter}{Enter}{Enter}');
  expect(plain.value).toBe('a\n\n');
  await paste(plain);
  expect(plain.value).toBe('a\n\nx\n\ny');
  await userEvent.keyboard('{Control>}z{/Control}');
  expect(plain.value).toBe('a\n\n');
  await paste(free);
  expect(free.value).toBe('x\n\n\n\ny');
  await paste(handled);
  expect(handled.value).toBe('by the page');
});
