import { describe, expect, onTestFinished, test } from 'vitest';
import { attachNewlineRule } from '../../src/field/field-rules.ts';
import {
  contents,
  fieldOf,
  isControl,
  type Kind,
  MULTILINE_KINDS,
  markCaret,
  mountTyped,
  press,
  redo,
  select,
  type,
  undo,
} from '../helpers/editable-elements.ts';

async function ruledField(kind: Kind, text: string) {
  const element = await mountTyped(kind, '');
  onTestFinished(attachNewlineRule(element));
  await type(text);
  return { element, field: fieldOf(element) };
}

describe.each(MULTILINE_KINDS)('three newlines in %s', (kind) => {
  test.each([
    ['at the end', 'a\n\n\n\n', '', 'a\n\n|'],
    ['at the start', '\n\n\n', '', '\n\n|'],
    ['before a letter', 'ab', '{ArrowLeft}{Enter}{Enter}{Enter}', 'a\n\n|b'],
    ['between two', 'a\n\nb', '{ArrowUp}{Enter}', 'a\n|\nb'],
    ['by Shift+Enter', 'a', '{Shift>}{Enter}{Enter}{Enter}{/Shift}', 'a\n\n|'],
  ])('%s: the third key does nothing', async (_, text, keys, expected) => {
    const { field } = await ruledField(kind, text);
    await press(keys === '' ? '{Shift}' : keys);
    await markCaret();
    expect(field.text()).toBe(expected);
  });

  test('two are let through, one key after the other', async () => {
    const { field } = await ruledField(kind, 'a\nb\n\nc');
    expect(field.text()).toBe('a\nb\n\nc');
  });

  test('made by a deletion: collapsed, the caret in place, undo brings all back', async () => {
    const { field } = await ruledField(kind, 'a\n\nx\n\nb');
    await press('{ArrowUp}{ArrowUp}{End}{Backspace}');
    expect(field.text()).toBe('a\n\nb');
    await undo();
    await undo();
    expect(field.text()).toBe('a\n\nx\n\nb');
    await press('{Control>}{End}{/Control}');
    await markCaret();
    expect(field.text()).toBe('a\n\nx\n\nb|');
  });

  test('that undo brings back are left alone, and redo works', async () => {
    const { field } = await ruledField(kind, 'a\n\nx\n\nb');
    await press('{ArrowUp}{ArrowUp}{End}{Backspace}');
    await undo();
    expect(field.text()).toBe('a\n\n\n\nb');
    await redo();
    expect(field.text()).toBe('a\n\nb');
  });

  test('that come with a dictation never get in, and it stays one undo step', async () => {
    const { element, field } = await ruledField(kind, 'ab');
    select(element, 1);
    await field.insert('x\n\n\n\ny', field.saveCursor());
    expect(field.text()).toBe('a x\n\nyb');
    await undo();
    expect(contents(element)).toBe('ab');
  });

  test('that were there before are collapsed with the next input, the caret kept', async () => {
    const { element, field } = await ruledField(kind, 'b');
    if (isControl(element)) {
      element.value = 'a\n\n\n\nb\n\n\nc';
      element.setSelectionRange(6, 6);
    } else {
      element.innerHTML = 'a<br><br><br><br>b<br><br><br>c';
      getSelection()?.collapse(element.childNodes[5]!, 1);
    }
    await markCaret();
    expect(field.text()).toBe('a\n\nb|\n\nc');
    await type('!');
    expect(field.text()).toBe('a\n\nb|!\n\nc');
  });
});
