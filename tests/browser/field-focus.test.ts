import { describe, expect, test } from 'vitest';
import {
  contents,
  fieldOf,
  KINDS,
  type Kind,
  mount,
  mountKind,
  mountTyped,
  press,
  select,
  type,
  undo,
} from '../helpers/editable-elements.ts';
import { isFirefox, isWebKit } from '../helpers/engine.ts';

const FOCUS_EVENTS = ['focus', 'blur', 'focusin', 'focusout'];

/** Chromium has one undo history for all of a document, Firefox one more for each text control. */
const haveOneHistory = (kind: Kind, other: Kind): boolean =>
  !isFirefox || [kind, other].every((each) => each === 'plaintext-only' || each === 'rich');

describe.each(KINDS)('a late insertion into %s', (kind) => {
  test.each(KINDS)(
    'while the user types in another field (%s): nothing is seen of it',
    async (others) => {
      const element = await mountTyped(kind, 'ab cd');
      select(element, 2);
      const field = fieldOf(element);
      const cursor = field.saveCursor();
      const other = await mountTyped(others, 'xyz');
      await press('{ArrowLeft}');
      const seen: string[] = [];
      for (const name of FOCUS_EVENTS) {
        for (const target of [document, element, other]) {
          target.addEventListener(name, () => seen.push(name), true);
        }
      }
      expect((await field.insert('dikterat', cursor)).kind).toBe('inserted');
      expect(field.text()).toBe('ab dikterat cd');
      expect(document.activeElement).toBe(other);
      expect(seen).toEqual([]);
      await type('!');
      expect(contents(other)).toBe('xy!z');
      await undo();
      expect(contents(other)).toBe('xyz');
      // The last edit goes first, of all that have their history together.
      if (!haveOneHistory(kind, others)) element.focus();
      await undo();
      expect(contents(element)).toBe('ab cd');
    },
  );

  test('while a button has the focus: it keeps it, and the caret follows the text', async () => {
    const element = await mountTyped(kind, 'ab cd');
    select(element, 2);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    const button = mount('<button type="button">b</button>');
    button.focus();
    await field.insert('x', cursor);
    expect(document.activeElement).toBe(button);
    await field.insert('y', field.saveCursor());
    expect(field.text()).toBe('ab x y cd');
  });

  test('while nobody has the focus: nobody gets it', async () => {
    const element = await mountTyped(kind, 'a');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    element.blur();
    await field.insert('b', cursor);
    expect(field.text()).toBe('a b');
    expect(document.activeElement).toBe(document.body);
  });

  test('while it is hidden is deferred, and done when it is seen again', async () => {
    const element = await mountTyped(kind, 'a');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    element.blur();
    element.style.display = 'none';
    expect(await field.insert('b', cursor)).toEqual({ kind: 'deferred' });
    expect(contents(element)).toBe('a');
    element.style.display = '';
    expect(await field.insert('b', cursor)).toEqual({ kind: 'inserted', text: ' b' });
  });

  test('behind a modal dialog is deferred, and the dialog keeps the focus', async () => {
    const element = await mountTyped(kind, 'a');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    const dialog = mount('<dialog><input></dialog>') as HTMLDialogElement;
    dialog.showModal();
    // In WebKit nothing behind a dialog can be edited; either way the text waits for its place.
    const kinds = ['deferred', ...(isWebKit ? ['not-editable'] : [])];
    expect(kinds).toContain((await field.insert('b', cursor)).kind);
    expect(document.activeElement).toBe(dialog.querySelector('input'));
    dialog.close();
    expect(await field.insert('b', cursor)).toEqual({ kind: 'inserted', text: ' b' });
  });

  test('while a frame has the focus is deferred', async () => {
    const element = await mountTyped(kind, 'a');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    const frame = mount('<iframe srcdoc="<input>"></iframe>') as HTMLIFrameElement;
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    const inner = frame.contentDocument!.querySelector('input')!;
    inner.focus();
    expect(await field.insert('b', cursor)).toEqual({ kind: 'deferred' });
    await type('k');
    expect(inner.value).toBe('k');
    element.focus();
    expect(await field.insert('b', cursor)).toEqual({ kind: 'inserted', text: ' b' });
  });
});

describe('in a shadow tree', () => {
  test.each(KINDS)('%s takes a late insertion', async (kind) => {
    const host = mount('<div></div>');
    const element = mountKind(kind);
    host.attachShadow({ mode: 'open' }).append(element);
    element.focus();
    await type('abcd');
    await press('{ArrowLeft}{ArrowLeft}');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{Home}');
    await type('x');
    const other = mountKind('input');
    other.focus();
    await field.insert('y', cursor);
    expect(field.text()).toBe('xab ycd');
    expect(document.activeElement).toBe(other);
  });
});
