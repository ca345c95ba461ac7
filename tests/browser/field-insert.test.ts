import { describe, expect, test } from 'vitest';
import {
  contents,
  fieldOf,
  KINDS,
  MULTILINE_KINDS,
  markCaret,
  mount,
  mountTyped,
  press,
  redo,
  select,
  type,
  undo,
} from '../helpers/editable-elements.ts';
import { isWebKit } from '../helpers/engine.ts';
import { MEASURABLE_MS } from '../helpers/measurable.ts';

describe.each(KINDS)('inserting into %s', (kind) => {
  test('in the middle: text on both sides stays, the caret follows', async () => {
    const element = await mountTyped(kind, 'Hej värld');
    select(element, 3);
    const field = fieldOf(element);
    const outcome = await field.insert('på dig', field.saveCursor());
    expect(outcome).toEqual({ kind: 'inserted', text: ' på dig' });
    expect(field.text()).toBe('Hej på dig värld');
    await markCaret();
    expect(field.text()).toBe('Hej på dig| värld');
  });

  test('is one undo step between what was typed before and after', async () => {
    const element = await mountTyped(kind, 'innan');
    const field = fieldOf(element);
    await field.insert('dikterat', field.saveCursor());
    await type(' efter');
    expect(field.text()).toBe('innan dikterat efter');
    await undo();
    expect(field.text()).toBe('innan dikterat');
    await undo();
    expect(contents(element)).toBe('innan');
    await redo();
    expect(field.text()).toBe('innan dikterat');
    await redo();
    expect(field.text()).toBe('innan dikterat efter');
    await undo();
    await undo();
    await undo();
    expect(field.text()).toBe('');
  });

  test('after undo the caret is where it was', async () => {
    const element = await mountTyped(kind, 'ab cd');
    select(element, 2);
    const field = fieldOf(element);
    await field.insert('x', field.saveCursor());
    await undo();
    await markCaret();
    expect(field.text()).toBe('ab| cd');
  });

  test('two dictations are two steps, in order', async () => {
    const field = fieldOf(await mountTyped(kind, 'noll'));
    await field.insert('ett', field.saveCursor());
    await field.insert('två', field.saveCursor());
    expect(field.text()).toBe('noll ett två');
    await undo();
    expect(field.text()).toBe('noll ett');
    await undo();
    expect(field.text()).toBe('noll');
  });

  test('into an empty field', async () => {
    const field = fieldOf(await mountTyped(kind, ''));
    await field.insert('först', field.saveCursor());
    expect(field.text()).toBe(' först');
    await undo();
    expect(field.text()).toBe('');
  });

  test('in place of the text that was selected, and undo brings it back', async () => {
    const element = await mountTyped(kind, 'en röd bil');
    select(element, 2, 6);
    const field = fieldOf(element);
    await field.insert('blå', field.saveCursor());
    expect(field.text()).toBe('en blå bil');
    await undo();
    expect(contents(element)).toBe('en röd bil');
  });

  test('signs of HTML are text', async () => {
    const field = fieldOf(await mountTyped(kind, 'a'));
    await field.insert('<b>1</b> &amp; 2', field.saveCursor());
    expect(field.text()).toBe('a <b>1</b> &amp; 2');
  });

  test('nothing but white space is ignored, and the cursor is kept', async () => {
    const field = fieldOf(await mountTyped(kind, 'a'));
    const cursor = field.saveCursor();
    expect(await field.insert(' \n ', cursor)).toEqual({ kind: 'empty' });
    expect(field.text()).toBe('a');
    expect(await field.insert('b', cursor)).toEqual({ kind: 'inserted', text: ' b' });
  });

  test('tells the page by input events', async () => {
    const element = await mountTyped(kind, 'a');
    const field = fieldOf(element);
    const types: string[] = [];
    element.addEventListener('input', (event) => types.push((event as InputEvent).inputType));
    await field.insert('b', field.saveCursor());
    expect(types).toEqual(['insertText']);
  });

  test('smart spacing leaves the space out where none belongs', async () => {
    const element = await mountTyped(kind, 'a ');
    const field = fieldOf(element);
    const insert = (text: string) => field.insert(text, field.saveCursor(), { spacing: 'smart' });
    await insert('b');
    await insert('c');
    await insert('!');
    expect(field.text()).toBe('a b c!');
  });
});

describe.each(MULTILINE_KINDS)('newlines in %s', (kind) => {
  test.each([
    ['in the middle', 'ab cd', 2, 'ett\ntvå\n\ntre', 'ab ett\ntvå\n\ntre cd'],
    ['at the end', 'ab', 2, 'ett\ntvå', 'ab ett\ntvå'],
    ['at the start', 'ab', 0, 'ett\ntvå', ' ett\ntvåab'],
    ['at the end of the text', 'ab', 2, 'ett\n', 'ab ett\n'],
    ['too many', 'ab', 1, 'ett\r\n\r\n\r\n\r\ntvå', 'a ett\n\ntvåb'],
  ])('%s: real newlines and one undo step', async (_, before, at, text, after) => {
    const element = await mountTyped(kind, before);
    select(element, at);
    const field = fieldOf(element);
    await field.insert(text, field.saveCursor());
    expect(field.text()).toBe(after);
    expect(element.querySelector('div, p')).toBeNull();
    const end = after.length - (before.length - at);
    await markCaret();
    expect(field.text()).toBe(`${after.slice(0, end)}|${after.slice(end)}`);
    await undo();
    await undo();
    expect(contents(element)).toBe(before);
    await redo();
    expect(field.text()).toBe(after);
  });

  test('over lines that are selected', async () => {
    const field = fieldOf(await mountTyped(kind, 'ett\ntvå\ntre'));
    await press('{Shift>}{ArrowUp}{ArrowUp}{/Shift}');
    await field.insert('ny\nrad', field.saveCursor());
    expect(field.text()).toBe('ett ny\nrad');
    await undo();
    expect(field.text()).toBe('ett\ntvå\ntre');
  });

  test('hundreds of lines: one undo step, and four times as many take less than ten times as long', async () => {
    // Where blanks collapse, WebKit takes the one behind HTML that goes into plain text away.
    const style = isWebKit && kind === 'plaintext-only' ? 'white-space: pre-wrap' : '';
    const insert = async (lineCount: number): Promise<number> => {
      const element = await mountTyped(kind, 'före efter', style);
      select(element, 4);
      const field = fieldOf(element);
      const lines = Array.from(
        { length: lineCount },
        (_, index) => `rad <b>${index}</b>  &lt; ${index + 1}`,
      );
      const begunAt = performance.now();
      await field.insert(lines.join('\n'), field.saveCursor());
      const tookMs = performance.now() - begunAt;
      expect(field.text()).toBe(`före ${lines.join('\n')} efter`);
      await undo();
      expect(contents(element)).toBe('före efter');
      return tookMs;
    };
    const shortMs = await insert(100);
    expect(await insert(400)).toBeLessThan(10 * Math.max(shortMs, MEASURABLE_MS));
  });
});

test('newlines become spaces in an input', async () => {
  const field = fieldOf(await mountTyped('input', 'a'));
  await field.insert('ett\n\n två', field.saveCursor());
  expect(field.text()).toBe('a ett två');
});

test('inside rich text the words take the style around them, and undo leaves the tags', async () => {
  const element = mount('<div contenteditable><p>ett <b>två</b> tre</p><p>fyra</p></div>');
  element.focus();
  getSelection()?.collapse(element.querySelector('b')!.firstChild, 2);
  const field = fieldOf(element);
  const before = contents(element);
  await field.insert('x\ny', field.saveCursor());
  expect(contents(element)).toBe('<p>ett <b>tv x<br>yå</b> tre</p><p>fyra</p>');
  await undo();
  expect(contents(element)).toBe(before);
});

test('beside a chip that cannot be edited', async () => {
  const element = mount(
    '<div contenteditable>Till <span contenteditable="false">@Anna</span> nu</div>',
  );
  element.focus();
  getSelection()?.collapse(element.lastChild, 0);
  const field = fieldOf(element);
  await field.insert('hej', field.saveCursor());
  expect(field.text()).toBe('Till @Anna hej nu');
});
