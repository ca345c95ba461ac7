import { describe, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import {
  contents,
  fieldOf,
  isControl,
  KINDS,
  MULTILINE_KINDS,
  markCaret,
  mount,
  mountKind,
  mountTyped,
  press,
  select,
  type,
  undo,
} from '../helpers/editable-elements.ts';
import { fingerOn } from '../helpers/finger.ts';

describe.each(KINDS)('a cursor saved in %s', (kind) => {
  test('moves with what is typed before it; the user goes on typing where they are', async () => {
    const element = await mountTyped(kind, 'ett tre');
    select(element, 3);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{Home}');
    await type('noll ');
    await field.insert('två', cursor);
    expect(field.text()).toBe('noll ett två tre');
    await markCaret();
    expect(field.text()).toBe('noll |ett två tre');
  });

  test('by a finger, which sends no mouse: what it selected is replaced', async () => {
    const element = await mountTyped(kind, 'ett två tre');
    const finger = fingerOn(element);
    finger.down();
    // After a long press the system selects the word, and sends nothing but this.
    const isTold = new Promise((resolve) => {
      for (const told of [document, element]) {
        told.addEventListener('selectionchange', resolve, { once: true });
      }
    });
    select(element, 4, 7);
    await isTold;
    finger.up({ hasClick: false });
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await field.insert('2', cursor);
    expect(field.text()).toBe('ett  2 tre');
    await undo();
    expect(field.text()).toBe('ett två tre');
  });

  test('stays where it is when the text after it changes', async () => {
    const element = await mountTyped(kind, 'ett tre');
    select(element, 3);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{End}');
    await type(' fyra');
    await press('{ArrowLeft}{ArrowLeft}');
    await field.insert('två', cursor);
    expect(field.text()).toBe('ett två tre fyra');
    await markCaret();
    expect(field.text()).toBe('ett två tre fy|ra');
  });

  test('what is typed at the very place goes behind the dictation, and so does the caret', async () => {
    const field = fieldOf(await mountTyped(kind, 'ett'));
    const cursor = field.saveCursor();
    await type(' tre');
    await field.insert('två', cursor);
    expect(field.text()).toBe('ett två tre');
    await markCaret();
    expect(field.text()).toBe('ett två tre|');
  });

  test('is right among letters that are all the same', async () => {
    const element = await mountTyped(kind, 'aaaa');
    select(element, 2);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{Home}');
    await type('aa');
    await press('{End}{Backspace}');
    await field.insert('x', cursor);
    expect(field.text()).toBe('aaaa xa');
  });

  test('follows deletions, undo and a value set by script', async () => {
    const element = await mountTyped(kind, 'abcdef');
    select(element, 4);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{Home}{Delete}{Delete}');
    await undo();
    await press('{Home}{Delete}');
    if (isControl(element)) element.value = 'nytt bcdef';
    else element.textContent = 'nytt bcdef';
    await field.insert('x', cursor);
    expect(field.text()).toBe('nytt bcd xef');
  });

  test('undo takes the late insertion and leaves the typing', async () => {
    const element = await mountTyped(kind, 'ett tre');
    select(element, 3);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{End}');
    await type(' fyra');
    const typed = contents(element);
    await field.insert('tva', cursor);
    await type('!');
    await undo();
    expect(field.text()).toBe('ett tva tre fyra');
    await undo();
    expect(contents(element)).toBe(typed);
  });

  test('selected text that was changed meanwhile is not deleted', async () => {
    const element = await mountTyped(kind, 'en gul bil');
    select(element, 3, 6);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await type('rosa');
    await field.insert('ny', cursor);
    expect(field.text()).toBe('en rosa ny bil');
  });

  test('selected text that only moved is replaced', async () => {
    const element = await mountTyped(kind, 'en gul bil');
    select(element, 2, 6);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{Home}');
    await type('se ');
    await field.insert('ny', cursor);
    expect(field.text()).toBe('se en ny bil');
    await markCaret();
    expect(field.text()).toBe('se |en ny bil');
  });

  test('a selection the user makes elsewhere stays selected', async () => {
    const element = await mountTyped(kind, 'ett tva tre');
    select(element, 3);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    select(element, 8, 11);
    await field.insert('och', cursor);
    expect(field.text()).toBe('ett och tva tre');
    await type('X');
    expect(field.text()).toBe('ett och tva X');
  });

  test.each([
    ['in order', [0, 1]],
    ['the later answered first', [1, 0]],
  ])('two at one place, %s: texts stand as they were begun', async (_, order) => {
    const field = fieldOf(await mountTyped(kind, 'noll'));
    const cursors = [field.saveCursor(), field.saveCursor()];
    const texts = ['ett', 'två'];
    for (const index of order) await field.insert(texts[index]!, cursors[index]!);
    expect(field.text()).toBe('noll ett två');
  });

  test('insertions asked for together follow one another', async () => {
    const field = fieldOf(await mountTyped(kind, ''));
    const cursors = ['a', 'b', 'c'].map((text) => ({ text, cursor: field.saveCursor() }));
    await Promise.all(cursors.map(({ text, cursor }) => field.insert(text, cursor)));
    expect(field.text()).toBe(' a b c');
  });

  test('inserts once: used, released, null and foreign cursors are outside', async () => {
    const field = fieldOf(await mountTyped(kind, 'a'));
    const other = fieldOf(await mountTyped(kind, 'o'));
    const foreign = other.saveCursor();
    field.element.focus();
    await press('{End}');
    const used = field.saveCursor();
    await field.insert('b', used);
    const released = field.saveCursor();
    released?.release();
    for (const cursor of [used, released, null, foreign]) {
      expect(await field.insert('x', cursor)).toEqual({ kind: 'outside' });
    }
    expect(field.text()).toBe('a b');
    expect(await other.insert('k', foreign)).toEqual({ kind: 'inserted', text: ' k' });
  });

  test('an element that left the document is gone; back again it can be used', async () => {
    const element = await mountTyped(kind, 'a');
    const parent = element.parentElement!;
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    element.remove();
    expect(await field.insert('b', cursor)).toEqual({ kind: 'gone' });
    parent.append(element);
    expect(await field.insert('b', cursor)).toEqual({ kind: 'inserted', text: ' b' });
  });

  test('a field that was disposed of is gone', async () => {
    const field = fieldOf(await mountTyped(kind, 'a'));
    const cursor = field.saveCursor();
    field.dispose();
    field.dispose();
    expect(await field.insert('b', cursor)).toEqual({ kind: 'gone' });
    expect(field.saveCursor()).toBeNull();
  });

  test('nothing goes into what may not be edited, and the cursor waits', async () => {
    const element = await mountTyped(kind, 'a');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    const was = element.getAttribute('contenteditable') ?? '';
    if (isControl(element)) element.readOnly = true;
    else element.contentEditable = 'false';
    expect(await field.insert('b', cursor)).toEqual({ kind: 'not-editable' });
    if (isControl(element)) element.readOnly = false;
    else element.contentEditable = was;
    expect(await field.insert('b', cursor)).toEqual({ kind: 'inserted', text: ' b' });
  });
});

test('a disabled fieldset disables its fields', async () => {
  const set = mount('<fieldset disabled><textarea>a</textarea></fieldset>');
  const field = fieldOf(set.querySelector('textarea')!);
  expect(await field.insert('b', field.saveCursor())).toEqual({ kind: 'not-editable' });
});

test.each(['textarea', 'input'] as const)('%s: maxlength cuts nothing off', async (kind) => {
  const element = await mountTyped(kind, 'abc');
  element.setAttribute('maxlength', '6');
  const field = fieldOf(element);
  const cursor = field.saveCursor();
  expect(await field.insert('dikterat', cursor)).toEqual({ kind: 'no-room' });
  expect(await field.insert('de', cursor)).toEqual({ kind: 'inserted', text: ' de' });
  expect(field.text()).toBe('abc de');
});

test('a contenteditable the user never was in has no cursor', () => {
  getSelection()?.removeAllRanges();
  const field = fieldOf(mount('<div contenteditable>text</div>'));
  expect(field.saveCursor()).toBeNull();
});

describe.each(KINDS)('the last place in %s', (kind) => {
  test('is what is saved when the user has gone to another field', async () => {
    const element = await mountTyped(kind, 'ett tre');
    const field = fieldOf(element);
    select(element, 3);
    const moved = new Promise((resolve) => {
      document.addEventListener('selectionchange', resolve, { once: true });
    });
    await moved;
    await userEvent.click(mountKind('input'));
    await field.insert('två', field.saveCursor());
    expect(field.text()).toBe('ett två tre');
  });
});

describe.each(MULTILINE_KINDS)('lines in %s', (kind) => {
  test('added above move the cursor down', async () => {
    const element = await mountTyped(kind, 'ab');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{Home}');
    await type('x\n\ny\n');
    await field.insert('c', cursor);
    expect(field.text()).toBe('x\n\ny\nab c');
    await markCaret();
    expect(field.text()).toBe('x\n\ny\n|ab c');
  });

  test('an empty line holds a cursor', async () => {
    const field = fieldOf(await mountTyped(kind, 'a\n\nb'));
    await press('{ArrowUp}');
    const cursor = field.saveCursor();
    await press('{ArrowDown}');
    await field.insert('x', cursor);
    expect(field.text()).toBe('a\n x\nb');
    await markCaret();
    expect(field.text()).toBe('a\n x\nb|');
  });
});

test('the nodes of a contenteditable replaced by its framework: the place is found by the text', async () => {
  const element = await mountTyped('rich', 'ett tre');
  select(element, 3);
  const field = fieldOf(element);
  const cursor = field.saveCursor();
  element.innerHTML = '<p>noll <i>ett</i> tre</p>';
  await field.insert('två', cursor);
  expect(field.text()).toBe('noll ett två tre');
});

test('a script changing the start and the user typing at the end: each is followed', async () => {
  const element = await mountTyped('rich', 'ett tre');
  select(element, 3);
  const field = fieldOf(element);
  const cursor = field.saveCursor();
  element.prepend('noll ');
  await press('{End}');
  await type(' fyra');
  await field.insert('två', cursor);
  expect(field.text()).toBe('noll ett två tre fyra');
});

test.each(['<input type="password">', '<input type="checkbox">', '<p>text</p>'])(
  '%s is refused with a reason',
  (html) => {
    expect(() => createEditableField(mount(html))).toThrow(/Text can't be dictated into </);
  },
);
